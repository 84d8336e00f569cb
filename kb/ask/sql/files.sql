select path, kind, rows, rows_lost
from files where run = :run
order by position
