//! Columns that hold sealed values, which a rotation of the key has to visit. A test compares the list with
//! the schema, so that a new column of bytes is either here or among the hashes.

/// A column of sealed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encrypted {
    /// Table in SQL.
    pub table: &'static str,
    /// Column in SQL.
    pub column: &'static str,
    /// Name of a row when it is sealed.
    pub row: Row,
    /// Form of the values.
    pub form: Form,
    /// Database that has the table.
    pub home: Home,
}

/// Database of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// The PostgreSQL database.
    Primary,
    /// The TimescaleDB database.
    TimeSeries,
}

/// Form of sealed values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The column is one sealed value.
    Bytes,
    /// The column is the configuration of an install, in which secret settings are sealed each by itself.
    Settings,
}

/// Name of the row of a sealed value in its [`foundation::crypto::SecretLocation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// The column `id`, a UUID.
    Id,
    /// An expression over the columns of the primary key that gives a text.
    Expression(&'static str),
}

const fn by_id(table: &'static str, column: &'static str) -> Encrypted {
    Encrypted { table, column, row: Row::Id, form: Form::Bytes, home: Home::Primary }
}

/// Every column of sealed values.
pub const ENCRYPTED: &[Encrypted] = &[
    by_id("app_credentials", "client_secret"),
    by_id("automation_trigger_registrations", "webhook_secret"),
    by_id("bot_connections", "access_token"),
    by_id("bot_connections", "refresh_token"),
    by_id("channel_connections", "access_token"),
    by_id("channel_connections", "refresh_token"),
    Encrypted { row: Row::Expression("developer_id::text"), ..by_id("developer_payout_settings", "details") },
    Encrypted { row: Row::Expression("team_id::text"), ..by_id("developer_team_payout_settings", "details") },
    by_id("developer_verifications", "details"),
    Encrypted { home: Home::TimeSeries, ..by_id("extension_failed_runs", "run") },
    Encrypted { form: Form::Settings, ..by_id("extension_installs", "config") },
    Encrypted {
        row: Row::Expression("extension_id::text || '/' || key"),
        ..by_id("extension_secrets", "value")
    },
    by_id("idempotent_requests", "sealed_answer"),
    by_id("login_connections", "access_token"),
    by_id("login_connections", "refresh_token"),
    Encrypted { row: Row::Expression("account_id::text"), ..by_id("obs_configs", "password") },
    by_id("overlays", "token"),
    Encrypted { row: Row::Expression("account_id::text || '/' || platform"), ..by_id("se_tokens", "token") },
    by_id("system_connections", "client_secret"),
    by_id("token_revocations", "access_token"),
    by_id("token_revocations", "client_secret"),
    by_id("token_revocations", "refresh_token"),
    by_id("unconfirmed_logins", "access_token"),
    by_id("webhook_endpoints", "previous_secret"),
    by_id("webhook_endpoints", "secret"),
];

/// Every other column of bytes: hashes, which no key opens.
pub const HASHED: &[(&str, &str)] = &[
    ("account_service_keys", "key_hash"),
    ("audit_checkpoints", "hash"),
    ("audit_checkpoints", "public_key"),
    ("audit_checkpoints", "signature"),
    ("audit_links", "commitment"),
    ("audit_links", "content"),
    ("audit_links", "hash"),
    ("audit_links", "salt"),
    ("automation_trigger_registrations", "webhook_secret_hash"),
    ("idempotent_requests", "fingerprint"),
    ("popout_tokens", "token_hash"),
    ("sessions", "refresh_hash"),
    ("stream_shared_links", "token_hash"),
    ("surface_tokens", "token_hash"),
    ("system_keys", "key_hash"),
    ("user_api_keys", "key_hash"),
];

impl Row {
    /// Expression that gives the row's name as a text.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Id => "id::text",
            Self::Expression(expression) => expression,
        }
    }

    /// Expression by which rows are walked and found, and the type that a text is cast to for it.
    pub(super) const fn key(self) -> (&'static str, &'static str) {
        match self {
            Self::Id => ("id", "uuid"),
            Self::Expression(expression) => (expression, "text"),
        }
    }
}
