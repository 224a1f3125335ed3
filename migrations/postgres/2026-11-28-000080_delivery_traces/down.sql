ALTER TABLE webhook_deliveries DROP COLUMN traceparent, DROP COLUMN tracestate;
