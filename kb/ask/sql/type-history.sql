select type, runs, count, time_us, last_seen
from type_history
order by time_us desc, type limit :n
