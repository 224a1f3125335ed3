//! Where somebody who chats leaves traces in the databases. A table that is new and names such people belongs into this
//! list: a test looks for tables that have their column and no line here.

/// Which database a table is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Primary,
    TimeSeries,
}

/// How the rows of a person are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// By an index, in all accounts at once.
    Everywhere,
    /// By an index that begins with the account.
    ByAccount,
    /// By reading every row, a page after the other, for the person's id anywhere in this JSON.
    Inside(&'static str),
    /// The same, but the row stays and only this JSON of it is emptied.
    Emptied(&'static str),
    /// By an index, and the row stays: this is set in it, after which it is no longer about the person.
    Rewritten(&'static str),
    /// By reading every row, a page after the other, for the person's id in these texts, after everything else was erased.
    /// The row stays and the id is taken out of them.
    Cleared(&'static [&'static str]),
}

/// A table with rows about people who chat.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    pub name: &'static str,
    pub place: Place,
    pub search: Search,
    /// Whether a row is about the person: `$1` is the platform, `$2` the platform's id of the person.
    pub condition: &'static str,
    /// Whether rows belong to accounts.
    pub has_account: bool,
    /// Whether a worker may still hold rows that it read before and writes after.
    pub is_written_late: bool,
}

/// The usual condition.
const OF_USER: &str = "platform = $1 AND platform_user_id = $2";

impl Table {
    const fn primary(name: &'static str, condition: &'static str) -> Self {
        let (place, search) = (Place::Primary, Search::Everywhere);
        Self { name, place, search, condition, has_account: true, is_written_late: false }
    }

    const fn timeseries(name: &'static str, condition: &'static str) -> Self {
        Self { place: Place::TimeSeries, ..Self::primary(name, condition) }
    }

    const fn written_late(self) -> Self {
        Self { is_written_late: true, ..self }
    }
}

/// Every such table, in the order of erasing. Messages first: what is counted of them is in the answer.
pub static TABLES: &[Table] = &[
    Table { search: Search::ByAccount, ..Table::timeseries(MESSAGES, OF_USER).written_late() },
    Table::timeseries("events", OF_USER).written_late(),
    // What others gave to the person, and what others got from them.
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
    // Whom a sealed run names, as whoever; `*` is everybody. What set it off may be of one platform and name people of
    // another.
    Table::timeseries("extension_failed_runs", "$1 <> '' AND person_ids && ARRAY[$2, '*']").written_late(),
    Table::primary("user_notes", OF_USER),
    // The target of a deletion is a message; what was said about its author goes. An attempt that was refused has no
    // platform where the moderator named none.
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
    // A row of a delivery keeps the platform from having it handled again. One that waits may be somebody else's line;
    // it is emptied once it was handled, or once nothing gives it another job.
    Table {
        search: Search::Emptied("body"),
        has_account: false,
        ..Table::primary(
            "webhook_inbox",
            "platform = $1 AND (handled_at IS NOT NULL OR received_at < now() - interval '12 hours')",
        )
        .written_late()
    },
    // What is to be told of them, and jobs about them, until they have ended.
    Table {
        search: Search::Inside("payload"),
        has_account: false,
        ..Table::primary(
            "outbox",
            "jsonb_path_exists(payload, '$.**.platform ? (@ == $of)', jsonb_build_object('of', $1::text))",
        )
        .written_late()
    },
    // The trail still says who did what and when, but no longer to whom.
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
    Table {
        search: Search::Inside("trigger"),
        ..Table::primary("automation_runs", "$1 <> ''").written_late()
    },
    // What handlers wrote. It is about the extension, and its developer needs it without the person as well. There
    // may be more of it than of everything else together, so it comes last.
    Table {
        search: Search::Cleared(&["message", "stack_trace"]),
        ..Table::timeseries("extension_errors", "")
    },
    Table { search: Search::Cleared(&["message"]), ..Table::timeseries("extension_logs", "") },
];

/// What takes a person out of an entry of the trail. The trigger that keeps the trail as it is allows this and no more.
pub(super) const OUT_OF_THE_TRAIL: &str =
    "resource_id = 'erased', metadata = metadata - '{target,reason,details,author_id}'::text[]";

/// The table whose rows are counted as messages.
pub const MESSAGES: &str = "chat_messages";
