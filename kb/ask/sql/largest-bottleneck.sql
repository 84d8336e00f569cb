select pattern, scope, share, headroom, stake, confidence, summary
from bottlenecks where run = :run
order by share * coalesce(headroom, 1) desc, position limit 1
