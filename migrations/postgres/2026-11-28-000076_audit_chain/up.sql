-- Hash chain over the audit log of each account (reference/audit-chain.md#links). Every entry has a link, which is
-- written at the commit of the entry's transaction, so that the writers of one account wait for each other only while
-- they commit, and those of other accounts never.

-- One row for each chain. Its lock is held from the first link of a transaction to the end of the commit.
CREATE TABLE audit_chains (
    account_id uuid PRIMARY KEY,
    -- Entries from before have no link.
    began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Time of the oldest entry whose link retention still has to remove; infinity when only the newest link is left.
    oldest_at timestamptz NOT NULL,
    -- False while the newest link is in no signed checkpoint.
    is_signed boolean NOT NULL DEFAULT false
);
CREATE INDEX audit_chains_unsigned ON audit_chains (account_id) WHERE NOT is_signed;
CREATE INDEX audit_chains_oldest ON audit_chains (oldest_at) WHERE oldest_at < 'infinity';

CREATE TABLE audit_links (
    account_id uuid NOT NULL,
    -- Number of the link, from 1 without a gap. Up to 2^53 - 1, which every reader of JSON keeps exact.
    seq bigint NOT NULL CHECK (seq BETWEEN 1 AND 9007199254740991),
    entry_id uuid NOT NULL UNIQUE,
    -- Time of the entry, so that the link shows when the entry may have expired.
    created_at timestamptz NOT NULL,
    -- Random bytes of the commitment. Null: the person was erased from the entry.
    salt bytea,
    -- Hash of the salt and of the part of the entry that an erasure removes.
    commitment bytea NOT NULL,
    -- Hash of the rest of the entry and of the commitment.
    content bytea NOT NULL,
    -- Hash of the previous link's hash and of this link.
    hash bytea NOT NULL,
    PRIMARY KEY (account_id, seq)
);

-- Hashes of chains at a time, signed. An anchor states the last link that retention has removed.
CREATE TABLE audit_checkpoints (
    account_id uuid NOT NULL,
    seq bigint NOT NULL CHECK (seq BETWEEN 1 AND 9007199254740991),
    hash bytea NOT NULL,
    signed_at timestamptz NOT NULL,
    is_anchor boolean NOT NULL DEFAULT false,
    -- Null: the deployment had no key.
    public_key bytea,
    signature bytea,
    PRIMARY KEY (account_id, seq),
    CHECK ((public_key IS NULL) = (signature IS NULL)),
    CHECK (is_anchor OR signature IS NOT NULL)
);

-- The part of an entry that an erasure removes (reference/privacy.md#databases), and the rest of it.
CREATE FUNCTION audit_erasable(entry audit_log) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_array(entry.resource_id, CASE WHEN jsonb_typeof(entry.metadata) = 'object' THEN
        (SELECT coalesce(jsonb_object_agg(part.key, part.value), '{}') FROM jsonb_each(entry.metadata) AS part
         WHERE part.key IN ('target', 'reason', 'details', 'author_id'))
        ELSE '{}' END)
$$;
CREATE FUNCTION audit_retained(entry audit_log) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_array(entry.id, entry.scope, entry.account_id, entry.actor_type, entry.actor_id, entry.action,
        entry.resource_type, entry.ip, (extract(epoch FROM entry.created_at) * 1000000)::bigint,
        CASE WHEN jsonb_typeof(entry.metadata) = 'object'
            THEN entry.metadata - '{target,reason,details,author_id}'::text[]
            ELSE entry.metadata END)
$$;

CREATE FUNCTION audit_log_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    entry audit_log;
    last audit_links;
    link audit_links;
BEGIN
    -- The row as it is at the commit. An imported entry has its link already.
    SELECT * INTO entry FROM audit_log WHERE id = NEW.id;
    IF NOT FOUND OR EXISTS (SELECT FROM audit_links WHERE entry_id = NEW.id) THEN
        RETURN NULL;
    END IF;
    PERFORM FROM audit_chains WHERE account_id = entry.account_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        INSERT INTO audit_chains (account_id, oldest_at) VALUES (entry.account_id, entry.created_at)
        ON CONFLICT (account_id) DO NOTHING;
        PERFORM FROM audit_chains WHERE account_id = entry.account_id FOR NO KEY UPDATE;
    END IF;
    -- A new snapshot: the link of the writer that held the lock is visible.
    SELECT * INTO last FROM audit_links WHERE account_id = entry.account_id ORDER BY seq DESC LIMIT 1;
    link.account_id := entry.account_id;
    link.seq := coalesce(last.seq, 0) + 1;
    link.entry_id := entry.id;
    link.created_at := entry.created_at;
    link.salt := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
    link.commitment := sha256(link.salt || convert_to(audit_erasable(entry)::text, 'UTF8'));
    link.content := sha256(convert_to(audit_retained(entry)::text, 'UTF8') || link.commitment);
    link.hash := sha256(
        coalesce(last.hash, sha256(convert_to('lumio audit chain', 'UTF8') || uuid_send(link.account_id)))
        || int8send(link.seq) || uuid_send(link.entry_id)
        || int8send((extract(epoch FROM link.created_at) * 1000000)::bigint) || link.content);
    INSERT INTO audit_links VALUES (link.*);
    UPDATE audit_chains SET is_signed = false, oldest_at = least(oldest_at, entry.created_at)
    WHERE account_id = entry.account_id AND (is_signed OR oldest_at > entry.created_at);
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER audit_log_chain AFTER INSERT ON audit_log DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.account_id IS NOT NULL) EXECUTE FUNCTION audit_log_link();

-- Rows are deleted by retention only. Their content is never changed, but a person can be erased from them. Then the
-- salt goes too: with it, the erased part could be found by trying.
CREATE OR REPLACE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.resource_type IN ('chat_user', 'raid', 'chat_message') AND NEW.resource_id = 'erased'
        AND NEW.metadata = OLD.metadata - '{target,reason,details,author_id}'::text[]
        AND (NEW.id, NEW.scope, NEW.account_id, NEW.actor_type, NEW.actor_id, NEW.action, NEW.resource_type, NEW.ip,
            NEW.created_at)
            IS NOT DISTINCT FROM (OLD.id, OLD.scope, OLD.account_id, OLD.actor_type, OLD.actor_id, OLD.action,
            OLD.resource_type, OLD.ip, OLD.created_at)
    THEN
        UPDATE audit_links SET salt = NULL WHERE entry_id = OLD.id AND salt IS NOT NULL;
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit_log is append-only';
END
$$;
