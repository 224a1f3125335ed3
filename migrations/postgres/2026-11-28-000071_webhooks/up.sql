-- Signed outbound webhooks: endpoints of accounts and their deliveries (reference/webhooks.md#endpoints).

CREATE TABLE webhook_endpoints (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
    description text CHECK (length(description) BETWEEN 1 AND 200),
    event_types text[] NOT NULL CHECK (cardinality(event_types) BETWEEN 1 AND 50),
    is_enabled boolean NOT NULL DEFAULT true,
    -- Reason why the service disabled it.
    disabled_reason text CHECK (disabled_reason IN ('gone', 'failing', 'member_left')),
    -- Sealed.
    secret bytea NOT NULL,
    -- Secret before the last rotation, sealed; it signs too until its end.
    previous_secret bytea,
    previous_secret_until timestamptz,
    -- Time from which a copy of the daemon takes the endpoint; null when nothing waits.
    due_at timestamptz,
    -- Time of the next attempt after a failure: it concerns every delivery of the endpoint.
    retry_at timestamptz,
    failure_count integer NOT NULL DEFAULT 0 CHECK (failure_count >= 0),
    -- First of the failures since the last success or a pause of a day.
    failing_since timestamptz,
    last_attempt_at timestamptz,
    -- Events that were left out at a bound.
    skipped_count bigint NOT NULL DEFAULT 0,
    -- Deliveries that can be added before those that wait are counted again.
    free_places integer NOT NULL DEFAULT 0 CHECK (free_places >= 0),
    -- The queue was full: nothing is added or counted until then.
    full_until timestamptz,
    -- The log was trimmed, and has at most its bound of older deliveries.
    trimmed_at timestamptz,
    lease_until timestamptz,
    lease_owner uuid,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
    UNIQUE (account_id, id)
);
CREATE INDEX webhook_endpoints_list ON webhook_endpoints (account_id, created_at, id);
CREATE INDEX webhook_endpoints_created_by ON webhook_endpoints (created_by);
CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_endpoints_rotated ON webhook_endpoints (previous_secret_until) WHERE previous_secret IS NOT NULL;

-- One row for each endpoint and event. It has no payload: the payload is read from the rows of the event at each attempt
-- (reference/webhooks.md#privacy).
CREATE TABLE webhook_deliveries (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    -- Event or chat message in the time-series database; of a test the delivery itself.
    event_id uuid NOT NULL,
    event_type text NOT NULL CHECK (length(event_type) BETWEEN 1 AND 71),
    occurred_at timestamptz NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    -- True for tests and replays: they come first and are tried once.
    is_immediate boolean NOT NULL DEFAULT false,
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at timestamptz,
    last_attempt_at timestamptz,
    last_status_code integer,
    last_error text,
    response_excerpt text,
    duration_ms integer,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    UNIQUE (endpoint_id, event_id),
    FOREIGN KEY (account_id, endpoint_id) REFERENCES webhook_endpoints (account_id, id) ON DELETE CASCADE
);
-- Deliveries that wait, in the order in which they are sent.
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (endpoint_id, is_immediate DESC, occurred_at, event_id)
    WHERE status = 'pending';
CREATE INDEX webhook_deliveries_expiring ON webhook_deliveries (expires_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (account_id, endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (account_id, endpoint_id, created_at DESC, id DESC)
    WHERE status = 'failed';
CREATE INDEX webhook_deliveries_created ON webhook_deliveries (created_at);
