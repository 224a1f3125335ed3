-- Number of the latest election of a Redis Cluster that the checkpoint knows; 0 for one server. A greater one means that a
-- replica took a part of the keys over, without the last commands of its master
-- (reference/ingest.md#recovery-of-a-lost-redis).
ALTER TABLE redis_checkpoint ADD COLUMN epoch bigint NOT NULL DEFAULT 0;
