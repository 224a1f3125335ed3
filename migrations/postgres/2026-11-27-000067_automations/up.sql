-- Graphs, runs and steps of automations (reference/automations.md#automations).

-- Number of automations that an account may have; the seeds of new deployments name it too.
ALTER TABLE plans ADD COLUMN max_automations bigint NOT NULL DEFAULT 5 CHECK (max_automations >= 0);
UPDATE plans SET max_automations = 50 WHERE slug = 'pro';
UPDATE plans SET max_automations = 200 WHERE slug = 'enterprise';

ALTER TABLE automations ADD COLUMN next_run_at timestamptz;
-- Automations whose schedule is due.
CREATE INDEX automations_due ON automations (next_run_at) WHERE enabled AND next_run_at IS NOT NULL;
CREATE INDEX automations_list ON automations (account_id, created_at, id);

CREATE TABLE automation_nodes (
    account_id uuid NOT NULL,
    automation_id uuid NOT NULL,
    -- Chosen by the client.
    id uuid NOT NULL,
    node_type text NOT NULL CHECK (length(node_type) BETWEEN 1 AND 100),
    label text CHECK (length(label) BETWEEN 1 AND 100),
    config jsonb NOT NULL DEFAULT '{}',
    x double precision NOT NULL DEFAULT 0,
    y double precision NOT NULL DEFAULT 0,
    -- Not a foreign key: a node outlives its install, and is then a problem of the graph.
    install_id uuid,
    -- Order in the list of nodes.
    position integer NOT NULL,
    PRIMARY KEY (automation_id, id),
    FOREIGN KEY (account_id, automation_id) REFERENCES automations (account_id, id) ON DELETE CASCADE
);
CREATE INDEX automation_nodes_account ON automation_nodes (account_id, automation_id);

CREATE TABLE automation_edges (
    account_id uuid NOT NULL,
    automation_id uuid NOT NULL,
    id uuid NOT NULL,
    source_node_id uuid NOT NULL,
    source_handle text NOT NULL CHECK (length(source_handle) BETWEEN 1 AND 32),
    target_node_id uuid NOT NULL,
    -- Order in the list of edges, in which a run follows them.
    position integer NOT NULL,
    PRIMARY KEY (automation_id, id),
    FOREIGN KEY (account_id, automation_id) REFERENCES automations (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (automation_id, source_node_id) REFERENCES automation_nodes (automation_id, id) ON DELETE CASCADE,
    FOREIGN KEY (automation_id, target_node_id) REFERENCES automation_nodes (automation_id, id) ON DELETE CASCADE
);
CREATE INDEX automation_edges_account ON automation_edges (account_id, automation_id);
CREATE INDEX automation_edges_source ON automation_edges (automation_id, source_node_id);
CREATE INDEX automation_edges_target ON automation_edges (automation_id, target_node_id);

ALTER TABLE automation_runs
    -- Number of runs that led to this one.
    ADD COLUMN depth smallint NOT NULL DEFAULT 0,
    -- Graph that the run executes, from its begin to its end.
    ADD COLUMN graph jsonb,
    -- Values for templates, until the end of the run.
    ADD COLUMN context jsonb NOT NULL DEFAULT '{}',
    -- End of a delay.
    ADD COLUMN wake_at timestamptz,
    -- Time of the run without its delays.
    ADD COLUMN busy_ms bigint NOT NULL DEFAULT 0,
    ADD COLUMN cancel_requested_at timestamptz,
    ADD COLUMN lease_until timestamptz,
    ADD COLUMN lease_owner uuid,
    ADD COLUMN is_test boolean NOT NULL DEFAULT false,
    ADD COLUMN parent_run_id uuid,
    ADD CONSTRAINT automation_runs_tenant UNIQUE (account_id, id);
CREATE INDEX automation_runs_queued ON automation_runs (account_id, created_at) WHERE status = 'queued';
CREATE INDEX automation_runs_running ON automation_runs (account_id) WHERE status = 'running';
CREATE INDEX automation_runs_wakes ON automation_runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX automation_runs_leases ON automation_runs (lease_until) WHERE lease_until IS NOT NULL;
-- Delayed runs that were cancelled.
CREATE INDEX automation_runs_cancelled ON automation_runs (id)
    WHERE wake_at IS NOT NULL AND cancel_requested_at IS NOT NULL;

CREATE TABLE automation_steps (
    account_id uuid NOT NULL,
    run_id uuid NOT NULL,
    position integer NOT NULL,
    node_id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('running', 'succeeded', 'failed', 'unknown', 'cancelled')),
    -- Excerpts for readers.
    input jsonb NOT NULL,
    output jsonb,
    -- Whole result for templates, until the end of the run.
    result jsonb,
    branch text,
    error text,
    started_at timestamptz NOT NULL DEFAULT now(),
    duration_ms bigint,
    -- Claim of the API on an effect with platform credentials, and its outcome: an effect happens at most once.
    claimed_at timestamptz,
    answer jsonb,
    PRIMARY KEY (run_id, position),
    FOREIGN KEY (account_id, run_id) REFERENCES automation_runs (account_id, id) ON DELETE CASCADE
);
CREATE INDEX automation_steps_account ON automation_steps (account_id, run_id);

-- Automations moderate, and are named by it.
ALTER TABLE moderation_log
    DROP CONSTRAINT moderation_log_moderator_type_check,
    ADD CONSTRAINT moderation_log_moderator_type_check
        CHECK (moderator_type IN ('user', 'service_key', 'extension', 'automation', 'system'));
ALTER TABLE audit_log
    DROP CONSTRAINT audit_log_actor_type_check,
    ADD CONSTRAINT audit_log_actor_type_check
        CHECK (actor_type IN ('user', 'service_key', 'system', 'extension', 'automation'));
