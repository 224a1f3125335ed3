-- Credentials end with their maker as well: the maker of a popout token knows its text, and an invite depends
-- on its maker (reference/credentials.md#ends-of-credentials, reference/permissions.md#invites-and-makers).

ALTER TABLE popout_tokens ADD COLUMN created_by uuid;
-- The makers of existing tokens are unknown. The person that a token acts for holds it for certain.
UPDATE popout_tokens SET created_by = user_id;
ALTER TABLE popout_tokens
    ALTER COLUMN created_by SET NOT NULL,
    ADD CONSTRAINT popout_tokens_creator_fkey FOREIGN KEY (account_id, created_by)
        REFERENCES memberships (account_id, user_id) ON DELETE CASCADE;
CREATE INDEX popout_tokens_creator ON popout_tokens (account_id, created_by);

-- Created by a person or by a service key. The maker of existing invites from keys is unknown.
DELETE FROM invites WHERE created_by IS NULL;
ALTER TABLE invites
    ADD COLUMN created_by_key uuid REFERENCES account_service_keys ON DELETE CASCADE,
    ADD CONSTRAINT invites_creator_check CHECK ((created_by IS NULL) <> (created_by_key IS NULL));
CREATE INDEX invites_creator_key ON invites (created_by_key) WHERE created_by_key IS NOT NULL;

-- Operators search people by any part of a name. Without the extension, people are scanned.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX users_display_name_parts ON users USING gin (display_name gin_trgm_ops);
    CREATE INDEX users_username_parts ON users USING gin (username gin_trgm_ops);
    CREATE INDEX users_email_parts ON users USING gin (email gin_trgm_ops);
EXCEPTION WHEN undefined_file OR feature_not_supported OR insufficient_privilege THEN
    RAISE NOTICE 'pg_trgm cannot be had: searching people by parts of their names reads all of them';
END
$$;
