select command, tool, created
from run_overview where run = :run
