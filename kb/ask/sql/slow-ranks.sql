select rank_name, compute_us, slower, elapsed_us, communication_us, exposed_us, idle_us
from rank_times where run = :run and compute_us is not null order by compute_us desc, rank_name limit :n
