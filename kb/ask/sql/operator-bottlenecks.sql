select b.pattern, b.share, b.headroom, b.confidence, b.summary
from bottlenecks b
where b.run = :run and exists (select 1 from bottleneck_operators o
                               where o.run = b.run and o.finding = b.finding and (o.type = :operator or o.name = :operator))
order by b.position
