select run, created, target
from run_overview where run = :run
