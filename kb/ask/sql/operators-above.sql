select type, name, shapes, count, mean_us, time_us, share
from operator_times where run = :run and mean_us > :us
order by time_us desc, position limit :n
