select chip, candidates, chip_basis
from run_overview where run = :run
