//! Raids: sending the viewers of the own channel to another (reference/chat.md#raids). Only Twitch has them.

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use foundation::{
    audit,
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use juniper::{GraphQLInputObject, GraphQLObject};
use platform_access::PlatformAccess as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{
    catalogue::{AccountPermission, Feature},
    engagement::NamedChannel,
    platform::Platform,
};
use utoipa::{IntoParams, ToSchema};

use super::{
    acting::{Acting, Obstacle, own_channel},
    interactive_platform,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&START_RAID, &CANCEL_RAID];

const MAX_NAME_LENGTH: usize = 100;

/// Input of a new raid.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "platform": "twitch", "target": "a_friend" }))]
pub struct StartRaidInput {
    /// `twitch`.
    #[schema(extensions(("enum" = json!(super::INTERACTIVE_PLATFORMS))))]
    pub platform: String,
    /// Name of the target channel, with or without an `@` before it.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub target: String,
}

/// Raid that waits for its departure.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Raid {
    /// `twitch`.
    pub platform: String,
    /// `started`
    pub status: String,
    /// Name of the target channel in addresses of the platform.
    pub target: String,
    /// The platform's id of the target channel.
    pub target_id: String,
    /// Name of the target channel as the platform shows it.
    pub target_name: String,
    /// Time of the start.
    pub started_at: Timestamp,
}

/// Platform of the raid.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CancelRaidQuery {
    /// `twitch`; the default.
    pub platform: Option<String>,
}

pub static START_RAID: Operation<AccountCaller> =
    Operation::account("startRaid", AccountPermission::ChatRaid, Grants::Nothing)
        .feature(Feature::Multichat)
        .idempotent_by_claim();

/// Starts a raid from the account's channel to another channel.
///
/// The platform sends the viewers after a countdown. Until then the raid can be cancelled. The raid is
/// published as `raid:updated` on the chat channel.
///
/// (reference/chat.md#raids)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for a platform without raids, an unknown channel, or a refusal of the
/// platform; 409 when the account is not connected or has a raid already.
#[api_core::operation]
pub async fn start_raid(cx: &Cx, input: Input<StartRaidInput>) -> Result<Raid> {
    let caller = cx.authorize(&START_RAID).await?;
    let input = input?;
    let platform = raiding_platform(&input.platform)?;
    let name = validate::text("target", input.target.trim().trim_start_matches('@'), 1, MAX_NAME_LENGTH)?;
    let account = caller.account.uuid();
    let mut acting = own_channel(cx, account, platform).await?;
    let target = find(cx, &mut acting, &name.to_lowercase()).await?;
    let client = cx.state().platforms().client(platform);
    let (from, to) = (acting.channel_id.clone(), target.id.as_str());
    let from = from.as_str();
    let started =
        acting.call(cx, |credentials| async move { client.start_raid(&credentials, from, to).await }).await?;
    started.map_err(Obstacle::into_error)?;
    let raid = Raid {
        platform: platform.slug().to_owned(),
        status: "started".to_owned(),
        target: target.username,
        target_id: target.id,
        target_name: target.display_name,
        started_at: cx.state().clock.now().into(),
    };
    let raid_data = serde_json::to_value(&raid)?;
    let entry = audit::Entry {
        metadata: json!({ "platform": platform, "target": raid.target }),
        ..cx.audit("raid:started", "raid", &raid.target_id)
    };
    record(cx, &caller, platform, raid_data, entry).await?;
    Ok(raid)
}

pub static CANCEL_RAID: Operation<AccountCaller> =
    Operation::account("cancelRaid", AccountPermission::ChatRaid, Grants::Nothing)
        .feature(Feature::Multichat);

/// Cancels a raid that has not departed yet.
///
/// The change is published as `raid:updated`. A raid that has departed cannot be cancelled.
///
/// (reference/chat.md#raids)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for a platform without raids, or when there is no raid to cancel; 409
/// when the account is not connected.
#[api_core::operation]
pub async fn cancel_raid(cx: &Cx, query: Input<CancelRaidQuery>) -> Result<()> {
    let caller = cx.authorize(&CANCEL_RAID).await?;
    let query = query?;
    let platform = query.platform.as_deref().map(raiding_platform).transpose()?.unwrap_or(Platform::Twitch);
    let account = caller.account.uuid();
    let mut acting = own_channel(cx, account, platform).await?;
    let client = cx.state().platforms().client(platform);
    let channel_id = acting.channel_id.clone();
    let from = channel_id.as_str();
    let cancelled =
        acting.call(cx, |credentials| async move { client.cancel_raid(&credentials, from).await }).await?;
    cancelled.map_err(Obstacle::into_error)?;
    let entry = audit::Entry {
        metadata: json!({ "platform": platform }),
        ..cx.audit("raid:cancelled", "raid", &channel_id)
    };
    record(cx, &caller, platform, json!({ "status": "cancelled" }), entry).await
}

fn raiding_platform(text: &str) -> Result<Platform> {
    interactive_platform("raid", text)
}

async fn find(cx: &Cx, acting: &mut Acting, name: &str) -> Result<NamedChannel> {
    let client = cx.state().platforms().client(acting.platform);
    let found =
        acting.call(cx, |credentials| async move { client.find_channel(&credentials, name).await }).await?;
    let found = found.map_err(Obstacle::into_error)?;
    found.ok_or_else(|| ApiError::bad_request(format!("There is no channel {name}")))
}

/// Writes the entry in the audit log and publishes the raid.
async fn record(
    cx: &Cx,
    caller: &AccountCaller,
    platform: Platform,
    raid: Value,
    entry: audit::Entry<'_>,
) -> Result<()> {
    let data = json!({ "platform": platform, "raid": raid });
    let event =
        Event::new(Channel::Chat(caller.account.uuid()), "raid:updated", data, cx.state().clock.now());
    let key = format!("raid:{}", event.id);
    caller
        .db()
        .await?
        .transaction(async |connection| {
            outbox::add(connection, &PublishEvent { event }, &key).await?;
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(())
        })
        .await
}
