select name, shapes, metric, value, unit
from operator_readings
where run = :run and (type = :operator or name = :operator) and instr(' ' || :metric || ' ', ' ' || metric || ' ') > 0
order by position, metric
