//! Erasure of data about people who chat (reference/privacy.md#erasure-of-a-person).
//!
//! A call runs to its end: batch by batch through the tables of [`stores`], then through Redis, then once
//! more through the places that workers may have written meanwhile, and at last through the logs of handlers.
//! A call that was interrupted may be repeated.
//!
//! A person is erased by the id on a platform. Rows about the person are deleted, or rewritten so that they
//! name no person. In free text, which handlers log and which waits to be logged, the id is replaced, and the
//! names of the person as far as they count as the person's (see [`names`]). A cached value of a handler is
//! deleted when its key or value contains the id. In such texts an id of fewer than six characters counts
//! only where the text names its platform or has it in a field for ids. Data that an extension stores as its
//! own, rows of its tables and values that are not a viewer's, stays: the account that keeps it is
//! responsible for it, and a row cannot be cut in two. Messages of others that mention the person stay as
//! well.

mod account_entries;
mod deletions;
mod erased_keys;
mod erasure;
pub mod graphql;
mod handlers;
mod kind;
mod lines;
mod mentions;
mod names;
mod queues;
mod redis_keys;
pub mod rest;
mod runs;
pub mod stores;
mod tables;
mod texts;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, AnyOperation, Grants},
    graphql::Int64,
    validate,
};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Deserializer, Serialize, de};
use shared::{catalogue::AdminPermission, platform::Platform};
use utoipa::ToSchema;
use uuid::Uuid;

use erasure::{Subject, erase};
use kind::Kind;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ERASE_YOUTUBE_MEMBER_DATA, &ERASE_CHAT_SUBJECT_DATA];

/// Longest id of a person on a platform, in characters.
const MAX_ID_LENGTH: usize = 128;
/// Characters after `UC` in the id of a YouTube channel.
const CHANNEL_ID_REST: usize = 22;

/// Person whose data is erased: exactly one of a registered user, and a pair of platform and id.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "platform": "twitch", "user_id": "44322889" }))]
pub struct EraseChatSubjectInput {
    /// Registered user: the data of every login connection of the user is erased.
    #[serde(default, deserialize_with = "absent_if_empty")]
    pub lumio_user_id: Option<Uuid>,
    /// Slug of the platform; with `user_id`.
    #[schema(extensions(("enum" = json!(Platform::ALL))))]
    pub platform: Option<String>,
    /// Id on the platform, 1 to 128 characters; on YouTube that of a channel.
    #[schema(extensions(("maxLength" = json!(MAX_ID_LENGTH))))]
    pub user_id: Option<String>,
}

/// Reads an id. An empty text counts as absent (reference/privacy.md#subject).
fn absent_if_empty<'de, D: Deserializer<'de>>(input: D) -> std::result::Result<Option<Uuid>, D::Error> {
    let malformed = || de::Error::custom("UUID parsing failed");
    match Option::<String>::deserialize(input).map_err(|_other| malformed())? {
        Some(text) if !text.is_empty() => Uuid::try_parse(&text).map(Some).map_err(|_error| malformed()),
        Some(_) | None => Ok(None),
    }
}

/// Result of the erasure of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct EraseChatSubjectResult {
    /// Number of deleted chat messages.
    pub deleted_message_count: Int64,
    /// Accounts that lost data.
    pub affected_account_ids: Vec<Uuid>,
}

/// Result of the erasure of a YouTube channel as a viewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct EraseYoutubeMemberResult {
    /// Number of erased keys in Redis, and of erased entries of shared keys.
    pub erased_key_count: Int64,
    /// Number of deleted chat messages.
    pub deleted_message_count: Int64,
    /// Accounts that lost data.
    pub affected_account_ids: Vec<Uuid>,
}

/// Person on a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Platform.
    pub platform: Platform,
    /// Id on the platform.
    pub user_id: String,
}

pub static ERASE_YOUTUBE_MEMBER_DATA: Operation<Admin> =
    Operation::admin("eraseYoutubeMemberData", AdminPermission::AdminPrivacyErase, Grants::Nothing);

