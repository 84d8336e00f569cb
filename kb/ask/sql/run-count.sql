select count(*) as runs, count(distinct target) as targets, min(created) as first, max(created) as last
from run_overview
