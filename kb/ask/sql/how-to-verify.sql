select rank, entry, title, verify
from advice where run = :run
order by rank limit :n
