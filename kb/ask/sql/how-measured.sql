select tool, tool_version, cann_version, mode, replay_mode, warm_up, metrics, chip
from run_overview where run = :run
