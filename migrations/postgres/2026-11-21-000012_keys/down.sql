DROP INDEX system_keys_created;
DROP INDEX system_keys_creator;
ALTER TABLE system_keys DROP CONSTRAINT system_keys_label_check;

DROP INDEX account_service_keys_creator;
ALTER TABLE account_service_keys
    DROP CONSTRAINT account_service_keys_label_check,
    DROP CONSTRAINT account_service_keys_creator_fkey,
    ADD CONSTRAINT account_service_keys_created_by_fkey FOREIGN KEY (created_by)
        REFERENCES users ON DELETE SET NULL;

DROP INDEX popout_tokens_member;
ALTER TABLE popout_tokens
    DROP CONSTRAINT popout_tokens_label_check,
    DROP CONSTRAINT popout_tokens_member_fkey,
    ADD CONSTRAINT popout_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE;

DROP INDEX user_api_keys_user;
ALTER TABLE user_api_keys
    DROP CONSTRAINT user_api_keys_label_check,
    DROP CONSTRAINT user_api_keys_member_fkey,
    ADD CONSTRAINT user_api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE;
