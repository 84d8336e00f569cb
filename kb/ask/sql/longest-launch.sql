select type, name, shapes, count, mean_us, high_us, time_us
from operator_times where run = :run
order by mean_us desc, position limit :n
