DROP TABLE user_permission_overrides, user_role_assignments, user_roles, admin_role_members, admin_roles,
    account_feature_overrides, account_permission_overrides, login_assignments, memberships, account_roles, accounts, sessions,
    login_connections, users, plan_features, feature_flags, plans;
