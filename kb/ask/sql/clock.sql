select type, name, clock_mhz, count, time_us
from operator_times where run = :run and clock_mhz is not null
order by time_us desc limit :n
