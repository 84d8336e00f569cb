select entry, title, score, why
from similar_cases where run = :run
order by score desc, entry
