select metric, coalesce(value, word) as value, unit, threshold, source
from key_data where run = :run
order by position
