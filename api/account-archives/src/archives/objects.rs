//! Archives as owners see them.

use api_core::{ApiError, Cx, Result, Timestamp, graphql::Int64};
use foundation::media_links::{Media, MediaLinks};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::db::Row;

/// State of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccountArchiveStatus {
    /// It waits for a worker.
    Queued,
    /// A worker makes it.
    Running,
    /// It can be downloaded.
    Ready,
    /// It could not be made.
    Failed,
    /// It was discarded, because a person whom it named was erased.
    Discarded,
}

/// Archive of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AccountArchive {
    /// Identifier.
    pub id: Uuid,
    /// The account.
    pub account_id: Uuid,
    /// State.
    pub status: AccountArchiveStatus,
    /// True when it has the secrets of the account, sealed to the key of the request.
    pub with_secrets: bool,
    /// Size in bytes. Null until it is ready.
    pub size_bytes: Option<Int64>,
    /// SHA-256 of the content, in hexadecimal. Null until it is ready.
    pub sha256: Option<String>,
    /// Reason of a failure. Null otherwise.
    pub error: Option<String>,
    /// Address of the content, for everybody who has it. It is valid for an hour from this response on. Null unless the
    /// archive is ready.
    pub download_url: Option<String>,
    /// Person who requested it. Null: the person is gone.
    pub requested_by: Option<Uuid>,
    /// Time of the request.
    pub created_at: Timestamp,
    /// Time at which the export began. Null while it is queued.
    pub started_at: Option<Timestamp>,
    /// Time at which the export ended. Null until then.
    pub finished_at: Option<Timestamp>,
    /// Time at which the archive is deleted. Null while it is made.
    pub expires_at: Option<Timestamp>,
}

impl AccountArchiveStatus {
    const ALL: [(&'static str, Self); 5] = [
        ("queued", Self::Queued),
        ("running", Self::Running),
        ("ready", Self::Ready),
        ("failed", Self::Failed),
        ("discarded", Self::Discarded),
    ];

    fn parse(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|(name, _)| *name == text);
        let unknown = || ApiError::internal(format_args!("an archive has the status {text}"));
        found.map(|(_, status)| status).ok_or_else(unknown)
    }
}

impl AccountArchive {
    /// Archive of a row, with a new address.
    pub(super) fn of(cx: &Cx, row: Row) -> Result<Self> {
        let status = AccountArchiveStatus::parse(&row.status)?;
        let (state, is_ready) = (cx.state(), status == AccountArchiveStatus::Ready);
        let address = || MediaLinks::new(&state.config).url(Media::AccountArchive(row.id), state.clock.now());
        Ok(Self {
            download_url: is_ready.then(address),
            id: row.id,
            account_id: row.account_id,
            status,
            with_secrets: row.secrets_key.is_some(),
            size_bytes: row.size_bytes.map(Int64),
            sha256: row.sha256,
            error: row.error,
            requested_by: row.requested_by,
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
            expires_at: row.expires_at,
        })
    }
}
