select dtypes, count(*) as operators, sum(count) as count, sum(time_us) as time_us, sum(share) as share
from operator_times where run = :run and dtypes is not null and dtypes <> ''
group by dtypes
order by time_us desc limit :n
