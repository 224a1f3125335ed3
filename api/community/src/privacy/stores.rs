//! Tables with data about people who chat (reference/privacy.md#databases). A new table that names such
//! people must be added to this list: a test searches for tables that have such a column and no entry here.

use history_model::report::{
    REPORT_NAMES_CHATTER, REPORT_WITHOUT_CHATTER, STREAM_NAMES_CHATTER, STREAM_WITHOUT_CHATTER,
};

/// Database of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// PostgreSQL.
    Primary,
    /// TimescaleDB.
    TimeSeries,
}

/// Search for the rows of a person, and their treatment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Index over all accounts at once.
    Everywhere,
    /// Index that begins with the account.
    ByAccount,
    /// Scan of every row, page by page, for the person's id anywhere in this JSON column.
    Inside(&'static str),
    /// Scan of every automation run and every step of one, page by page. A run that names the person is deleted,
    /// and its steps with it.
    Runs,
    /// Same scan, but the row stays and only this JSON column is emptied.
    Emptied(&'static str),
    /// Same scan over stored answers: the row stays, and these JSON columns become null. A false match does no harm.
    Nulled(&'static [&'static str]),
    /// Index; the row stays and gets these assignments, after which it is no longer about the person.
    Rewritten(&'static str),
    /// Scan of every row, page by page, for the person's id in these text columns, after all other data
    /// was erased. The row stays and the id is replaced.
    Cleared(&'static [&'static str]),
}

/// Table with rows about people who chat.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Name of the table.
    pub name: &'static str,
    /// Database of the table.
    pub place: Store,
    /// Search for the rows.
    pub search: Search,
    /// Condition for a row about the person: `$1` is the platform, `$2` the platform's id of the person.
    pub condition: &'static str,
    /// True when rows belong to accounts.
    pub has_account: bool,
    /// True when a worker may hold rows that it read before and writes after the first pass.
    pub is_written_late: bool,
}

/// Usual condition.
const OF_USER: &str = "platform = $1 AND platform_user_id = $2";

impl Table {
    const fn primary(name: &'static str, condition: &'static str) -> Self {
        let (place, search) = (Store::Primary, Search::Everywhere);
        Self { name, place, search, condition, has_account: true, is_written_late: false }
    }

    const fn timeseries(name: &'static str, condition: &'static str) -> Self {
        Self { place: Store::TimeSeries, ..Self::primary(name, condition) }
    }

    const fn written_late(self) -> Self {
        Self { is_written_late: true, ..self }
    }
}

