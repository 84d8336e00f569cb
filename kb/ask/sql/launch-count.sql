select sum(count) as count, count(*) as operators, sum(time_us) as time_us, sum(time_us) / sum(count) as mean_us
from operator_times where run = :run
