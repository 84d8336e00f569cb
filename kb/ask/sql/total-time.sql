select total_us, elapsed_us, launches, operators, ranks
from run_overview where run = :run
