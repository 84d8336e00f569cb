select rank, entry, title, pattern, gain_low, gain_high, gain_of, effort
from advice where run = :run
order by rank limit :n