/// Every such table, in the order of the erasure. Messages are first, because the result contains their
/// number.
pub static TABLES: &[Table] = &[
    Table { search: Search::ByAccount, ..Table::timeseries(MESSAGES, OF_USER).written_late() },
    Table::timeseries("events", OF_USER).written_late(),
    // Gifts of others to the person, and gifts of the person to others.
    Table::timeseries(
        "events",
        "platform = $1 AND data ? 'recipient_user_id' AND data ->> 'recipient_user_id' = $2",
    )
    .written_late(),
    Table::timeseries(
        "events",
        "platform = $1 AND data ? 'gifter_user_id' AND data ->> 'gifter_user_id' = $2",
    )
    .written_late(),
    Table::timeseries("platform_users", OF_USER).written_late(),
    Table::timeseries("platform_user_profiles", OF_USER),
    Table::timeseries("extension_failed_runs", OF_USER),
    // People that a sealed run names in any role; `*` stands for everybody. A run of one platform may name
    // people of another.
    Table::timeseries("extension_failed_runs", "$1 <> '' AND person_ids && ARRAY[$2, '*']").written_late(),
    Table::primary("user_notes", OF_USER),
    // The target of a deletion is a message; the details about its author are removed. A refused attempt has
    // no platform where the moderator named none.
    Table::primary(
        "moderation_log",
        "(platform IS NULL OR platform = $1) AND target = $2 AND action <> 'delete'",
    ),
    Table {
        search: Search::Rewritten("author_id = NULL, reason = NULL, details = NULL"),
        ..Table::primary("moderation_log", "(platform IS NULL OR platform = $1) AND author_id = $2")
            .written_late()
    },
    Table::primary("extension_values", "scope = 'user' AND owner = $1 || ':' || $2"),
    Table::primary("extension_usage", "scope = 'user' AND owner = $1 || ':' || $2"),
    // The row of a delivery stays, so that a delivery that the platform repeats is not handled again. A
    // waiting one may be the message of another person. It is emptied after it was handled, or when no
    // further job will handle it.
    Table {
        search: Search::Emptied("body"),
        has_account: false,
        ..Table::primary(
            "webhook_inbox",
            "platform = $1 AND (handled_at IS NOT NULL OR received_at < now() - interval '12 hours')",
        )
        .written_late()
    },
    // Events and jobs about the person that wait to be published or run.
    Table {
        search: Search::Inside("payload"),
        has_account: false,
        ..Table::primary(
            "outbox",
            "jsonb_path_exists(payload, '$.**.platform ? (@ == $of)', jsonb_build_object('of', $1::text))",
        )
        .written_late()
    },
    // The audit log still states who did which action and when, but no longer the person it concerned.
    Table {
        search: Search::Rewritten(OUT_OF_THE_TRAIL),
        ..Table::primary(
            "audit_log",
            "resource_type IN ('chat_user', 'raid') AND resource_id = $2 \
             AND coalesce(metadata ->> 'platform', $1) = $1",
        )
        .written_late()
    },
    Table {
        search: Search::Rewritten(OUT_OF_THE_TRAIL),
        ..Table::primary(
            "audit_log",
            "resource_type = 'chat_message' AND metadata ->> 'author_id' = $2 \
             AND coalesce(metadata ->> 'platform', $1) = $1",
        )
        .written_late()
    },
    // The people with the most lines, in reports of sessions and in public streams. Everything else in them is a
    // count.
    Table {
        search: Search::Rewritten(REPORT_WITHOUT_CHATTER),
        ..Table::primary("stream_sessions", REPORT_NAMES_CHATTER).written_late()
    },
    Table {
        search: Search::Rewritten(STREAM_WITHOUT_CHATTER),
        has_account: false,
        ..Table::primary(PUBLIC_STREAMS, STREAM_NAMES_CHATTER).written_late()
    },
    // Answers to requests with an `Idempotency-Key`. The row stays, so that a repeated request has no second effect; its
    // answer is not repeatable any more.
    Table {
        search: Search::Nulled(&["answer", "headers"]),
        ..Table::primary("idempotent_requests", "$1 <> ''").written_late()
    },
    // Answers about notes do not name the person whom they are about: all of them are emptied.
    Table {
        search: Search::Rewritten("answer = NULL, headers = NULL"),
        has_account: false,
        ..Table::primary(
            "idempotent_requests",
            "operation = 'createUserNote' AND answer IS NOT NULL AND $1 <> '' AND $2 <> ''",
        )
        .written_late()
    },
    // A run may name the person in its trigger, in values for templates, or in a step only, for example in the
    // answer to a request.
    Table { search: Search::Runs, ..Table::primary("automation_runs", "true").written_late() },
    // Answers of receivers, which may repeat what was sent. Deliveries have no payload.
    Table { search: Search::Cleared(&["response_excerpt"]), ..Table::primary("webhook_deliveries", "") },
    // Logs of handlers. They are about the extension, and its developer needs them without the person too.
    // They may be larger than all other tables together, so they are last.
    Table {
        search: Search::Cleared(&["message", "stack_trace"]),
        ..Table::timeseries("extension_errors", "")
    },
    Table { search: Search::Cleared(&["message"]), ..Table::timeseries("extension_logs", "") },
];

/// Assignments that remove a person from an entry of the audit log. The trigger that protects the audit log
/// allows exactly these.
pub(super) const OUT_OF_THE_TRAIL: &str =
    "resource_id = 'erased', metadata = metadata - '{target,reason,details,author_id}'::text[]";

/// Table whose rows are counted as messages.
pub const MESSAGES: &str = "chat_messages";
/// Table whose rows are in kept answers of every process.
pub const PUBLIC_STREAMS: &str = "public_streams";
