select type, name, count, time_us, share, mean_us, high_us
from operator_times where run = :run and core = 'communication'
order by time_us desc, position limit :n
