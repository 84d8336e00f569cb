select pattern, confidence, share, summary
from bottlenecks where run = :run
order by confidence desc, position
