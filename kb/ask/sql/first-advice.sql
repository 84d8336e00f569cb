select rank, entry, title, pattern, gain_low, gain_high, gain_of, basis, effort, who, verify, when_not
from advice where run = :run
order by rank limit 1
