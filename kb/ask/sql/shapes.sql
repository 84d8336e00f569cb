select type, shapes, sum(count) as count, sum(time_us) as time_us, sum(share) as share
from operator_times where run = :run and shapes is not null and shapes <> ''
group by type, shapes
order by time_us desc limit :n
