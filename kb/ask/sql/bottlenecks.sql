select pattern, scope, share, headroom, confidence, operators, summary
from bottlenecks where run = :run
order by position limit :n
