select pattern, reason
from not_judged where run = :run
order by position
