-- Place in the trace of the request that caused the delivery (reference/webhooks.md#traces). Null: a trace of its own.
ALTER TABLE webhook_deliveries ADD COLUMN traceparent text, ADD COLUMN tracestate text;
