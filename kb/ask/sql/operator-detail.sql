select type, name, core, shapes, dtypes, count, time_us, share, mean_us, low_us, high_us, block_dim, clock_mhz
from operator_times where run = :run and (type = :operator or name = :operator)
order by time_us desc
