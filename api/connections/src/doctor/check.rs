//! Checks of one channel, in their order: flag, application, token, clock, scopes, deliveries, events.

use api_core::{Cx, Result, Timestamp, access::AccountCaller};
use chrono::{DateTime, TimeDelta, Utc};
use connection_model::{
    applications::{self, Pinned},
    scopes,
};
use platform_access::PlatformAccess;
use platform_credentials::tokens::{Holder, Unavailable};
use platforms::{TokenInspection, with_server_time};
use shared::{
    connection::{ConnectionKind, OAuthApp},
    platform::Platform,
};
use tokio::time::timeout;

use super::{
    ConnectionDiagnosis, ConnectionFinding, ConnectionFindingCode as Code, ReceivedEvent,
    db::Channel,
    findings::status,
    refusals::{STEP_TIMEOUT, finding_of, no_answer},
    subscriptions::{self, Diagnosed},
};
use crate::platform::directory;

/// Difference of the clocks that is a finding, in seconds.
const MAX_CLOCK_SKEW_SECS: i64 = 60;
/// Days without an event after which a live channel is a finding.
const MAX_SILENT_DAYS: i64 = 3;
/// Time that a channel is live before its silence is a finding.
const MIN_LIVE_DURATION: TimeDelta = TimeDelta::minutes(10);

/// Diagnoses a channel.
pub(super) async fn diagnose(
    cx: &Cx,
    caller: &AccountCaller,
    channel: Channel,
) -> Result<ConnectionDiagnosis> {
    let platform = channel.platform()?;
    let mut findings = Vec::new();
    let application = application(cx, caller, &channel, platform, &mut findings).await?;
    let mut checked = Checked::default();
    let mut diagnosed = Diagnosed::stored(&channel);
    if channel.reconnect_required {
        let message =
            format!("{platform} no longer accepts the tokens of the channel, or they cannot be read.");
        findings.push(ConnectionFinding::new(Code::ReconnectRequired, message));
    } else {
        checked = token(cx, &channel, platform, &mut findings).await?;
        diagnosed = subscriptions::check(cx, &channel, platform, application.as_ref(), checked.works).await?;
        findings.append(&mut diagnosed.findings);
        findings.extend(silence(&channel, cx.state().clock.now()));
    }
    let last_events = channel.health.last_events.iter();
    Ok(ConnectionDiagnosis {
        connection_id: channel.id,
        status: status(&findings),
        findings,
        last_events: last_events
            .map(|(event_type, at)| ReceivedEvent {
                event_type: event_type.clone(),
                received_at: Timestamp::from(*at),
            })
            .collect(),
        token_expires_at: checked.expires_at.or(channel.expires_at).map(Timestamp::from),
        scopes_missing: checked.scopes_missing,
        subscriptions: diagnosed.subscriptions,
        clock_skew_secs: checked.clock_skew_secs,
        platform: channel.platform,
    })
}

/// Application of the channel, or the finding that there is none.
async fn application(
    cx: &Cx,
    caller: &AccountCaller,
    channel: &Channel,
    platform: Platform,
    findings: &mut Vec<ConnectionFinding>,
) -> Result<Option<OAuthApp>> {
    let pinned = applications::pinned(&mut *caller.db().await?, directory(cx), &channel.pin()?).await?;
    // Tokens that were set by hand and are never renewed need none, except for the deliveries of Twitch.
    let is_needed = channel.client_id.is_some() || channel.has_refresh_token || platform == Platform::Twitch;
    let finding = |code, what: &str| {
        is_needed.then(|| {
            ConnectionFinding::new(code, format!("The application of the channel on {platform} {what}."))
        })
    };
    match pinned {
        Pinned::Application(application) => return Ok(Some(application)),
        Pinned::Gone => {
            findings.extend(finding(
                Code::ApplicationGone,
                "was deleted or replaced: its tokens cannot be renewed",
            ));
        }
        Pinned::Absent => findings.extend(finding(Code::ApplicationMissing, "is not configured")),
        Pinned::Undecryptable => {
            findings.extend(finding(Code::ApplicationUndecryptable, "has a secret that cannot be decrypted"));
        }
    }
    Ok(None)
}

