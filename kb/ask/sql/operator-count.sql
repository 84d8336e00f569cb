select count(*) as operators, count(distinct coalesce(type, name)) as types, sum(count) as count, sum(time_us) as time_us
from operator_times where run = :run
