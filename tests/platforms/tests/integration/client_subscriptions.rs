//! The subscriptions that platform clients make with application tokens.

use std::time::Duration;

use crate::receiver::{Challenge, Receiver};
use crate::world::World;
use platforms::{
    PlatformError,
    twitch::{EventSubTopic, NewEventSubSubscription},
};
use platforms_stand_in as stand_in;
use shared::{platform::Platform, secret::Secret};

const EVENTSUB_SECRET: &str = "a-secret-of-this-test";
const TIMEOUT: Duration = Duration::from_secs(10);

fn chat_of(user: &stand_in::User, callback: &str) -> NewEventSubSubscription {
    NewEventSubSubscription {
        topic: EventSubTopic::ChannelChatMessage {
            broadcaster_user_id: user.id.clone(),
            user_id: user.id.clone(),
        },
        callback: callback.parse().unwrap(),
        secret: Secret::new(EVENTSUB_SECRET),
    }
}

#[tokio::test]
async fn client_subscriptions_of_twitch_are_enabled_by_the_returned_challenge() {
    let world = World::start().await;
    let receiver = Receiver::start(Challenge::Echo).await;
    let (user, _) = world.user(Platform::Twitch, "channel");
    let twitch = world.platforms.twitch();
    let app = twitch.app_token().await.unwrap();
    assert!(app.expires_in > Duration::from_secs(3600));
    let wanted = chat_of(&user, &receiver.url);
    let made = twitch.create_eventsub_subscription(&app.access_token, &wanted).await.unwrap();
    assert_eq!(made.status, "webhook_callback_verification_pending");
    assert_eq!((made.subscription_type.as_str(), made.version.as_str()), ("channel.chat.message", "1"));
    assert_eq!(world.stand_in.eventsub_status(&made.id, TIMEOUT).await.as_deref(), Some("enabled"));

    let again = twitch.create_eventsub_subscription(&app.access_token, &wanted).await;
    let message = "subscription already exists".into();
    assert_eq!(again, Err(PlatformError::Conflict { message }));
}

#[tokio::test]
async fn client_subscriptions_of_twitch_need_grants_and_an_application_token() {
    let world = World::start().await;
    let receiver = Receiver::start(Challenge::Echo).await;
    let closed = stand_in::NewUser { scopes: Some(Vec::new()), ..Default::default() };
    let closed = world.stand_in.create_user_with(stand_in::Platform::Twitch, closed).user;
    let twitch = world.platforms.twitch();
    let app = twitch.app_token().await.unwrap().access_token;
    let refused = twitch.create_eventsub_subscription(&app, &chat_of(&closed, &receiver.url)).await;
    let message = "subscription missing proper authorization".into();
    assert_eq!(refused, Err(PlatformError::Rejected { message }));

    let (open, token) = world.user(Platform::Twitch, "open");
    let refused = twitch.create_eventsub_subscription(&token, &chat_of(&open, &receiver.url)).await;
    assert!(matches!(refused, Err(PlatformError::Rejected { .. })), "{refused:?}");
    assert!(world.stand_in.eventsub_subscriptions().is_empty());
}

#[tokio::test]
async fn client_subscriptions_of_kick_succeed_or_fail_one_by_one() {
    let world = World::start().await;
    let (user, _) = world.user(Platform::Kick, "channel");
    let kick = world.platforms.kick();
    let app = kick.app_token().await.unwrap();
    assert_eq!(app.expires_in, Duration::from_secs(7200));
    let events = ["chat.message.sent", "channel.raided", "channel.followed"];
    let rows = kick.create_event_subscriptions(&app.access_token, &user.id, &events).await.unwrap();
    let outcome: Vec<_> =
        rows.iter().map(|row| (row.subscription_id.is_some(), row.error.is_some())).collect();
    assert_eq!(outcome, [(true, false), (false, true), (true, false)]);
    assert_eq!(world.stand_in.kick_subscriptions().len(), 2);

    let unknown = kick.create_event_subscriptions(&app.access_token, "12", &events).await;
    assert!(matches!(unknown, Err(PlatformError::Rejected { .. })), "{unknown:?}");
}
