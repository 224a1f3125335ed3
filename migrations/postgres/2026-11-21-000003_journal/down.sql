DROP TABLE channel_connections, webhook_inbox, outbox, audit_log;
