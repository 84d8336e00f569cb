select collect, count(*) as bottlenecks, group_concat(pattern, ', ') as patterns
from not_judged where run = :run and collect is not null and collect <> ''
group by collect
order by bottlenecks desc, collect
