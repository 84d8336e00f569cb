select entry, title, effort, gain_low, gain_high, gain_of, rank
from advice where run = :run
order by case effort when 'low' then 0 when 'medium' then 1 when 'high' then 2 else 3 end, rank limit :n
