-- Notifications of people, mails, and reports (reference/notifications.md#notification).

CREATE TABLE notifications (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    notification_type text NOT NULL,
    title text NOT NULL,
    message text NOT NULL,
    data jsonb NOT NULL DEFAULT '{}',
    -- `[ { key, label } ]`; emptied after one of them was run.
    actions jsonb NOT NULL DEFAULT '[]',
    read_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notifications_list ON notifications (user_id, id DESC);
CREATE INDEX notifications_unread ON notifications (user_id, id DESC) WHERE read_at IS NULL;
CREATE INDEX notifications_created ON notifications (created_at);
CREATE INDEX notifications_invite ON notifications ((data ->> 'inviteId')) WHERE notification_type = 'invite';

-- Only deviations from a type's default.
CREATE TABLE notification_preferences (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    notification_type text NOT NULL,
    channel text NOT NULL CHECK (channel IN ('off', 'in_app', 'email', 'in_app_email')),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, notification_type)
);

-- Mails that wait to be sent. A row is deleted once the mail is sent.
CREATE TABLE mails (
    id uuid PRIMARY KEY,
    -- A person's address is read when the mail is sent. `address` is for people who are no users yet.
    user_id uuid REFERENCES users ON DELETE CASCADE,
    address text,
    template jsonb NOT NULL,
    -- End of the claim of the process that sends the mail.
    claimed_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((user_id IS NULL) <> (address IS NULL))
);
CREATE INDEX mails_user ON mails (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX mails_created ON mails (created_at);

-- Reports of browsers about the content security policy (reference/administration.md#csp-reports).
CREATE TABLE csp_reports (
    id uuid PRIMARY KEY,
    document_uri text NOT NULL,
    blocked_uri text NOT NULL,
    violated_directive text NOT NULL,
    disposition text,
    source_file text,
    line_number integer,
    column_number integer,
    status_code integer,
    user_agent text,
    received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX csp_reports_received ON csp_reports (received_at DESC, id DESC);

CREATE TABLE support_tickets (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    account_id uuid REFERENCES accounts ON DELETE SET NULL,
    subject text NOT NULL,
    body text NOT NULL,
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'pending', 'closed')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX support_tickets_list ON support_tickets (created_at DESC, id DESC);
CREATE INDEX support_tickets_status ON support_tickets (status, created_at DESC, id DESC);
CREATE INDEX support_tickets_user ON support_tickets (user_id, created_at);
CREATE INDEX support_tickets_account ON support_tickets (account_id) WHERE account_id IS NOT NULL;

-- Claims on the refresh of tokens, and the time before which a failed refresh is not repeated. The id is one
-- of channel_connections, bot_connections or login_connections.
CREATE TABLE token_refreshes (
    connection_id uuid PRIMARY KEY,
    claim uuid,
    claimed_until timestamptz,
    failures integer NOT NULL DEFAULT 0,
    retry_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX token_refreshes_updated ON token_refreshes (updated_at);