/// Erases the data about a YouTube channel as a viewer, in every account.
///
/// The erasure runs synchronously and goes on when the caller disconnects. It may be repeated. Emote
/// catalogues stay (reference/privacy.md#erasure-of-a-person).
///
/// # Errors
/// Refusals of the access rule; 400 for a text that is not the id of a YouTube channel.
#[api_core::operation]
pub async fn erase_youtube_member_data(cx: &Cx, id: &str) -> Result<EraseYoutubeMemberResult> {
    let admin = cx.authorize(&ERASE_YOUTUBE_MEMBER_DATA).await?;
    channel_id("id", id)?;
    let identity = Identity { platform: Platform::Youtube, user_id: id.to_owned() };
    let erased = erase(cx, admin.user, Kind::YoutubeMember, Subject::of(identity)).await?;
    Ok(EraseYoutubeMemberResult {
        erased_key_count: Int64(erased.keys),
        deleted_message_count: Int64(erased.messages),
        affected_account_ids: erased.accounts,
    })
}

pub static ERASE_CHAT_SUBJECT_DATA: Operation<Admin> =
    Operation::admin("eraseChatSubjectData", AdminPermission::AdminPrivacyErase, Grants::Nothing)
        .idempotent_by_claim()
        .repeatable()
        .running_for(300);

/// Erases the data about a person who chatted, in every account.
///
/// Exactly one of `lumio_user_id`, and the pair of `platform` and `user_id`, is needed; an empty text counts
/// as absent. The erasure runs synchronously and goes on when the caller disconnects. It may be repeated.
/// Emote catalogues, messages of others that mention the person, and data that extensions store as their own
/// stay (reference/privacy.md#erasure-of-a-person).
///
/// # Errors
/// Refusals of the access rule; 400 unless there is exactly one of a registered user and a complete pair of
/// platform and id, which on YouTube is a channel's; 404 when no such user is registered.
#[api_core::operation]
pub async fn erase_chat_subject_data(
    cx: &Cx,
    input: Input<EraseChatSubjectInput>,
) -> Result<EraseChatSubjectResult> {
    let admin = cx.authorize(&ERASE_CHAT_SUBJECT_DATA).await?;
    let subject = subject(cx, input?).await?;
    let erased = erase(cx, admin.user, Kind::ChatSubject, subject).await?;
    Ok(EraseChatSubjectResult {
        deleted_message_count: Int64(erased.messages),
        affected_account_ids: erased.accounts,
    })
}

async fn subject(cx: &Cx, input: EraseChatSubjectInput) -> Result<Subject> {
    let EraseChatSubjectInput { lumio_user_id, platform, user_id } = input;
    // An empty text counts as absent (reference/privacy.md#subject).
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let (platform, user_id) = (given(platform), given(user_id));
    match (lumio_user_id, platform, user_id) {
        (Some(user), None, None) => {
            let identities = tables::identities(cx.state(), user).await?;
            let identities = identities.ok_or_else(|| ApiError::not_found("User not found"))?;
            Ok(Subject { identities, lumio_user: Some(user) })
        }
        (None, Some(platform), Some(user_id)) => {
            let platform: Platform = platform
                .parse()
                .map_err(|error: shared::platform::UnknownPlatform| ApiError::invalid(error.to_string()))?;
            let user_id = validate::text("user_id", &user_id, 1, MAX_ID_LENGTH)?;
            if platform == Platform::Youtube {
                channel_id("user_id", &user_id)?;
            }
            Ok(Subject::of(Identity { platform, user_id }))
        }
        _ => Err(ApiError::invalid("Provide either lumioUserId or both platform and userId")),
    }
}

/// Refuses a malformed id. Its erasure would find nothing and report success.
fn channel_id(field: &str, text: &str) -> Result<()> {
    let is_one = text.strip_prefix("UC").is_some_and(|rest| {
        rest.len() == CHANNEL_ID_REST
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    });
    let example = "such as UCxxxxxxxxxxxxxxxxxxxxxx";
    let wrong = || ApiError::invalid(format!("{field} must be a YouTube channel id, {example}"));
    is_one.then_some(()).ok_or_else(wrong)
}
