//! Rows of every list that has cursors.

/// List that has cursors, with rows to walk over. In the texts, `{account}`, `{automation}`, `{endpoint}` and
/// `{extension}` are ids of the scene.
pub(super) struct Seed {
    /// Name of the operation.
    pub operation: &'static str,
    /// Table of its rows.
    pub table: &'static str,
    /// Path with a query that finds the rows alone.
    pub path: &'static str,
    /// GraphQL arguments of the same filter.
    pub arguments: &'static str,
    /// True when page and cursor stand in the argument `filter`.
    pub is_filter: bool,
    /// Another value of the filter, over REST; empty where the list has no filter.
    pub other: &'static str,
    /// Inserts rows: `$1` is the account, `$2` its owner, `$3` to `$4` the numbers of the rows. Two rows have one time,
    /// a smaller number is newer.
    pub sql: &'static str,
}

/// Every list that has cursors.
pub(super) const SEEDS: &[Seed] = &[
    Seed {
        operation: "auditLog",
        table: "audit_log",
        path: "/v1/audit-log?action=walk:made",
        arguments: "action: \"walk:made\"",
        is_filter: true,
        other: "resource_type=walk",
        sql: "INSERT INTO audit_log (id, scope, account_id, actor_type, actor_id, action, resource_type, created_at)
            SELECT gen_random_uuid(), 'account', $1, 'user', $2, 'walk:made', 'walk', now() - (n / 2) * interval '1 second'
            FROM generate_series($3, $4) AS n",
    },
    Seed {
        operation: "adminAudit",
        table: "audit_log",
        path: "/v1/admin/audit?action=walk:staff&scope=system",
        arguments: "action: \"walk:staff\", scope: SYSTEM",
        is_filter: true,
        other: "from=2020-01-01T00:00:00Z",
        sql: "INSERT INTO audit_log (id, scope, actor_type, actor_id, action, resource_type, created_at)
            SELECT gen_random_uuid(), 'system', 'user', $2, 'walk:staff', 'walk', now() - (n / 2) * interval '1 second'
            FROM generate_series($3, $4) AS n WHERE $1 IS NOT NULL",
    },
    Seed {
        operation: "events",
        table: "events",
        path: "/v1/events?types=custom:walk",
        arguments: "types: [\"custom:walk\"]",
        is_filter: true,
        other: "from=2020-01-01T00:00:00Z",
        sql: "INSERT INTO events (id, account_id, event_type, platform_event_id, occurred_at)
            SELECT gen_random_uuid(), $1, 'custom:walk', 'walk-' || n, now() - (n / 2) * interval '1 second'
            FROM generate_series($3, $4) AS n WHERE $2 IS NOT NULL",
    },
    Seed {
        operation: "moderationLog",
        table: "moderation_log",
        path: "/v1/chat/moderation-log?",
        arguments: "",
        is_filter: false,
        other: "",
        sql: "INSERT INTO moderation_log
                (id, account_id, platform, action, target, moderator_type, moderator_id, created_at)
            SELECT gen_random_uuid(), $1, 'twitch', 'ban', 'u', 'user', $2, now() - (n / 2) * interval '1 second'
            FROM generate_series($3, $4) AS n",
    },
    Seed {
        operation: "polls",
        table: "polls",
        path: "/v1/chat/polls?",
        arguments: "",
        is_filter: false,
        other: "",
        sql: "INSERT INTO polls
                (id, account_id, platform, platform_poll_id, title, choices, status, started_at, ends_at)
            SELECT gen_random_uuid(), $1, 'twitch', 'walk-' || n, 't', '[]', 'active',
                now() - (n / 2) * interval '1 second', now()
            FROM generate_series($3, $4) AS n WHERE $2 IS NOT NULL",
    },
    Seed {
        operation: "predictions",
        table: "predictions",
        path: "/v1/chat/predictions?",
        arguments: "",
        is_filter: false,
        other: "",
        sql: "INSERT INTO predictions
                (id, account_id, platform, platform_prediction_id, title, outcomes, status, started_at, locks_at)
            SELECT gen_random_uuid(), $1, 'twitch', 'walk-' || n, 't', '[]', 'active',
                now() - (n / 2) * interval '1 second', now()
            FROM generate_series($3, $4) AS n WHERE $2 IS NOT NULL",
    },
    Seed {
        operation: "automationRuns",
        table: "automation_runs",
        path: "/v1/automations/{automation}/runs?status=succeeded",
        arguments: "id: \"{automation}\", status: SUCCEEDED",
        is_filter: false,
        other: "status=failed",
        sql: "INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, dedupe_key, created_at)
            SELECT gen_random_uuid(), $1, id, 'succeeded', '{}', 'walk-' || n, now() - (n / 2) * interval '1 second'
            FROM automations CROSS JOIN generate_series($3, $4) AS n WHERE account_id = $1 AND $2 IS NOT NULL",
    },
    Seed {
        operation: "webhookDeliveries",
        table: "webhook_deliveries",
        path: "/v1/webhook-endpoints/{endpoint}/deliveries?event_type=custom:walk",
        arguments: "endpointId: \"{endpoint}\", eventType: \"custom:walk\"",
        is_filter: false,
        other: "status=failed",
        sql: "INSERT INTO webhook_deliveries
                (id, account_id, endpoint_id, event_id, event_type, occurred_at, status, expires_at, created_at)
            SELECT gen_random_uuid(), $1, id, gen_random_uuid(), 'custom:walk', now(), 'delivered', now(),
                now() - (n / 2) * interval '1 second'
            FROM webhook_endpoints CROSS JOIN generate_series($3, $4) AS n
            WHERE account_id = $1 AND $2 IS NOT NULL",
    },
    Seed {
        operation: "streamHistory",
        table: "stream_sessions",
        path: "/v1/history?platform=kick",
        arguments: "platform: \"kick\"",
        is_filter: true,
        other: "platform=twitch",
        sql: "INSERT INTO stream_sessions
                (id, account_id, session_type, platforms, started_at, ended_at, minutes_from)
            SELECT gen_random_uuid(), $1, 'single', '{kick}', now() - (n / 2) * interval '1 hour',
                now() - (n / 2) * interval '1 hour' + interval '1 minute', now() - n * interval '1 hour'
            FROM generate_series($3, $4) AS n WHERE $2 IS NOT NULL",
    },
    Seed {
        operation: "extensionReviews",
        table: "extension_reviews",
        path: "/v1/extensions/{extension}/reviews?",
        arguments: "id: \"{extension}\"",
        is_filter: false,
        other: "",
        sql: "WITH authors AS (
                INSERT INTO users (id, display_name, username)
                SELECT gen_random_uuid(), 'Walker', 'walker-' || n FROM generate_series($3, $4) AS n RETURNING id, username)
            INSERT INTO extension_reviews (id, extension_id, user_id, rating, title, body, created_at)
            SELECT gen_random_uuid(), extensions.id, authors.id, 5, '', '',
                now() - (split_part(authors.username, 'walker-', 2)::int / 2) * interval '1 second'
            FROM authors, extensions WHERE extensions.name = 'Walked' AND $1 IS NOT NULL AND $2 IS NOT NULL",
    },
    Seed {
        operation: "adminCspReports",
        table: "csp_reports",
        path: "/v1/admin/csp-reports?directive=walk-src",
        arguments: "directive: \"walk-src\"",
        is_filter: false,
        other: "directive=script-src",
        sql: "INSERT INTO csp_reports (id, document_uri, blocked_uri, violated_directive, received_at)
            SELECT gen_random_uuid(), 'https://a.example/', 'inline', 'walk-src', now() - (n / 2) * interval '1 second'
            FROM generate_series($3, $4) AS n WHERE $1 IS NOT NULL AND $2 IS NOT NULL",
    },
    Seed {
        operation: "adminSupportTickets",
        table: "support_tickets",
        path: "/v1/admin/support/tickets?status=open",
        arguments: "status: OPEN",
        is_filter: false,
        other: "status=closed",
        sql: "INSERT INTO support_tickets (id, user_id, account_id, subject, body, status, created_at)
            SELECT gen_random_uuid(), $2, $1, 's', 'b', 'open', now() - (n / 2) * interval '1 second'
            FROM generate_series($3, $4) AS n",
    },
];
