-- An erasure that failed has still had effects.
ALTER TABLE privacy_erasures
    DROP CONSTRAINT privacy_erasures_status_check,
    ADD CONSTRAINT privacy_erasures_status_check CHECK (status IN ('running', 'done', 'failed'));

-- A refused deletion may have no platform. Deletions of all platforms are read in the order of their ids.
DROP INDEX moderation_log_without_author;
CREATE INDEX moderation_log_without_author ON moderation_log (id)
    WHERE action = 'delete' AND author_id IS NULL AND reason IS NOT NULL;
