select type, name, shapes, count, time_us, share
from operator_times where run = :run and core = :core
order by time_us desc, position limit :n
