-- Keys and tokens end with the membership that they act in: a personal key or a popout ends with it, also one
-- that is created at the same moment. A service key works on without its creator
-- (reference/credentials.md#ends-of-credentials).

DELETE FROM user_api_keys AS key WHERE NOT EXISTS
    (SELECT FROM memberships AS m WHERE m.account_id = key.account_id AND m.user_id = key.user_id);
DELETE FROM popout_tokens AS token WHERE NOT EXISTS
    (SELECT FROM memberships AS m WHERE m.account_id = token.account_id AND m.user_id = token.user_id);
UPDATE account_service_keys AS key SET created_by = NULL WHERE created_by IS NOT NULL AND NOT EXISTS
    (SELECT FROM memberships AS m WHERE m.account_id = key.account_id AND m.user_id = key.created_by);

ALTER TABLE user_api_keys
    DROP CONSTRAINT user_api_keys_user_id_fkey,
    ADD CONSTRAINT user_api_keys_member_fkey FOREIGN KEY (account_id, user_id)
        REFERENCES memberships (account_id, user_id) ON DELETE CASCADE,
    ADD CONSTRAINT user_api_keys_label_check CHECK (length(label) BETWEEN 1 AND 100);
-- Keys are counted by person.
CREATE INDEX user_api_keys_user ON user_api_keys (user_id);

ALTER TABLE popout_tokens
    DROP CONSTRAINT popout_tokens_user_id_fkey,
    ADD CONSTRAINT popout_tokens_member_fkey FOREIGN KEY (account_id, user_id)
        REFERENCES memberships (account_id, user_id) ON DELETE CASCADE,
    ADD CONSTRAINT popout_tokens_label_check CHECK (length(label) <= 100);
CREATE INDEX popout_tokens_member ON popout_tokens (account_id, user_id);

ALTER TABLE account_service_keys
    DROP CONSTRAINT account_service_keys_created_by_fkey,
    ADD CONSTRAINT account_service_keys_creator_fkey FOREIGN KEY (account_id, created_by)
        REFERENCES memberships (account_id, user_id) ON DELETE SET NULL (created_by),
    ADD CONSTRAINT account_service_keys_label_check CHECK (length(label) BETWEEN 1 AND 100);
CREATE INDEX account_service_keys_creator ON account_service_keys (account_id, created_by)
    WHERE created_by IS NOT NULL;

ALTER TABLE system_keys
    ADD CONSTRAINT system_keys_label_check CHECK (length(label) BETWEEN 1 AND 100);
CREATE INDEX system_keys_creator ON system_keys (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX system_keys_created ON system_keys (created_at);
