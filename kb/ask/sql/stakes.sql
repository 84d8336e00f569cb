select b.pattern, b.base, b.share, b.headroom, b.stake, b.stake * case b.base when 'elapsed' then r.elapsed_us else r.total_us end as win_us
from bottlenecks b join run_overview r on r.run = b.run
where b.run = :run
order by b.stake is null, b.stake desc, b.position
