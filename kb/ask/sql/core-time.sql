select core, operators, count, time_us, share
from core_times where run = :run and core = :core
