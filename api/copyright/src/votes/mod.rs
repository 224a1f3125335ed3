//! Votes on songs (reference/copyright.md#votes). Each person has one vote for each song and may change it;
//! reports and recommendations are votes too. A vote that enough accounts share makes the song a candidate,
//! about which staff decides.

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::UserId,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::songs::{self, CopyrightSong, CopyrightSongInput, NamedSong};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&VOTE_COPYRIGHT, &CREATE_COPYRIGHT_REPORT, &CREATE_SAFE_RECOMMENDATION];

/// Number of votes of a person in an hour. Songs and votes are stored for all accounts.
const MAX_VOTES_PER_HOUR: u32 = 120;

api_core::limits::submit! {
    api_core::limits::WindowLimit {
        name: "copyright_votes",
        limit: MAX_VOTES_PER_HOUR,
        seconds: 3600,
        holder: api_core::limits::Holder::Person,
    }
}

const MAX_REASON_LENGTH: usize = 500;
/// Number of accounts with the same vote that makes a song a candidate.
const MIN_CANDIDATE_ACCOUNTS: i64 = 5;

/// Vote on a song.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CopyrightVoteKind {
    /// Song is claimed and should not be played.
    Blocked,
    /// Song can be played.
    Safe,
    /// Song caused trouble.
    Report,
    /// Song can be played, and others should know it.
    Recommend,
}

/// Vote of a person on a song.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct CopyrightVote {
    /// Identifier.
    pub id: Uuid,
    /// Song.
    pub song: CopyrightSong,
    /// Vote.
    pub vote: CopyrightVoteKind,
    /// Reason. Null: none.
    pub reason: Option<String>,
    /// Time of the first vote.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Result of voting.
#[derive(Debug, Clone, PartialEq)]
pub struct Cast {
    /// Vote.
    pub vote: CopyrightVote,
    /// True when it is the person's first vote on the song.
    pub is_first: bool,
}

/// New vote.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "song": { "title": "Here Comes the Sun", "artist": "The Beatles" }, "vote": "blocked" }))]
pub struct VoteCopyrightInput {
    /// Song.
    pub song: CopyrightSongInput,
    /// Vote.
    pub vote: CopyrightVoteKind,
    /// At most 500 characters.
    #[schema(extensions(("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: Option<String>,
}

/// Report of a song.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject)]
pub struct CreateCopyrightReportInput {
    /// Song.
    pub song: CopyrightSongInput,
    /// At most 500 characters.
    pub reason: Option<String>,
}

/// Recommendation of a song.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject)]
pub struct CreateSafeRecommendationInput {
    /// Song.
    pub song: CopyrightSongInput,
    /// At most 500 characters.
    pub reason: Option<String>,
}

pub static VOTE_COPYRIGHT: Operation<AccountCaller> =
    Operation::account("voteCopyright", AccountPermission::CopyrightVote, Grants::Nothing)
        .feature(Feature::CopyrightDetection)
        .idempotent();

/// Votes on a song, or changes the caller's vote.
///
/// A song that is not known is added. An equal vote changes nothing. REST returns 201 for the first vote of
/// the person on the song, else 200. A vote changes no list of songs.
///
/// # Errors
/// Refusals of the access rule; 403 for a credential without a person; 400 for an invalid field; 429 beyond
/// 120 votes an hour.
#[api_core::operation]
pub async fn vote_copyright(cx: &Cx, input: Input<VoteCopyrightInput>) -> Result<Cast> {
    let caller = cx.authorize(&VOTE_COPYRIGHT).await?;
    let input = input.map(|VoteCopyrightInput { song, vote, reason }| (song, vote, reason));
    cast(cx, &caller, input).await
}

pub static CREATE_COPYRIGHT_REPORT: Operation<AccountCaller> =
    Operation::account("createCopyrightReport", AccountPermission::CopyrightReport, Grants::Nothing)
        .feature(Feature::CopyrightDetection);

/// Reports a song: the vote `report`, under a permission of its own.
///
/// It replaces another vote of the caller on the song.
///
/// # Errors
/// Refusals of the access rule; 403 for a credential without a person; 400 for an invalid field; 429 beyond
/// 120 votes an hour.
#[api_core::operation]
pub async fn create_copyright_report(
    cx: &Cx,
    input: Input<CreateCopyrightReportInput>,
) -> Result<CopyrightVote> {
    let caller = cx.authorize(&CREATE_COPYRIGHT_REPORT).await?;
    let input = input.map(|input| (input.song, CopyrightVoteKind::Report, input.reason));
    Ok(cast(cx, &caller, input).await?.vote)
}

pub static CREATE_SAFE_RECOMMENDATION: Operation<AccountCaller> =
    Operation::account("createSafeRecommendation", AccountPermission::CopyrightRecommend, Grants::Nothing)
        .feature(Feature::CopyrightDetection);

