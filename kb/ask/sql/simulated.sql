select mode, tool, chip
from run_overview where run = :run
