select rank_name, communication_us, exposed_us, exposed_us / nullif(elapsed_us, 0) as share, elapsed_us, compute_us, idle_us
from rank_times where run = :run and communication_us is not null order by communication_us desc, rank_name limit :n
