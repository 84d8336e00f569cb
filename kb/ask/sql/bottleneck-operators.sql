select pattern, type, name, core, shapes, count, time_us
from bottleneck_operators where run = :run and (:pattern is null or pattern = :pattern)
order by time_us desc limit :n
