-- Deletions name a message. A moderator's text about it concerns its writer, so that person is recorded.
ALTER TABLE moderation_log
    -- For a deletion: id on the platform of the writer of the message.
    ADD COLUMN author_id text;
CREATE INDEX moderation_log_author ON moderation_log (platform, author_id) WHERE author_id IS NOT NULL;
CREATE INDEX audit_log_author ON audit_log ((metadata ->> 'author_id')) WHERE resource_type = 'chat_message';
-- Deletions without a writer. Messages may be in another database, so the erasure looks them up there.
CREATE INDEX moderation_log_without_author ON moderation_log (platform, id)
    WHERE action = 'delete' AND author_id IS NULL AND reason IS NOT NULL;
CREATE INDEX audit_log_without_author ON audit_log (id)
    WHERE resource_type = 'chat_message' AND NOT metadata ? 'author_id' AND resource_id <> 'erased';

CREATE OR REPLACE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.resource_type IN ('chat_user', 'raid', 'chat_message') AND NEW.resource_id = 'erased'
        AND NEW.metadata = OLD.metadata - '{target,reason,details,author_id}'::text[]
        AND (NEW.id, NEW.scope, NEW.account_id, NEW.actor_type, NEW.actor_id, NEW.action, NEW.resource_type, NEW.ip,
            NEW.created_at)
            IS NOT DISTINCT FROM (OLD.id, OLD.scope, OLD.account_id, OLD.actor_type, OLD.actor_id, OLD.action,
            OLD.resource_type, OLD.ip, OLD.created_at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit_log is append-only';
END
$$;

-- A song is found by its ids first, whatever names come with them. The given names are kept with the vote and
-- in the audit log.
ALTER TABLE copyright_votes
    -- Null when they are the names of the song.
    ADD COLUMN given_title text CHECK (length(given_title) BETWEEN 1 AND 200),
    ADD COLUMN given_artist text CHECK (length(given_artist) BETWEEN 1 AND 200),
    ADD CONSTRAINT copyright_votes_given_check CHECK ((given_title IS NULL) = (given_artist IS NULL));
