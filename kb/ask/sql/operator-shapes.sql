select name, shapes, dtypes, formats, count, mean_us, time_us
from operator_times where run = :run and (type = :operator or name = :operator)
order by time_us desc