/// Outcome of the inspection of a token.
#[derive(Default)]
struct Checked {
    works: bool,
    expires_at: Option<DateTime<Utc>>,
    scopes_missing: Vec<String>,
    clock_skew_secs: Option<i32>,
}

async fn token(
    cx: &Cx,
    channel: &Channel,
    platform: Platform,
    findings: &mut Vec<ConnectionFinding>,
) -> Result<Checked> {
    let inspected = timeout(STEP_TIMEOUT, with_server_time(inspect(cx, channel, platform))).await;
    let now = cx.state().clock.now();
    let (outcome, server_time) =
        inspected.unwrap_or_else(|_elapsed| (Err(Unavailable::Platform(no_answer())), None));
    let skew = server_time.map(|at| (now - at).num_seconds());
    let mut checked =
        Checked { clock_skew_secs: skew.and_then(|skew| i32::try_from(skew).ok()), ..Checked::default() };
    match outcome {
        Ok(token) => {
            checked.works = true;
            checked.expires_at =
                token.expires_in.and_then(|left| TimeDelta::from_std(left).ok()).map(|left| now + left);
            checked.scopes_missing = missing_scopes(channel, platform, token.scopes);
            findings.extend(lacking(platform, &checked.scopes_missing));
        }
        Err(Unavailable::Failed(error)) => return Err(error.into()),
        Err(unavailable) => findings.push(finding_of(platform, unavailable, now)),
    }
    findings.extend(skew.filter(|skew| skew.abs() > MAX_CLOCK_SKEW_SECS).map(|skew| {
        let direction = if skew > 0 { "ahead of" } else { "behind" };
        let message = format!("The clock of this server is {} s {direction} that of {platform}.", skew.abs());
        ConnectionFinding::new(Code::ClockSkew, message)
    }));
    Ok(checked)
}

/// Takes a token as every call does, and inspects it. A token that the platform refuses is not renewed here.
async fn inspect(cx: &Cx, channel: &Channel, platform: Platform) -> Result<TokenInspection, Unavailable> {
    let state = cx.state();
    let access = state.tokens().access(Holder::Channel(channel.id)).await?;
    let client = state.platforms().client(platform);
    Ok(client.inspect_token(access.client_id.as_deref(), &access.token).await?)
}

/// Scopes that are asked for and were not granted. Those of the connection count where the platform reports none.
fn missing_scopes(channel: &Channel, platform: Platform, reported: Option<Vec<String>>) -> Vec<String> {
    // Neither the platform nor the connection names a scope: nothing is known.
    let granted = reported.or_else(|| Some(channel.scopes.clone()).filter(|scopes| !scopes.is_empty()));
    let Some(granted) = granted else { return Vec::new() };
    let wanted = scopes(ConnectionKind::Channel, platform).iter().copied();
    let lacks = |scope: &&str| !granted.iter().any(|given| given == scope);
    let mut missing: Vec<String> = wanted.filter(lacks).map(str::to_owned).collect();
    missing.sort_unstable();
    missing
}

fn lacking(platform: Platform, missing: &[String]) -> Option<ConnectionFinding> {
    let message = format!("The grant on {platform} lacks the scopes {}.", missing.join(", "));
    (!missing.is_empty()).then(|| ConnectionFinding::new(Code::ScopesMissing, message))
}

/// Finding of a channel that has been live for a while without any event for days.
fn silence(channel: &Channel, now: DateTime<Utc>) -> Option<ConnectionFinding> {
    channel.live_since.filter(|since| now - *since >= MIN_LIVE_DURATION)?;
    let newest = channel.health.last_events.values().max().copied();
    let silent = now - newest.unwrap_or(channel.connected_at);
    let message = format!("The channel is live, and nothing has arrived for {} days.", silent.num_days());
    (silent >= TimeDelta::days(MAX_SILENT_DAYS)).then(|| ConnectionFinding::new(Code::NoEvents, message))
}
