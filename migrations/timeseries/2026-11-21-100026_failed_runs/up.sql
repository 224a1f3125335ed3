-- Failed invocations, whole enough to be run again, for seven days.

SELECT timeseries_create('extension_failed_runs', $$
    -- That of the row in extension_errors.
    id uuid NOT NULL,
    extension_id uuid NOT NULL,
    install_id uuid NOT NULL,
    account_id uuid NOT NULL,
    version_id uuid NOT NULL,
    handler text NOT NULL,
    -- Who set it off, where a platform says so.
    platform text,
    platform_user_id text,
    -- Input, answers of the host, clock and seed as JSON; text, because JSON may hold NUL and jsonb may not.
    run text NOT NULL,
    failed_at timestamptz NOT NULL,
    PRIMARY KEY (id, failed_at)
$$, 'failed_at', interval '1 day', interval '7 days');
CREATE INDEX extension_failed_runs_account ON extension_failed_runs (account_id);
CREATE INDEX extension_failed_runs_user ON extension_failed_runs (platform, platform_user_id)
    WHERE platform_user_id IS NOT NULL;
