select type, name, shapes, metric, value, unit, time_us
from operator_readings where run = :run and instr(' ' || :metric || ' ', ' ' || metric || ' ') > 0
order by value desc, position limit :n
