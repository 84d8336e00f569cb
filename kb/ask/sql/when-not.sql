select rank, entry, title, when_not
from advice where run = :run and when_not is not null and when_not <> ''
order by rank limit :n
