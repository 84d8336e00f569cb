select coalesce(type, name) as type, core, sum(count) as count, sum(time_us) / sum(count) as mean_us
from operator_times where run = :run and (type = :operator or name = :operator)
group by coalesce(type, name), core
