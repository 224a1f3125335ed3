//! The platform clients of `shared` when the platform misbehaves, and their application-level calls.

use std::time::Duration;

use crate::receiver::{Challenge, Receiver};
use crate::world::{LOGIN_PLATFORMS, World, message, other};
use platforms_stand_in as stand_in;
use shared::{
    platforms::{
        Platform, PlatformError, Platforms, PlatformsConfig,
        twitch::{EventSubTopic, NewEventSubSubscription},
    },
    secret::Secret,
};
use stand_in::Failure;

const EVENTSUB_SECRET: &str = "a-secret-of-this-test";
const TIMEOUT: Duration = Duration::from_secs(10);

/// One call that needs a token, made on any platform.
async fn call(world: &World, platform: Platform, user_id: &str, token: &Secret) -> Result<(), PlatformError> {
    match platform {
        Platform::Spotify => world.platforms.spotify().current_user(token).await.map(|_user| ()),
        _ => world.verify_login(platform, user_id, token).await.map(|_identity| ()),
    }
}

#[tokio::test]
async fn every_failure_has_its_error_on_every_platform() {
    let world = World::start().await;
    let wait = Duration::from_secs(7);
    for platform in Platform::ALL {
        let (user, token) = world.user(platform, "ada");
        let outcome = async |failure| {
            world.stand_in.fail_next(other(platform), failure);
            call(&world, platform, &user.id, &token).await.unwrap_err()
        };
        assert_eq!(outcome(Failure::Unauthorized).await, PlatformError::Unauthorized, "{platform}");
        let limited = outcome(Failure::RateLimited { retry_after: wait }).await;
        let PlatformError::RateLimited { retry_after: Some(stated) } = limited else {
            panic!("{platform}: {limited:?}")
        };
        // Trovo states a time of day in whole seconds, so one may have passed.
        assert!((5..=7).contains(&stated.as_secs()), "{platform}: {stated:?}");
        // Trovo states a code of its own beside the status.
        let server_error = if platform == Platform::Trovo { "code -1000" } else { "status 503" };
        for (failure, detail) in
            [(Failure::ServerError, server_error), (Failure::Reset, "the connection broke")]
        {
            let error = outcome(failure).await;
            assert_eq!(error, PlatformError::Transient { detail: detail.into() }, "{platform}");
            assert!(error.is_transient());
        }
        let malformed = "not the documented JSON (Syntax at line 1 column 1)";
        for (failure, detail) in [(Failure::Malformed, malformed), (Failure::Oversized, "longer than 1 MiB")]
        {
            let error = outcome(failure).await;
            assert_eq!(error, PlatformError::InvalidResponse { detail: detail.into() }, "{platform}");
            assert!(!error.is_transient());
        }
        call(&world, platform, &user.id, &token).await.unwrap();
    }
}

#[tokio::test]
async fn a_failed_message_is_not_sent_and_the_next_one_is() {
    let world = World::start().await;
    for platform in [Platform::Twitch, Platform::Kick] {
        let (user, token) = world.user(platform, "ada");
        let line = message(&user.id, &user.id, "hello");
        for failure in [Failure::ServerError, Failure::Reset, Failure::Unauthorized] {
            world.stand_in.fail_next_at(other(platform), "/chat", failure);
            world.client(platform).send_chat(&world.as_user(&token), &line).await.unwrap_err();
        }
        assert!(world.stand_in.sent_messages(other(platform)).is_empty(), "{platform}");
        world.client(platform).send_chat(&world.as_user(&token), &line).await.unwrap();
        assert_eq!(world.stand_in.sent_messages(other(platform)).len(), 1, "{platform}");
    }
}

#[tokio::test]
async fn a_platform_that_does_not_answer_in_time_is_transient() {
    let world = World::start().await;
    let (user, token) = world.user(Platform::Twitch, "ada");
    world.stand_in.fail_next(stand_in::Platform::Twitch, Failure::Slow(Duration::from_secs(60)));
    let error = world.verify_login(Platform::Twitch, &user.id, &token).await.unwrap_err();
    assert_eq!(error, PlatformError::Transient { detail: "no answer in time".into() });
}

#[tokio::test]
async fn a_slow_answer_is_still_an_answer() {
    let world = World::start().await;
    let (user, token) = world.user(Platform::Kick, "ada");
    world.stand_in.fail_next(stand_in::Platform::Kick, Failure::Slow(Duration::from_millis(200)));
    world.verify_login(Platform::Kick, &user.id, &token).await.unwrap();
}

#[tokio::test]
async fn a_platform_that_is_away_is_transient() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = PlatformsConfig::from_lookup(|name| match name {
        "LUMIO_KICK_API_URL" => Some(format!("http://{unused}")),
        _ => None,
    });
    let platforms = Platforms::new(&config.unwrap(), &shared::http::client().unwrap());
    let error = platforms.kick().public_key().await.unwrap_err();
    assert_eq!(error, PlatformError::Transient { detail: "no connection".into() });
}

#[tokio::test]
async fn no_error_repeats_a_token() {
    let world = World::start().await;
    for platform in LOGIN_PLATFORMS {
        let (user, token) = world.user(platform, "ada");
        for failure in [
            Failure::Unauthorized,
            Failure::ServerError,
            Failure::Reset,
            Failure::Malformed,
            Failure::Oversized,
        ] {
            world.stand_in.fail_next(other(platform), failure);
            let error = call(&world, platform, &user.id, &token).await.unwrap_err();
            let printed = format!("{error} {error:?} {token:?}");
            assert!(!printed.contains(token.expose()), "{platform}");
        }
    }
}

#[tokio::test]
async fn an_application_with_a_wrong_secret_gets_no_token() {
    let world = World::start().await;
    for (platform, variable) in
        [(Platform::Twitch, "LUMIO_TWITCH_CLIENT_SECRET"), (Platform::Kick, "LUMIO_KICK_CLIENT_SECRET")]
    {
        let config = PlatformsConfig::from_lookup(|name| {
            if name == variable {
                return Some("wrong".into());
            }
            world.stand_in.environment().into_iter().find(|(found, _)| found == name).map(|(_, value)| value)
        });
        let platforms = Platforms::new(&config.unwrap(), &shared::http::client().unwrap());
        let refused = match platform {
            Platform::Twitch => platforms.twitch().app_token().await,
            _ => platforms.kick().app_token().await,
        };
        assert!(matches!(refused, Err(PlatformError::Rejected { .. })), "{refused:?}");
    }
}

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
async fn an_eventsub_subscription_is_enabled_by_the_answered_challenge() {
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
async fn an_eventsub_subscription_needs_grants_and_a_token_of_the_application() {
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
async fn kick_events_are_subscribed_to_one_by_one() {
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

#[tokio::test]
async fn the_public_key_of_kick_is_read() {
    let world = World::start().await;
    let pem = world.platforms.kick().public_key().await.unwrap();
    assert_eq!(pem, world.stand_in.kick_key().public_pem());
}
