-- Failed invocations, complete enough to be run again, for seven days.

SELECT timeseries_create('extension_failed_runs', $$
    -- Id of the row in extension_errors.
    id uuid NOT NULL,
    extension_id uuid NOT NULL,
    install_id uuid NOT NULL,
    account_id uuid NOT NULL,
    version_id uuid NOT NULL,
    handler text NOT NULL,
    -- Person who triggered it, where a platform reports one.
    platform text,
    platform_user_id text,
    -- Input, replies of the host, clock and seed as JSON. The type is text, because JSON may hold NUL and
    -- jsonb may not.
    run text NOT NULL,
    failed_at timestamptz NOT NULL,
    PRIMARY KEY (id, failed_at)
$$, 'failed_at', interval '1 day', interval '7 days');
CREATE INDEX extension_failed_runs_account ON extension_failed_runs (account_id);
CREATE INDEX extension_failed_runs_user ON extension_failed_runs (platform, platform_user_id)
    WHERE platform_user_id IS NOT NULL;
