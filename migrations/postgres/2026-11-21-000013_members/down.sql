DROP TRIGGER audit_log_append_only ON audit_log;
DROP FUNCTION audit_log_is_append_only();
DROP INDEX audit_log_actor, audit_log_scope, login_connections_username_prefix, users_display_name_prefix,
    users_username_prefix, users_active_account, sessions_active_account, surface_tokens_member,
    memberships_list;
ALTER TABLE login_assignments DROP CONSTRAINT login_assignments_member;
DROP TABLE account_settings, invites;
