//! Title of the stream, and clips, in the name of the account's channel.

use api_core::{Cx, Result, access::SystemReason};
use automation_model::effects::{CreateClip, SetStreamTitle};
use platform_access::PlatformAccess as _;
use serde_json::{Value, json};
use shared::platform::Platform;

use super::{super::Refusal, Call, Failure, Outcome, chat::ByPlatform, db};
use crate::chat::acting::{As, acting};

/// Length of a title, in characters; longer ones are cut (reference/automations.md#actions-of-the-api).
const MAX_TITLE_LENGTH: usize = 140;

/// Sets the title on each platform. It fails when no platform took it.
pub(super) async fn set_title(cx: &Cx, call: &Call, change: &SetStreamTitle) -> Result<Outcome> {
    let title: String = change.title.trim().chars().take(MAX_TITLE_LENGTH).collect();
    if title.is_empty() || title.chars().any(char::is_control) {
        return Ok(Err(Failure::new("title must be one line of text")));
    }
    let platforms = match change.platforms.as_slice() {
        [] => {
            let mut connection = cx.state().system(SystemReason::HandlerAction).db().await?;
            let mut connected = db::platforms(&mut connection, call.account).await?;
            connected.retain(|platform| Platform::WITH_TITLE.contains(platform));
            connected
        }
        named => named.to_vec(),
    };
    if platforms.is_empty() {
        return Ok(Err(Failure::new("The account is not connected to a platform whose title can be set")));
    }
    let mut results = ByPlatform::default();
    for platform in platforms {
        results.add(platform, set_on(cx, call, platform, &title).await)?;
    }
    Ok(results.outcome("changed"))
}

async fn set_on(cx: &Cx, call: &Call, platform: Platform, title: &str) -> Result<Result<Value, Refusal>> {
    let mut acting = match acting(cx, call.account.uuid(), Some(platform), As::Channel).await? {
        Ok(acting) => acting,
        Err(obstacle) => return Ok(Err(obstacle.into())),
    };
    let (client, channel) = (cx.state().platforms().client(platform), acting.channel_id.clone());
    let channel = &channel;
    let changed = acting
        .call(cx, |credentials| async move { client.set_title(&credentials, channel, title).await })
        .await?;
    Ok(changed.map(|()| json!({ "platform": platform })).map_err(Refusal::from))
}

/// Makes a clip. Only Twitch has clips that Lumio makes.
pub(super) async fn create_clip(cx: &Cx, call: &Call, clip: &CreateClip) -> Result<Outcome> {
    let platform = clip.platform.unwrap_or(Platform::Twitch);
    let mut acting = match acting(cx, call.account.uuid(), Some(platform), As::Channel).await? {
        Ok(acting) => acting,
        Err(obstacle) => return Ok(Err(Refusal::from(obstacle).into())),
    };
    let (client, channel) = (cx.state().platforms().client(platform), acting.channel_id.clone());
    let channel = &channel;
    let made =
        acting.call(cx, |credentials| async move { client.create_clip(&credentials, channel).await }).await?;
    Ok(match made {
        Ok(made) => Ok(json!({ "platform": platform, "clip_id": made.id, "edit_url": made.edit_url })),
        Err(obstacle) => Err(Refusal::from(obstacle).into()),
    })
}
