select distinct a.rank, a.entry, a.title, a.pattern, a.gain_low, a.gain_high, a.gain_of, a.effort
from advice a join bottleneck_operators o on o.run = a.run and o.finding = a.finding
where a.run = :run and (o.type = :operator or o.name = :operator)
order by a.rank limit :n
