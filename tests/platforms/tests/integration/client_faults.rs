//! The platform clients during failures of the platform.

use std::time::Duration;

use crate::world::{LOGIN_PLATFORMS, World, message, other};
use platforms::{PlatformError, Platforms};
use platforms_stand_in as stand_in;
use shared::{config::platforms::PlatformsConfig, platform::Platform, secret::Secret};
use stand_in::Failure;

/// One call that needs a token, on any platform.
async fn call(world: &World, platform: Platform, user_id: &str, token: &Secret) -> Result<(), PlatformError> {
    match platform {
        Platform::Spotify => world.platforms.spotify().current_user(token).await.map(|_user| ()),
        _ => world.verify_login(platform, user_id, token).await.map(|_identity| ()),
    }
}

#[tokio::test]
async fn client_faults_have_their_error_on_every_platform() {
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
        // Trovo sends a code of its own in addition to the status.
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
async fn client_faults_lose_only_the_failed_message() {
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
async fn client_faults_by_timeout_are_transient() {
    let world = World::start().await;
    let (user, token) = world.user(Platform::Twitch, "ada");
    world.stand_in.fail_next(stand_in::Platform::Twitch, Failure::Slow(Duration::from_secs(60)));
    let error = world.verify_login(Platform::Twitch, &user.id, &token).await.unwrap_err();
    assert_eq!(error, PlatformError::Transient { detail: "no answer in time".into() });
}

#[tokio::test]
async fn client_faults_do_not_include_a_slow_answer() {
    let world = World::start().await;
    let (user, token) = world.user(Platform::Kick, "ada");
    world.stand_in.fail_next(stand_in::Platform::Kick, Failure::Slow(Duration::from_millis(200)));
    world.verify_login(Platform::Kick, &user.id, &token).await.unwrap();
}

#[tokio::test]
async fn client_faults_by_refused_connections_are_transient() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = PlatformsConfig::from_lookup(|name| match name {
        "LUMIO_KICK_API_URL" => Some(format!("http://{unused}")),
        _ => None,
    });
    let platforms = Platforms::new(&config.unwrap(), &foundation::http::client().unwrap());
    let error = platforms.kick().public_key().await.unwrap_err();
    assert_eq!(error, PlatformError::Transient { detail: "no connection".into() });
}

#[tokio::test]
async fn client_faults_never_contain_a_token() {
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
async fn client_faults_follow_a_wrong_application_secret() {
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
        let platforms = Platforms::new(&config.unwrap(), &foundation::http::client().unwrap());
        let refused = match platform {
            Platform::Twitch => platforms.twitch().app_token().await,
            _ => platforms.kick().app_token().await,
        };
        assert!(matches!(refused, Err(PlatformError::Rejected { .. })), "{refused:?}");
    }
}
