-- One event by its id, and the events of a type, without reading other events of the account
-- (reference/events.md#history).

CREATE INDEX events_id ON events (account_id, id);
CREATE INDEX events_type ON events (account_id, event_type, occurred_at DESC, id DESC);
