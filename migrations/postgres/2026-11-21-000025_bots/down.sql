DROP INDEX extension_installs_of_account;
ALTER TABLE extension_installs DROP COLUMN exempt_roles;
DROP TABLE bot_command_replies, bot_command_uses, bot_command_overrides, bot_commands;
