select type, core, groups, count, time_us, share
from type_times where run = :run
order by time_us desc, type limit :n
