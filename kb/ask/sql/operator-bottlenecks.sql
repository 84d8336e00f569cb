select distinct b.pattern, b.share, b.headroom, b.confidence, b.summary
from bottlenecks b join bottleneck_operators o on o.run = b.run and o.finding = b.finding
where b.run = :run and (o.type = :operator or o.name = :operator)
order by b.position
