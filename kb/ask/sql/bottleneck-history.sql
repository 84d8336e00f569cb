select pattern, runs, mean_share, largest_share, last_seen
from bottleneck_history
order by runs desc, mean_share desc limit :n
