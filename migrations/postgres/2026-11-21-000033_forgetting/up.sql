-- Chatter that an entry of the audit log concerns.
CREATE INDEX audit_log_person ON audit_log (resource_id) WHERE resource_type IN ('chat_user', 'raid');

-- Rows are deleted by retention only. Their content is never changed, but a person can be erased from them.
CREATE OR REPLACE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.resource_type IN ('chat_user', 'raid') AND NEW.resource_id = 'erased'
        AND NEW.metadata = OLD.metadata - '{target,reason,details}'::text[]
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
