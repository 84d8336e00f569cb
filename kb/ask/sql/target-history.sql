select run, created, chip, mode, total_us, bottleneck
from run_overview where target = (select target from run_overview where run = :run)
order by created desc, run limit :n
