select coalesce(ranks, 1) as ranks, total_us, elapsed_us
from run_overview where run = :run
