ALTER TABLE redis_checkpoint DROP COLUMN epoch;
