select name, shapes, metric, value, unit
from operator_readings where run = :run and (type = :operator or name = :operator)
order by position, metric
