//! Deliveries of a channel: those that were requested, compared with those that the platform knows, and the daemon that
//! reads channels without deliveries.

use std::collections::BTreeMap;

use api_core::{Cx, Result};
use chrono::{DateTime, TimeDelta, Utc};
use connection_model::health::{ReaderHealth, ReaderState};
use platform_access::PlatformAccess;
use platform_credentials::tokens::{Holder, Unavailable};
use platforms::PlatformError;
use shared::{config::EventSubTransport, connection::OAuthApp, platform::Platform, secret::Secret};
use tokio::time::timeout;

use super::{
    ConnectionFinding, ConnectionFindingCode as Code, DiagnosedSubscription, PlatformSubscriptionStatus,
    db::Channel,
    refusals::{STEP_TIMEOUT, finding_of, no_answer, refused},
};

/// Status of a subscription of Twitch that works.
const TWITCH_ENABLED: &str = "enabled";
/// Status of a subscription of Twitch whose address has not answered the challenge yet.
const TWITCH_PENDING: &str = "webhook_callback_verification_pending";
/// Time after which a reader that is connecting is a finding.
const MAX_CONNECTING_DURATION: TimeDelta = TimeDelta::minutes(5);

/// Deliveries with their findings.
pub(super) struct Diagnosed {
    pub subscriptions: Vec<DiagnosedSubscription>,
    pub findings: Vec<ConnectionFinding>,
}

/// Subscriptions that the platform knows: type, and true when it delivers.
type Known = BTreeMap<String, bool>;

impl Diagnosed {
    /// Deliveries as they are recorded, for a channel whose platform is not asked.
    pub fn stored(channel: &Channel) -> Self {
        let subscription = |(event_type, refusal): (&String, &Option<String>)| DiagnosedSubscription {
            event_type: event_type.clone(),
            status: match refusal {
                Some(_) => PlatformSubscriptionStatus::Refused,
                None => PlatformSubscriptionStatus::Unknown,
            },
            detail: refusal.clone(),
        };
        let subscriptions = channel.health.subscriptions.iter().map(subscription).collect();
        Self { subscriptions, findings: Vec::new() }
    }

    /// Compares the recorded deliveries with those that the platform knows.
    fn compare(&mut self, known: &Known) {
        let recorded =
            self.subscriptions.iter_mut().filter(|one| one.status == PlatformSubscriptionStatus::Unknown);
        for subscription in recorded {
            subscription.status = match known.get(&subscription.event_type) {
                Some(true) => PlatformSubscriptionStatus::Active,
                Some(false) => PlatformSubscriptionStatus::Pending,
                None => PlatformSubscriptionStatus::Lost,
            };
        }
    }

    /// Adds the findings that follow from the states.
    fn conclude(&mut self, platform: Platform) {
        let of = |status| {
            let named = self.subscriptions.iter().filter(move |one| one.status == status);
            let types: Vec<&str> = named.map(|one| one.event_type.as_str()).collect();
            (!types.is_empty()).then(|| types.join(", "))
        };
        let lost = of(PlatformSubscriptionStatus::Lost)
            .map(|types| (Code::SubscriptionsLost, format!("{platform} no longer delivers {types}.")));
        let refused = of(PlatformSubscriptionStatus::Refused)
            .map(|types| (Code::SubscriptionsRefused, format!("{platform} refused to deliver {types}.")));
        let pending = of(PlatformSubscriptionStatus::Pending)
            .map(|types| (Code::SubscriptionsPending, format!("{platform} has not confirmed {types} yet.")));
        let none = self.subscriptions.is_empty().then(|| {
            (Code::SubscriptionsPending, format!("Nothing has been requested from {platform} yet."))
        });
        let found = [lost, refused, pending, none].into_iter().flatten();
        self.findings.extend(found.map(|(code, message)| ConnectionFinding::new(code, message)));
    }
}

