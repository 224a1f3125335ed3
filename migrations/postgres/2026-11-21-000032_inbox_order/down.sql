ALTER TABLE webhook_inbox DROP COLUMN channel_id;
