select a.entry, a.title, a.gain_low, a.gain_likely, a.gain_high, a.gain_of, a.basis
from advice a left join bottlenecks b on b.run = a.run and b.finding = a.finding
where a.run = :run
order by a.gain_high * case a.gain_of when 'run' then 1 else coalesce(b.share, 1) end desc, a.rank limit :n
