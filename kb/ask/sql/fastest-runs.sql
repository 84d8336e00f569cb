select run, created, target, chip, mode, total_us
from run_overview where total_us is not null
order by total_us, created limit :n