/// Recommends a song as safe: the vote `recommend`, under a permission of its own.
///
/// It replaces another vote of the caller on the song.
///
/// # Errors
/// Refusals of the access rule; 403 for a credential without a person; 400 for an invalid field; 429 beyond
/// 120 votes an hour.
#[api_core::operation]
pub async fn create_safe_recommendation(
    cx: &Cx,
    input: Input<CreateSafeRecommendationInput>,
) -> Result<CopyrightVote> {
    let caller = cx.authorize(&CREATE_SAFE_RECOMMENDATION).await?;
    let input = input.map(|input| (input.song, CopyrightVoteKind::Recommend, input.reason));
    Ok(cast(cx, &caller, input).await?.vote)
}

async fn cast(
    cx: &Cx,
    caller: &AccountCaller,
    input: Input<(CopyrightSongInput, CopyrightVoteKind, Option<String>)>,
) -> Result<Cast> {
    let user = cx.person()?.ok_or_else(|| ApiError::forbidden("Votes are cast by people"))?;
    let (song, vote, reason) = input?;
    let (song, reason) = (song.check("song.")?, given_reason(reason)?);
    let verdict =
        cx.state().limiter.count("copyright_votes", &user.to_string(), MAX_VOTES_PER_HOUR, 3600).await;
    cx.refuse_over(&verdict)?;
    let opinion = Opinion { user, song, vote, reason };
    caller.db().await?.transaction(async |connection| store(cx, caller, connection, &opinion).await).await
}

/// Checked vote.
struct Opinion {
    user: UserId,
    song: NamedSong,
    vote: CopyrightVoteKind,
    reason: Option<String>,
}

/// Stores the vote. In its transaction the song is locked, so that votes on it are counted one after the
/// other and the fifth account is noticed.
async fn store(
    cx: &Cx,
    caller: &AccountCaller,
    connection: &mut diesel_async::AsyncPgConnection,
    opinion: &Opinion,
) -> Result<Cast> {
    let (vote, now) = (opinion.vote, cx.state().clock.now());
    let song = songs::lock(connection, &opinion.song, now).await?;
    let before = db::of_user(connection, song.id, opinion.user).await?;
    let other_names = opinion.song.other_names(&song);
    let kept = db::Vote {
        id: before.as_ref().map_or_else(shared::id::new, |before| before.id),
        song_id: song.id,
        user_id: opinion.user,
        account_id: caller.account,
        vote: vote.as_str(),
        reason: opinion.reason.as_deref(),
        created_at: before.as_ref().map_or(now, |before| before.created_at),
        updated_at: now,
        given_title: other_names.map(|(title, _)| title),
        given_artist: other_names.map(|(_, artist)| artist),
    };
    let is_first = before.is_none();
    let from = before.as_ref().map(|before| before.vote.clone());
    match before {
        Some(before) if before.is_as(&kept) => {
            return Ok(Cast { vote: before.with(song, vote), is_first });
        }
        _ => db::put(connection, &kept).await?,
    }
    for counted in [Some(vote.as_str()), from.as_deref()].into_iter().flatten() {
        count(connection, &kept, counted).await?;
    }
    let mut metadata = json!({ "song_id": song.id, "vote": vote, "from": from });
    if let Some((title, artist)) = other_names {
        metadata["named"] = json!({ "title": title, "artist": artist });
    }
    let entry = Entry { metadata, ..cx.audit("copyright:voted", "copyright_vote", kept.id) };
    audit::record(connection, entry).await?;
    let vote = CopyrightVote {
        id: kept.id,
        song,
        vote,
        reason: opinion.reason.clone(),
        created_at: kept.created_at.into(),
        updated_at: kept.updated_at.into(),
    };
    Ok(Cast { vote, is_first })
}

/// Makes the song a candidate for a vote that enough accounts share, and withdraws a candidate that falls
/// below and about which no moderator has decided (reference/copyright.md#candidates).
async fn count(
    connection: &mut diesel_async::AsyncPgConnection,
    kept: &db::Vote<'_>,
    vote: &str,
) -> Result<()> {
    if db::accounts(connection, kept.song_id, vote).await? >= MIN_CANDIDATE_ACCOUNTS {
        return db::nominate(connection, kept.song_id, vote, kept.updated_at).await;
    }
    db::withdraw(connection, kept.song_id, vote).await
}

/// Checks the reason. An empty one becomes `None`.
fn given_reason(reason: Option<String>) -> Result<Option<String>> {
    let reason = validate::long_text("reason", &reason.unwrap_or_default(), 0, MAX_REASON_LENGTH)?;
    Ok(Some(reason).filter(|text| !text.is_empty()))
}

impl CopyrightVoteKind {
    const ALL: [Self; 4] = [Self::Blocked, Self::Safe, Self::Report, Self::Recommend];

    /// Vote of a stored text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|vote| vote.as_str() == text)
    }

    /// Stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Safe => "safe",
            Self::Report => "report",
            Self::Recommend => "recommend",
        }
    }
}
