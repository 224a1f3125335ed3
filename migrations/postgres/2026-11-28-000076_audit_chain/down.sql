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
DROP TRIGGER audit_log_chain ON audit_log;
DROP FUNCTION audit_log_link();
DROP FUNCTION audit_retained(audit_log);
DROP FUNCTION audit_erasable(audit_log);
DROP TABLE audit_checkpoints, audit_links, audit_chains;
