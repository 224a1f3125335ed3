//! Raids: sending the viewers of one's own channel to another (specification C B13). Only Twitch has them.

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{
    audit,
    catalogue::{AccountPermission, Feature},
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
    platforms::{NamedChannel, Platform},
};
use utoipa::{IntoParams, ToSchema};

use super::{
    acting::{Acting, Obstacle, own_channel},
    interactive_platform,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&START_RAID, &CANCEL_RAID];

const MAX_NAME_LENGTH: usize = 100;

/// Where the viewers are to go.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "platform": "twitch", "target": "a_friend" }))]
pub struct StartRaidInput {
    /// `twitch`.
    #[schema(extensions(("enum" = json!(super::INTERACTIVE_PLATFORMS))))]
    pub platform: String,
    /// The name of the channel, with or without an `@` before it.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub target: String,
}

/// A raid that waits for its departure.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Raid {
    pub platform: String,
    /// `started`
    pub status: String,
    /// The name of the channel as the platform addresses it.
    pub target: String,
    /// The platform's id of the channel.
    pub target_id: String,
    /// The name as the platform shows it.
    pub target_name: String,
    pub started_at: Timestamp,
}

/// Which platform's raid.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CancelRaidQuery {
    /// `twitch`, which is also meant when absent.
    pub platform: Option<String>,
}

/// Start a raid.
pub static START_RAID: Operation<AccountCaller> =
    Operation::account("startRaid", AccountPermission::ChatRaid, Grants::Nothing).feature(Feature::Multichat);

/// Starts a raid. The platform lets it depart after a countdown, until when it may be cancelled.
///
/// # Errors
/// As the rule; 400 for a platform without raids, a channel that does not exist, or what the platform refuses; 409 when
/// the account is not connected or has a raid already.
pub async fn start_raid(cx: &Cx, input: Input<StartRaidInput>) -> Result<Raid> {
    let caller = cx.authorize(&START_RAID).await?;
    let input = input?;
    let platform = raiding_platform(&input.platform)?;
    let name = validate::text("target", input.target.trim().trim_start_matches('@'), 1, MAX_NAME_LENGTH)?;
    let account = caller.account.0;
    let mut acting = own_channel(cx, account, platform).await?;
    let target = find(cx, &mut acting, &name.to_lowercase()).await?;
    let client = cx.state().platforms.client(platform);
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
    let told = serde_json::to_value(&raid)?;
    let entry = audit::Entry {
        metadata: json!({ "platform": platform, "target": raid.target }),
        ..cx.audit("raid:started", "raid", &raid.target_id)
    };
    record(cx, account, platform, told, entry).await?;
    Ok(raid)
}

/// Cancel a raid that has not departed yet.
pub static CANCEL_RAID: Operation<AccountCaller> =
    Operation::account("cancelRaid", AccountPermission::ChatRaid, Grants::Nothing)
        .feature(Feature::Multichat);

/// Cancels a raid that has not departed yet.
///
/// # Errors
/// As the rule; 400 for a platform without raids or when there is none to cancel, 409 when the account is not connected.
pub async fn cancel_raid(cx: &Cx, query: Input<CancelRaidQuery>) -> Result<()> {
    let caller = cx.authorize(&CANCEL_RAID).await?;
    let query = query?;
    let platform = query.platform.as_deref().map(raiding_platform).transpose()?.unwrap_or(Platform::Twitch);
    let account = caller.account.0;
    let mut acting = own_channel(cx, account, platform).await?;
    let client = cx.state().platforms.client(platform);
    let channel_id = acting.channel_id.clone();
    let from = channel_id.as_str();
    let cancelled =
        acting.call(cx, |credentials| async move { client.cancel_raid(&credentials, from).await }).await?;
    cancelled.map_err(Obstacle::into_error)?;
    let entry = audit::Entry {
        metadata: json!({ "platform": platform }),
        ..cx.audit("raid:cancelled", "raid", &channel_id)
    };
    record(cx, account, platform, json!({ "status": "cancelled" }), entry).await
}

fn raiding_platform(text: &str) -> Result<Platform> {
    interactive_platform("raid", text)
}

async fn find(cx: &Cx, acting: &mut Acting, name: &str) -> Result<NamedChannel> {
    let client = cx.state().platforms.client(acting.platform);
    let found =
        acting.call(cx, |credentials| async move { client.find_channel(&credentials, name).await }).await?;
    let found = found.map_err(Obstacle::into_error)?;
    found.ok_or_else(|| ApiError::bad_request(format!("There is no channel {name}")))
}

/// Writes what was done, and tells whoever shows the chat.
async fn record(
    cx: &Cx,
    account: uuid::Uuid,
    platform: Platform,
    raid: Value,
    entry: audit::Entry<'_>,
) -> Result<()> {
    let data = json!({ "platform": platform, "raid": raid });
    let event = Event::new(Channel::Chat(account), "raid:updated", data, cx.state().clock.now());
    let key = format!("raid:{}", event.id);
    cx.state()
        .databases
        .postgres
        .get()
        .await?
        .transaction(async |connection| {
            outbox::add(connection, &PublishEvent { event }, &key).await?;
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(())
        })
        .await
}
