select rank_name, idle_us, idle_us / nullif(elapsed_us, 0) as share, elapsed_us, compute_us, communication_us, held_up
from rank_times where run = :run and idle_us is not null order by idle_us desc, rank_name limit :n
