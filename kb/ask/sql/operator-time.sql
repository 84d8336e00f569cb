select type, name, core, shapes, count, time_us, share, mean_us
from operator_times where run = :run and (type = :operator or name = :operator)
order by time_us desc
