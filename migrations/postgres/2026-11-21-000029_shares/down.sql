ALTER TABLE channel_connections DROP COLUMN channel_since;
DROP TABLE platform_quota_shares;
