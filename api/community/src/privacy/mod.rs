//! Erasure of what is kept of people who chat (specification B §4.7 rule 6, C B20).
//!
//! A call runs to its end: batch by batch through the tables of [`stores`], then through Redis, then once more through
//! what workers may have written meanwhile, and at last through the logs of handlers. One that was cut short may be
//! repeated.
//!
//! A person is erased by the id that they have on a platform. Rows about them go, or are changed so that they are about
//! nobody. Out of free text, which handlers log and what waits to be logged, the id is taken, and the person's names where
//! they are the person's (see [`names`]). What a handler keeps in its
//! cache goes when its key or value has the id in it. In such texts an id of fewer than six characters is one only where
//! the text names its platform or has it in a field for ids. What an extension stores as its own, rows of its tables and
//! values that are not a viewer's, stays: whoever keeps it for an account answers for it, and a row cannot be cut in two.
//! Lines of others that speak of the person stay as well.

mod deletions;
mod erasure;
pub mod graphql;
mod handlers;
mod mentions;
mod names;
mod queues;
mod redis_keys;
pub mod rest;
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
use serde::{Deserialize, Serialize};
use shared::{catalogue::AdminPermission, platforms::Platform};
use utoipa::ToSchema;
use uuid::Uuid;

use erasure::{Kind, Subject, erase};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ERASE_YOUTUBE_MEMBER_DATA, &ERASE_CHAT_SUBJECT_DATA];

/// Longest id of a person on a platform.
const MAX_ID_LENGTH: usize = 128;
/// What follows `UC` in the id of a YouTube channel.
const CHANNEL_ID_REST: usize = 22;

/// Whose data is to be erased: either a registered user, or a person on a platform.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "platform": "twitch", "user_id": "44322889" }))]
pub struct EraseChatSubjectInput {
    /// A registered user: everything of the platform users that they sign in as.
    pub lumio_user_id: Option<Uuid>,
    #[schema(extensions(("enum" = json!(Platform::ALL))))]
    pub platform: Option<String>,
    /// The platform's id, 1 to 128 characters; on YouTube that of a channel.
    #[schema(extensions(("maxLength" = json!(MAX_ID_LENGTH))))]
    pub user_id: Option<String>,
}

/// What was erased of somebody who chatted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct EraseChatSubjectResult {
    pub deleted_message_count: Int64,
    pub affected_account_ids: Vec<Uuid>,
}

/// What was erased of a channel's member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct EraseYoutubeMemberResult {
    /// Cached records: keys, and entries of those that others share.
    pub erased_key_count: Int64,
    pub deleted_message_count: Int64,
    pub affected_account_ids: Vec<Uuid>,
}

/// A person on a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub platform: Platform,
    pub user_id: String,
}

/// Erase what is kept of a member of YouTube channels.
pub static ERASE_YOUTUBE_MEMBER_DATA: Operation<Admin> =
    Operation::admin("eraseYoutubeMemberData", AdminPermission::AdminPrivacyErase, Grants::Nothing);

/// Erases what is kept of the YouTube channel `id` as a viewer, in every account. Catalogues of emotes stay.
///
/// # Errors
/// As the rule; 400 for what is no id of a YouTube channel.
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

/// Erase what is kept of somebody who chatted.
pub static ERASE_CHAT_SUBJECT_DATA: Operation<Admin> =
    Operation::admin("eraseChatSubjectData", AdminPermission::AdminPrivacyErase, Grants::Nothing);

/// Erases what is kept of somebody who chatted, in every account.
///
/// # Errors
/// As the rule; 400 unless there is either a registered user or a whole pair of platform and id, which on YouTube is a
/// channel's; 404 when no such user is registered.
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
    // An empty text counts as absent (specification E, 27).
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
                .map_err(|error: shared::platforms::UnknownPlatform| ApiError::invalid(error.to_string()))?;
            let user_id = validate::text("user_id", &user_id, 1, MAX_ID_LENGTH)?;
            if platform == Platform::Youtube {
                channel_id("user_id", &user_id)?;
            }
            Ok(Subject::of(Identity { platform, user_id }))
        }
        _ => Err(ApiError::invalid("Provide either lumioUserId or both platform and userId")),
    }
}

/// Erasing what a wrong id names would report success over nothing.
fn channel_id(field: &str, text: &str) -> Result<()> {
    let is_one = text.strip_prefix("UC").is_some_and(|rest| {
        rest.len() == CHANNEL_ID_REST
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    });
    let example = "such as UCxxxxxxxxxxxxxxxxxxxxxx";
    let wrong = || ApiError::invalid(format!("{field} must be a YouTube channel id, {example}"));
    is_one.then_some(()).ok_or_else(wrong)
}
