select type, name, core, shapes, count, time_us, share
from operator_times where run = :run
order by time_us, position desc limit :n
