ALTER TABLE extension_installs DROP COLUMN stop_told_at;
UPDATE extensions SET status = suspended_from, suspended_from = NULL WHERE suspended_from IS NOT NULL;
ALTER TABLE extensions
    DROP CONSTRAINT extensions_suspension_check,
    DROP COLUMN suspended_at,
    DROP COLUMN suspended_from,
    DROP COLUMN suspension_reason;
