-- Automations, their triggers, and their runs (reference/automations.md#registrations).

CREATE TABLE automations (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    description text,
    enabled boolean NOT NULL DEFAULT false,
    trigger_types text[] NOT NULL DEFAULT '{}',
    -- Grows with every change of the graph: the optimistic lock.
    version integer NOT NULL DEFAULT 1,
    last_run_at timestamptz,
    run_count bigint NOT NULL DEFAULT 0,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id)
);
CREATE INDEX automations_created_by ON automations (created_by);

-- One row for each trigger node of an extension. It outlives the node, so that a node that is added again
-- finds its secret.
CREATE TABLE automation_trigger_registrations (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    automation_id uuid NOT NULL,
    -- Id that the client gave to the node.
    node_id uuid NOT NULL,
    install_id uuid NOT NULL REFERENCES extension_installs ON DELETE CASCADE,
    mode text NOT NULL CHECK (mode IN ('webhook', 'polling', 'both')),
    poll_interval_seconds integer NOT NULL DEFAULT 30 CHECK (poll_interval_seconds BETWEEN 10 AND 300),
    config jsonb NOT NULL DEFAULT '{}',
    -- State that the handler keeps between polls.
    state jsonb NOT NULL DEFAULT 'null',
    enabled boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (automation_id, node_id),
    FOREIGN KEY (account_id, automation_id) REFERENCES automations (account_id, id) ON DELETE CASCADE
);
CREATE INDEX automation_trigger_registrations_automation ON automation_trigger_registrations (account_id, automation_id);
CREATE INDEX automation_trigger_registrations_install ON automation_trigger_registrations (install_id, automation_id);
CREATE INDEX automation_trigger_registrations_polls ON automation_trigger_registrations (id)
    WHERE enabled AND mode IN ('polling', 'both');

CREATE TABLE automation_runs (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    automation_id uuid NOT NULL,
    status text NOT NULL DEFAULT 'queued'
        CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'skipped')),
    trigger jsonb NOT NULL,
    -- Starts of the same cause are one run.
    dedupe_key text NOT NULL,
    error text,
    started_at timestamptz,
    finished_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (automation_id, dedupe_key),
    FOREIGN KEY (account_id, automation_id) REFERENCES automations (account_id, id) ON DELETE CASCADE
);
CREATE INDEX automation_runs_automation ON automation_runs (account_id, automation_id, created_at DESC);
