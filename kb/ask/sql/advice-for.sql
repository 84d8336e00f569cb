select rank, entry, title, effort, gain_low, gain_high, gain_of
from advice where run = :run and who in (:who, '')
order by rank limit :n
