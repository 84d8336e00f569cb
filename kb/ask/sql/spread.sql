select type, name, shapes, count, low_us, mean_us, high_us, high_us / nullif(low_us, 0) as ratio
from operator_times where run = :run and count > 1 and low_us is not null and high_us is not null
order by (high_us - low_us) * count desc, position limit :n
