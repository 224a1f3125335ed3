ALTER TABLE user_api_keys DROP COLUMN created_by_session;
ALTER TABLE sessions DROP COLUMN login_connection_id;
ALTER TABLE users DROP COLUMN pending_email;
DROP TABLE unconfirmed_logins;
