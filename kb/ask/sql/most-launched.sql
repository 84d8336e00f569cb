select coalesce(type, name) as type, core, sum(count) as count, sum(time_us) as time_us, sum(time_us) / sum(count) as mean_us
from operator_times where run = :run
group by coalesce(type, name), core
order by count desc, type limit :n
