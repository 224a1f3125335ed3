-- Limits of developers and extensions (reference/developer-limits.md#resolution). A row replaces the platform's default.
CREATE TABLE developer_limits (
    developer_id uuid NOT NULL REFERENCES developer_profiles ON DELETE CASCADE,
    limit_key text NOT NULL CHECK (length(limit_key) BETWEEN 1 AND 64),
    value bigint NOT NULL CHECK (value >= 0),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (developer_id, limit_key)
);

CREATE TABLE extension_limits (
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    limit_key text NOT NULL CHECK (length(limit_key) BETWEEN 1 AND 64),
    value bigint NOT NULL CHECK (value >= 0),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (extension_id, limit_key)
);

-- Requests for higher limits (reference/developer-limits.md#requests).
CREATE TABLE limit_requests (
    id uuid PRIMARY KEY,
    developer_id uuid NOT NULL REFERENCES developer_profiles ON DELETE CASCADE,
    requested_by uuid REFERENCES users ON DELETE SET NULL,
    scope text NOT NULL CHECK (scope IN ('developer', 'extension')),
    extension_id uuid REFERENCES extensions ON DELETE CASCADE,
    limit_key text NOT NULL CHECK (length(limit_key) BETWEEN 1 AND 64),
    current_value bigint NOT NULL,
    requested_value bigint NOT NULL CHECK (requested_value > current_value),
    reason text NOT NULL CHECK (length(reason) BETWEEN 20 AND 2000),
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'in_review', 'approved', 'rejected')),
    review_notes text,
    reviewed_by uuid REFERENCES users ON DELETE SET NULL,
    reviewed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((scope = 'extension') = (extension_id IS NOT NULL))
);
-- One undecided request of each key.
CREATE UNIQUE INDEX limit_requests_undecided ON limit_requests (developer_id, extension_id, limit_key) NULLS NOT DISTINCT
    WHERE status IN ('open', 'in_review');
CREATE INDEX limit_requests_developer ON limit_requests (developer_id, id DESC);
CREATE INDEX limit_requests_status ON limit_requests (status, id DESC);
CREATE INDEX limit_requests_extension ON limit_requests (extension_id) WHERE extension_id IS NOT NULL;
CREATE INDEX limit_requests_requester ON limit_requests (requested_by);
CREATE INDEX limit_requests_reviewer ON limit_requests (reviewed_by);

CREATE TABLE limit_request_events (
    id uuid PRIMARY KEY,
    request_id uuid NOT NULL REFERENCES limit_requests ON DELETE CASCADE,
    event_type text NOT NULL CHECK (event_type IN ('created', 'in_review', 'approved', 'rejected', 'comment')),
    actor_id uuid REFERENCES users ON DELETE SET NULL,
    details jsonb,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX limit_request_events_timeline ON limit_request_events (request_id, id);
CREATE INDEX limit_request_events_actor ON limit_request_events (actor_id);
