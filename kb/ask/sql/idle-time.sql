select elapsed_us, total_us, max(0, elapsed_us - total_us) as idle_us,
       max(0, elapsed_us - total_us) / nullif(elapsed_us, 0) as share, ranks
from run_overview where run = :run and elapsed_us is not null and ranks is null