/// Checks the deliveries of a channel. `works` is true when its token was accepted.
pub(super) async fn check(
    cx: &Cx,
    channel: &Channel,
    platform: Platform,
    application: Option<&OAuthApp>,
    works: bool,
) -> Result<Diagnosed> {
    let mut diagnosed = Diagnosed::stored(channel);
    let now = cx.state().clock.now();
    let is_socket = cx.state().config.ingest.twitch_transport == EventSubTransport::Websocket;
    match platform {
        Platform::Twitch if is_socket => diagnosed.findings.extend(reader(channel, platform, now)),
        Platform::Twitch => match application {
            Some(application) => {
                let asked = timeout(STEP_TIMEOUT, at_twitch(cx, channel, application)).await;
                diagnosed.take(platform, asked.unwrap_or_else(|_elapsed| Err(no_answer())), now);
            }
            // The missing application is a finding already.
            None => diagnosed.conclude(platform),
        },
        Platform::Kick if works => {
            let asked = timeout(STEP_TIMEOUT, at_kick(cx, channel)).await;
            match asked {
                Ok(Err(Unavailable::Failed(error))) => return Err(error.into()),
                Ok(Err(unavailable)) => diagnosed.findings.push(finding_of(platform, unavailable, now)),
                Ok(Ok(known)) => diagnosed.take(platform, Ok(known), now),
                Err(_elapsed) => diagnosed.findings.push(refused(platform, no_answer(), now)),
            }
        }
        Platform::Youtube | Platform::Trovo => diagnosed.findings.extend(reader(channel, platform, now)),
        Platform::Kick | Platform::Spotify | Platform::Discord => {}
    }
    Ok(diagnosed)
}

impl Diagnosed {
    /// Takes what the platform answered.
    fn take(&mut self, platform: Platform, asked: Result<Known, PlatformError>, now: DateTime<Utc>) {
        match asked {
            Ok(known) => {
                self.compare(&known);
                self.conclude(platform);
            }
            // The token in the call was the application's.
            Err(PlatformError::Unauthorized) => {
                let message = format!("{platform} refuses the token of the application.");
                self.findings.push(ConnectionFinding::new(Code::ApplicationRefused, message));
            }
            Err(error) => self.findings.push(refused(platform, error, now)),
        }
    }
}

async fn at_twitch(cx: &Cx, channel: &Channel, application: &OAuthApp) -> Result<Known, PlatformError> {
    let twitch = cx.state().platforms().twitch();
    let token = app_token(cx, application).await?;
    let found =
        twitch.eventsub_subscriptions_of(&application.client_id, &token, &channel.platform_channel_id).await;
    if matches!(found, Err(PlatformError::Unauthorized)) {
        cx.state().platforms().forget_app_token(Platform::Twitch, &token).await;
    }
    let mut known = Known::new();
    for subscription in found? {
        let delivers = match subscription.status.as_str() {
            TWITCH_ENABLED => true,
            TWITCH_PENDING => false,
            _ => continue,
        };
        *known.entry(subscription.subscription_type).or_default() |= delivers;
    }
    Ok(known)
}

/// Token of the application. That of the configured one is cached.
async fn app_token(cx: &Cx, application: &OAuthApp) -> Result<Secret, PlatformError> {
    let platforms = cx.state().platforms();
    let configured = cx.state().config.platforms.twitch.client_id.as_deref();
    if configured == Some(application.client_id.as_str()) {
        return platforms.app_token(Platform::Twitch).await;
    }
    Ok(platforms.twitch().app_token_of(application).await?.access_token)
}

async fn at_kick(cx: &Cx, channel: &Channel) -> Result<Known, Unavailable> {
    let state = cx.state();
    let access = state.tokens().access(Holder::Channel(channel.id)).await?;
    let active = state.platforms().kick().event_subscriptions(&access.token, &channel.platform_channel_id);
    Ok(active.await?.into_iter().map(|one| (one.event, true)).collect())
}

/// Finding of the daemon that reads the channel.
fn reader(channel: &Channel, platform: Platform, now: DateTime<Utc>) -> Option<ConnectionFinding> {
    let Some(ReaderHealth { state, detail, since }) = &channel.health.reader else {
        let message = format!("No daemon has begun to read the channel on {platform}.");
        return Some(ConnectionFinding::new(Code::ReaderMissing, message));
    };
    let cause = detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default();
    match state {
        ReaderState::Refused => {
            let message = format!("{platform} refuses the reader of the channel{cause}.");
            Some(ConnectionFinding::new(Code::ReaderRefused, message))
        }
        // A channel that is offline is not read.
        ReaderState::Waiting if channel.live_since.is_some() => {
            let message = format!("The reader of the channel waits although the channel is live{cause}.");
            Some(ConnectionFinding::new(Code::ReaderWaiting, message))
        }
        ReaderState::Connecting if now - *since > MAX_CONNECTING_DURATION => {
            let message = format!("The reader of the channel does not get through to {platform}{cause}.");
            Some(ConnectionFinding::new(Code::ReaderWaiting, message))
        }
        ReaderState::Waiting | ReaderState::Connecting | ReaderState::Reading => None,
    }
}
