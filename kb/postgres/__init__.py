"""PostgreSQL as a store: addresses without their passwords, connections that speak as SQLite's do, faults in plain words."""
