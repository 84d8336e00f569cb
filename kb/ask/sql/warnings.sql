select text
from warnings where run = :run
order by position
