select pattern, metric, value, unit, threshold, source
from bottleneck_evidence where run = :run and (:pattern is null or pattern = :pattern)
