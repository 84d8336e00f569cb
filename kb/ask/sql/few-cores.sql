select type, name, core, shapes, block_dim, count, time_us, share
from operator_times where run = :run and block_dim is not null and (:operator is null or type = :operator or name = :operator)
order by block_dim, time_us desc limit :n
