DROP TABLE extension_actions, extension_installs, extension_secrets, extension_files, extension_approvals;
ALTER TABLE extensions DROP COLUMN current_version_id;
DROP TABLE extension_versions, extensions, developer_profiles;
