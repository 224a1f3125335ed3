-- Channel of a delivery; null where it names none. Deliveries of one channel are handled in their order.
ALTER TABLE webhook_inbox ADD COLUMN channel_id text;
CREATE INDEX webhook_inbox_channel ON webhook_inbox (platform, channel_id, sent_at, id) WHERE handled_at IS NULL;
