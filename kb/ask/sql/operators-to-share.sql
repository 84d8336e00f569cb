select type, name, shapes, count, time_us, share, running_share
from operator_times where run = :run and running_share - share < :percent / 100.0
order by time_us desc, position
