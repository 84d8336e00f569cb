select coalesce(type, name) as type, core, sum(count) as count, sum(time_us) as time_us, sum(share) as share
from operator_times where run = :run and (type = :operator or name = :operator)
group by coalesce(type, name), core
