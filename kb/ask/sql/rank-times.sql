select rank_name, elapsed_us, compute_us, communication_us, exposed_us, idle_us
from rank_times where run = :run and elapsed_us is not null order by elapsed_us desc, rank_name limit :n
