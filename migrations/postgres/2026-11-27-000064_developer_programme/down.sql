DROP TABLE developer_revenue;
DROP TABLE developer_payout_settings;
DROP TABLE developer_verifications;
DROP TABLE developer_applications;
ALTER TABLE developer_profiles DROP COLUMN github_url, DROP COLUMN website_url, DROP COLUMN avatar_key,
    DROP COLUMN updated_at;
