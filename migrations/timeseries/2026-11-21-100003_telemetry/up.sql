-- Logs, errors and statistics of extension handlers (reference/telemetry.md#extension-logs).

SELECT timeseries_create('extension_errors', $$
    id uuid NOT NULL,
    extension_id uuid NOT NULL,
    install_id uuid NOT NULL,
    account_id uuid NOT NULL,
    handler text NOT NULL,
    error_type text NOT NULL,
    message text NOT NULL,
    stack_trace text,
    occurred_at timestamptz NOT NULL,
    PRIMARY KEY (id, occurred_at)
$$, 'occurred_at', interval '7 days', interval '90 days');
CREATE INDEX extension_errors_extension ON extension_errors (extension_id, occurred_at DESC, id DESC);

SELECT timeseries_create('extension_logs', $$
    id uuid NOT NULL,
    extension_id uuid NOT NULL,
    install_id uuid NOT NULL,
    account_id uuid NOT NULL,
    level text NOT NULL,
    message text NOT NULL,
    trigger_type text,
    execution_ms integer,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (id, created_at)
$$, 'created_at', interval '7 days', interval '30 days');
CREATE INDEX extension_logs_install ON extension_logs (install_id, created_at DESC, id DESC);

-- One row per batch of a worker, install, handler and minute. duration_hist counts invocations by duration
-- class (fixed log scale); sums over rows give the percentiles.
SELECT timeseries_create('extension_invocations', $$
    id uuid NOT NULL,
    extension_id uuid NOT NULL,
    install_id uuid NOT NULL,
    account_id uuid NOT NULL,
    handler text NOT NULL,
    bucket_minute timestamptz NOT NULL,
    count bigint NOT NULL,
    errors bigint NOT NULL,
    duration_ms_sum double precision NOT NULL,
    duration_hist bigint[] NOT NULL,
    PRIMARY KEY (id, bucket_minute)
$$, 'bucket_minute', interval '7 days', interval '180 days');
CREATE INDEX extension_invocations_extension ON extension_invocations (extension_id, bucket_minute DESC);
