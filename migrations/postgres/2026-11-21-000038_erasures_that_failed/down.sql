DROP INDEX moderation_log_without_author;
CREATE INDEX moderation_log_without_author ON moderation_log (platform, id)
    WHERE action = 'delete' AND author_id IS NULL AND reason IS NOT NULL;
UPDATE privacy_erasures SET status = 'running' WHERE status = 'failed';
ALTER TABLE privacy_erasures
    DROP CONSTRAINT privacy_erasures_status_check,
    ADD CONSTRAINT privacy_erasures_status_check CHECK (status IN ('running', 'done'));
