//! Songs that enough accounts vote on in the same way, about which staff decides
//! (reference/copyright.md#candidates).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::AdminPermission;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{
    listed_songs::{self, SongList},
    songs::CopyrightSong,
    votes::CopyrightVoteKind,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ADMIN_COPYRIGHT_CANDIDATES, &ADMIN_APPROVE_COPYRIGHT_CANDIDATE, &ADMIN_DISMISS_COPYRIGHT_CANDIDATE];

/// State of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CopyrightCandidateStatus {
    /// Waits for a decision.
    Open,
    /// Song is in a list of all accounts.
    Approved,
    /// No list was changed.
    Dismissed,
}

/// Song that enough accounts vote on in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct CopyrightCandidate {
    /// Identifier.
    pub id: Uuid,
    /// Song.
    pub song: CopyrightSong,
    /// Vote that the accounts share.
    pub vote: CopyrightVoteKind,
    /// State.
    pub status: CopyrightCandidateStatus,
    /// Number of accounts that vote so at present.
    pub accounts: i32,
    /// Time at which the song became a candidate.
    pub created_at: Timestamp,
}

/// Query of the candidates.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CopyrightCandidatesQuery {
    /// State; every state when absent.
    pub status: Option<CopyrightCandidateStatus>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

pub static ADMIN_COPYRIGHT_CANDIDATES: Operation<Admin> =
    Operation::admin("adminCopyrightCandidates", AdminPermission::CopyrightModerate, Grants::Nothing);

/// Lists the candidates, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status or a page out of bounds.
#[api_core::operation]
pub async fn admin_copyright_candidates(
    cx: &Cx,
    query: Input<CopyrightCandidatesQuery>,
) -> Result<Page<CopyrightCandidate>> {
    let admin = cx.authorize(&ADMIN_COPYRIGHT_CANDIDATES).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::page(&mut *admin.db().await?, query.status, window).await?;
    Ok(Page { items, total, window })
}

pub static ADMIN_APPROVE_COPYRIGHT_CANDIDATE: Operation<Admin> =
    Operation::admin("adminApproveCopyrightCandidate", AdminPermission::CopyrightModerate, Grants::Nothing)
        .idempotent();

/// Approves a candidate: the song enters a list of all accounts.
///
/// The votes `safe` and `recommend` lead to the list of safe songs, `blocked` to that of blocked ones and
/// `report` to that of reported ones. The song leaves the other lists of all accounts. Lists of accounts stay
/// as they are.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such candidate; 409 when it was decided about.
#[api_core::operation]
pub async fn admin_approve_copyright_candidate(cx: &Cx, id: Input<Uuid>) -> Result<CopyrightCandidate> {
    let admin = cx.authorize(&ADMIN_APPROVE_COPYRIGHT_CANDIDATE).await?;
    let (id, now) = (id?, cx.state().clock.now());
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let candidate = db::decide(connection, id, CopyrightCandidateStatus::Approved).await?;
            let list = candidate.vote.list();
            listed_songs::decide(connection, list, &candidate.song, now).await?;
            let metadata =
                json!({ "song_id": candidate.song.id, "vote": candidate.vote, "list": list.as_str() });
            let entry = cx.audit_system("copyright_candidate:approved", "copyright_candidate", id);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok(candidate)
        })
        .await
}

pub static ADMIN_DISMISS_COPYRIGHT_CANDIDATE: Operation<Admin> =
    Operation::admin("adminDismissCopyrightCandidate", AdminPermission::CopyrightModerate, Grants::Nothing)
        .idempotent();

/// Dismisses a candidate. It does not become one again by the same vote.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such candidate; 409 when it was decided about.
#[api_core::operation]
pub async fn admin_dismiss_copyright_candidate(cx: &Cx, id: Input<Uuid>) -> Result<CopyrightCandidate> {
    let admin = cx.authorize(&ADMIN_DISMISS_COPYRIGHT_CANDIDATE).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let candidate = db::decide(connection, id, CopyrightCandidateStatus::Dismissed).await?;
            let metadata = json!({ "song_id": candidate.song.id, "vote": candidate.vote });
            let entry = cx.audit_system("copyright_candidate:dismissed", "copyright_candidate", id);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok(candidate)
        })
        .await
}

fn not_found() -> ApiError {
    ApiError::not_found("Candidate not found")
}

impl CopyrightVoteKind {
    /// List of all accounts that a song enters by this vote.
    const fn list(self) -> SongList {
        match self {
            Self::Blocked => SongList::Blocked,
            Self::Safe | Self::Recommend => SongList::Safe,
            Self::Report => SongList::Reported,
        }
    }
}

impl CopyrightCandidateStatus {
    const ALL: [Self; 3] = [Self::Open, Self::Approved, Self::Dismissed];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Approved => "approved",
            Self::Dismissed => "dismissed",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}
