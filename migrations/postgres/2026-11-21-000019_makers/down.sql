-- The extension is kept: other objects may use it by now.
DROP INDEX IF EXISTS users_email_parts, users_username_parts, users_display_name_parts;
ALTER TABLE invites DROP COLUMN created_by_key;
ALTER TABLE popout_tokens DROP COLUMN created_by;
