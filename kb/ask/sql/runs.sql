select run, created, target, chip, mode, total_us, bottleneck
from run_overview
order by created desc, run limit :n
