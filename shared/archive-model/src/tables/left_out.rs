//! Tables whose rows are not in the archive.

use super::Table;

const OPERATORS: &str = "a decision of the operators of one deployment; those of the next one decide anew";
const PERSONAL: &str = "it belongs to a person and not to the account";
const OF_DEVELOPERS: &str = "it is between developers of one deployment and the account";
const PRESENT: &str = "present state, which the daemons read anew";
const REPETITION: &str = "it keeps work from being repeated for some days";
const WORK: &str = "rows of the last days that reports were made of";
const LOGS: &str = "logs and statistics of handlers, for the developers of the extension";
const MEASURED: &str = "use of one deployment, as it measured it";

/// The tables.
pub(super) const TABLES: &[Table] = &[
    Table::left_out("account_archives", "archives contain no archives"),
    Table::left_out("account_feature_overrides", OPERATORS),
    Table::left_out("account_limits", OPERATORS),
    Table::left_out("account_permission_overrides", OPERATORS),
    Table::left_out("subscriptions", OPERATORS),
    Table::left_out("bot_pauses", OPERATORS),
    Table::left_out("idempotent_requests", "answers of one deployment in the last 24 hours"),
    Table::left_out("usage_hours", MEASURED),
    Table::left_out("usage_storage", MEASURED),
    Table::left_out("usage_marks", MEASURED),
    Table::left_out(
        "public_channel_settings",
        "a statement about a channel, which only a sign-in of this deployment proves",
    ),
    Table::left_out("support_tickets", "a conversation of a person with the operators of one deployment"),
    Table::left_out("user_api_keys", PERSONAL),
    Table::left_out("login_assignments", PERSONAL),
    Table::left_out("copyright_votes", PERSONAL),
    Table::left_out("extension_access_grants", OF_DEVELOPERS),
    Table::left_out("extension_feedback", OF_DEVELOPERS),
    Table::left_out("channel_statuses", PRESENT),
    Table::left_out("connection_events", PRESENT),
    Table::left_out("connection_readers", PRESENT),
    Table::left_out("youtube_broadcasts", PRESENT),
    Table::left_out("webhook_subscriptions", "subscriptions of one deployment at the platforms"),
    Table::left_out("token_revocations", "tokens that one deployment still has to revoke"),
    Table::left_out("platform_quota_shares", "quotas of the applications of one deployment"),
    Table::left_out("music_alerts", REPETITION),
    Table::left_out("bot_command_replies", REPETITION),
    Table::left_out("extension_actions", REPETITION),
    Table::left_out("reward_redemptions", REPETITION),
    Table::left_out("stream_transitions", WORK),
    Table::left_out("stream_lines", WORK).over_time(),
    Table::left_out("stream_minute_marks", WORK).over_time(),
    Table::left_out("stream_removals", WORK).over_time(),
    Table::left_out("extension_errors", LOGS).over_time(),
    Table::left_out("extension_failed_runs", LOGS).over_time(),
    Table::left_out("extension_invocations", LOGS).over_time(),
    Table::left_out("extension_logs", LOGS).over_time(),
    Table::derived("account_usage", "the import counts what it has written"),
    Table::derived("audit_chains", "the import begins the chain where the links end"),
];
