//! The platform clients of `shared` against the stand-in: consent, tokens, refreshing and revoking.

use std::time::Duration;

use crate::world::{World, app, other};
use platforms::{Authorization, CodeExchange, DiscordGuild, PkceVerifier, PlatformError, TokenGrant};
use platforms_stand_in as stand_in;
use shared::connection::OAuthApp;
use shared::{platform::Platform, secret::Secret};
use stand_in::{Failure, Rotation, User};
use url::Url;

const REDIRECT: &str = "http://localhost/callback?kind=channel";

/// Addresses of the tokens and of refreshes.
fn token_path(platform: Platform) -> &'static str {
    match platform {
        Platform::Trovo => "token",
        Platform::Spotify => "/api/token",
        _ => "/token",
    }
}

fn parameter(url: &Url, name: &str) -> String {
    let found = url.query_pairs().find(|(found, _)| found == name);
    found.unwrap_or_else(|| panic!("no {name} in {url}")).1.into_owned()
}

/// A page of the platform for an application, as a browser opens it.
fn page(world: &World, platform: Platform, app: &OAuthApp, verifier: Option<&PkceVerifier>) -> Url {
    let request = Authorization {
        client_id: &app.client_id,
        redirect_uri: REDIRECT,
        state: "a state",
        scopes: &["one", "two:three"],
        verifier,
        force_consent: true,
    };
    world.client(platform).authorize_url(&request).unwrap()
}

/// The user agrees and the code is exchanged.
async fn consent(world: &World, platform: Platform, app: &OAuthApp) -> TokenGrant {
    let verifier = PkceVerifier::generate();
    let back = world.stand_in.visit(page(world, platform, app, Some(&verifier)).as_str()).await.unwrap();
    assert_eq!(parameter(&back, "state"), "a state");
    let code = Secret::new(parameter(&back, "code"));
    let request = CodeExchange { code: &code, redirect_uri: REDIRECT, verifier: Some(&verifier) };
    world.client(platform).exchange_code(app, &request).await.unwrap()
}

async fn world_with_user(platform: Platform) -> (World, User) {
    let world = World::start().await;
    let (user, _) = world.user(platform, "ada");
    (world, user)
}

#[tokio::test]
async fn client_oauth_exchanges_a_consent_for_tokens_on_every_platform() {
    for platform in Platform::ALL {
        let (world, user) = world_with_user(platform).await;
        let app = app(&world, platform);
        let granted = consent(&world, platform, &app).await;
        assert!(world.stand_in.is_live(other(platform), granted.access_token.expose()), "{platform}");
        let refresh_token = granted.refresh_token.expect("a refresh token");
        assert!(world.stand_in.is_live(other(platform), refresh_token.expose()), "{platform}");
        assert!(granted.expires_in.is_some_and(|left| left > Duration::from_secs(3000)), "{platform}");
        let expected_scopes = if platform == Platform::Trovo { vec![] } else { vec!["one", "two:three"] };
        assert_eq!(granted.scopes, expected_scopes, "{platform}");
        assert_eq!(granted.guild, None, "{platform}");
        let calls = world.stand_in.token_calls(other(platform));
        assert_eq!(calls.len(), 1);
        assert_eq!((calls[0].client_id.as_str(), calls[0].is_granted), (app.client_id.as_str(), true));
        drop(user);
    }
}

#[tokio::test]
async fn client_oauth_reads_the_owner_of_a_token_as_the_channel() {
    for platform in Platform::ALL {
        let (world, user) = world_with_user(platform).await;
        let (_, token) = world.user(platform, "eve");
        let eve = world.client(platform).token_owner(&app(&world, platform).client_id, &token).await.unwrap();
        let ada = world.stand_in.issue_token(crate::world::token_for(platform, Some(&user.id)));
        let owner = world.client(platform);
        let owner = owner.token_owner(&app(&world, platform).client_id, &Secret::new(ada)).await.unwrap();
        let id = match platform {
            Platform::Youtube => stand_in::youtube::channel_id(&user),
            _ => user.id.clone(),
        };
        assert_eq!((&owner.id, &owner.channel_id), (&id, &id), "{platform}");
        assert_eq!(owner.display_name, user.display_name, "{platform}");
        assert!(owner.avatar_url.is_some_and(|url| url.starts_with("https://")), "{platform}");
        assert_ne!(eve.id, owner.id, "{platform}");
        let dead = world.client(platform).token_owner("app", &Secret::new("dead")).await;
        assert_eq!(dead, Err(PlatformError::Unauthorized), "{platform}");
    }
}

#[tokio::test]
async fn client_oauth_sends_a_challenge_only_where_the_platform_takes_one() {
    let world = World::start().await;
    for platform in Platform::ALL {
        let app = app(&world, platform);
        let verifier = PkceVerifier::generate();
        let url = page(&world, platform, &app, Some(&verifier));
        let challenge = url.query_pairs().find(|(name, _)| name == "code_challenge");
        let expected = platform.takes_pkce().then(|| verifier.challenge());
        assert_eq!(challenge.map(|(_, value)| value.into_owned()), expected, "{platform}");
        assert!(!url.as_str().contains(verifier.text().expose()), "{platform}");
        assert!(!url.as_str().contains(app.client_secret.expose()), "{platform}");
        assert!(url.as_str().contains("scope=one+two%3Athree"), "{platform}: {url}");
    }
    let kick = app(&world, Platform::Kick);
    let request = Authorization {
        client_id: &kick.client_id,
        redirect_uri: REDIRECT,
        state: "s",
        scopes: &[],
        verifier: None,
        force_consent: false,
    };
    let without = world.client(Platform::Kick).authorize_url(&request);
    let message = "kick demands a PKCE challenge".to_owned();
    assert_eq!(without, Err(PlatformError::Rejected { message }));
}

#[tokio::test]
async fn client_oauth_requests_offline_access_and_consent_as_documented() {
    let world = World::start().await;
    for (platform, name, value) in [
        (Platform::Twitch, "force_verify", "true"),
        (Platform::Youtube, "access_type", "offline"),
        (Platform::Youtube, "prompt", "consent"),
        (Platform::Spotify, "show_dialog", "true"),
        (Platform::Discord, "prompt", "consent"),
    ] {
        let url = page(&world, platform, &app(&world, platform), Some(&PkceVerifier::generate()));
        assert_eq!(parameter(&url, name), value, "{platform}");
    }
}

#[tokio::test]
async fn client_oauth_gets_no_tokens_with_another_verifier_code_or_redirect() {
    for platform in Platform::ALL {
        let (world, _) = world_with_user(platform).await;
        let app = app(&world, platform);
        let exchange = async |spoil: &dyn Fn(&mut Secret, &mut &str, &mut PkceVerifier)| {
            let mut verifier = PkceVerifier::generate();
            let url = page(&world, platform, &app, Some(&verifier));
            let back = world.stand_in.visit(url.as_str()).await.unwrap();
            let (mut code, mut redirect_uri) = (Secret::new(parameter(&back, "code")), REDIRECT);
            spoil(&mut code, &mut redirect_uri, &mut verifier);
            let request = CodeExchange { code: &code, redirect_uri, verifier: Some(&verifier) };
            world.client(platform).exchange_code(&app, &request).await.map(drop)
        };
        let is_dead = |outcome: &Result<(), PlatformError>| matches!(outcome, Err(PlatformError::InvalidGrant { message }) if !message.is_empty());
        let code = exchange(&|code, _, _| *code = Secret::new("made-up")).await;
        assert!(is_dead(&code), "{platform}: {code:?}");
        let redirect = exchange(&|_, redirect, _| *redirect = "http://localhost/elsewhere").await;
        assert!(is_dead(&redirect), "{platform}: {redirect:?}");
        let verifier = exchange(&|_, _, verifier| *verifier = PkceVerifier::generate()).await;
        assert_eq!(is_dead(&verifier), platform.takes_pkce(), "{platform}: {verifier:?}");
    }
}

#[tokio::test]
async fn client_oauth_refresh_returns_what_the_platform_documents() {
    for platform in Platform::ALL {
        let (world, _) = world_with_user(platform).await;
        let app = app(&world, platform);
        let first = consent(&world, platform, &app).await;
        let old = first.refresh_token.unwrap();
        let renewed = world.client(platform).refresh(&app, &old).await.unwrap();
        assert_ne!(renewed.access_token.expose(), first.access_token.expose(), "{platform}");
        let new = renewed.refresh_token.as_ref().map(Secret::expose);
        match platform {
            // The same again, or none, which means the same.
            Platform::Twitch => assert_eq!(new, Some(old.expose())),
            Platform::Youtube => assert_eq!(new, None),
            _ => assert!(new.is_some_and(|new| new != old.expose()), "{platform}"),
        }
        assert!(renewed.expires_in.is_some(), "{platform}");
    }
}

#[tokio::test]
async fn client_oauth_distinguishes_a_dead_refresh_token_from_a_refused_application() {
    for platform in Platform::ALL {
        let (world, _) = world_with_user(platform).await;
        let (client, own) = (world.client(platform), app(&world, platform));
        let live = consent(&world, platform, &own).await.refresh_token.unwrap();

        let wrong_secret = OAuthApp { client_secret: Secret::new("wrong"), ..own.clone() };
        let unknown = OAuthApp { client_id: "unknown".into(), ..own.clone() };
        for stranger in [wrong_secret, unknown] {
            let refused = client.refresh(&stranger, &live).await.unwrap_err();
            assert!(matches!(refused, PlatformError::InvalidClient { .. }), "{platform}: {refused:?}");
        }
        // Only the application of a token can refresh it (reference/connections.md#pinned-application).
        world.stand_in.register_app(other(platform), "own-app", "own-secret");
        let foreign = OAuthApp { client_id: "own-app".into(), client_secret: Secret::new("own-secret") };
        let refused = client.refresh(&foreign, &live).await.unwrap_err();
        assert!(matches!(refused, PlatformError::InvalidGrant { .. }), "{platform}: {refused:?}");
        client.refresh(&own, &live).await.unwrap();

        let revoked = consent(&world, platform, &own).await.refresh_token.unwrap();
        assert!(world.stand_in.revoke_token(other(platform), revoked.expose()));
        for dead in [revoked, Secret::new("made-up")] {
            let refused = client.refresh(&own, &dead).await.unwrap_err();
            let is_dead = matches!(&refused, PlatformError::InvalidGrant { message } if !message.is_empty());
            assert!(is_dead, "{platform}: {refused:?}");
            assert!(!refused.is_transient());
        }
    }
}

#[tokio::test]
async fn client_oauth_takes_platform_failures_as_transient() {
    for platform in Platform::ALL {
        let (world, _) = world_with_user(platform).await;
        let (client, app) = (world.client(platform), app(&world, platform));
        let refresh_token = consent(&world, platform, &app).await.refresh_token.unwrap();
        let fails = async |failure| {
            world.stand_in.fail_next_at(other(platform), token_path(platform), failure);
            client.refresh(&app, &refresh_token).await.unwrap_err()
        };
        for failure in [
            Failure::ServerError,
            Failure::Reset,
            Failure::RateLimited { retry_after: Duration::from_secs(3) },
        ] {
            let error = fails(failure.clone()).await;
            assert!(error.is_transient(), "{platform}, {failure:?}: {error:?}");
        }
        for failure in [Failure::Malformed, Failure::Oversized] {
            let error = fails(failure).await;
            assert!(matches!(error, PlatformError::InvalidResponse { .. }), "{platform}: {error:?}");
        }
        world.stand_in.fail_next_at(
            other(platform),
            token_path(platform),
            Failure::Slow(Duration::from_millis(300)),
        );
        client.refresh(&app, &refresh_token).await.unwrap();
    }
}

#[tokio::test]
async fn client_oauth_never_takes_a_401_of_the_token_endpoint_as_unauthorized() {
    for platform in Platform::ALL {
        let (world, _) = world_with_user(platform).await;
        let (client, app) = (world.client(platform), app(&world, platform));
        let refresh_token = consent(&world, platform, &app).await.refresh_token.unwrap();
        world.stand_in.fail_next_at(other(platform), token_path(platform), Failure::Unauthorized);
        let error = client.refresh(&app, &refresh_token).await.unwrap_err();
        // Twitch documents 401 for a consent that the user has withdrawn.
        let is_expected = match platform {
            Platform::Twitch => matches!(error, PlatformError::InvalidGrant { .. }),
            _ => matches!(error, PlatformError::InvalidClient { .. }),
        };
        assert!(is_expected, "{platform}: {error:?}");
    }
}

#[tokio::test]
async fn client_oauth_revokes_tokens_and_may_repeat_it() {
    for platform in Platform::ALL {
        let (world, _) = world_with_user(platform).await;
        let (client, app) = (world.client(platform), app(&world, platform));
        let granted = consent(&world, platform, &app).await;
        let refresh_token = granted.refresh_token.as_ref();
        let revoked = client.revoke(&app, &granted.access_token, refresh_token).await;
        if platform == Platform::Spotify {
            assert_eq!(revoked, Err(PlatformError::Unsupported { platform, action: "revoke" }));
            continue;
        }
        revoked.unwrap();
        assert!(!world.stand_in.is_live(other(platform), granted.access_token.expose()), "{platform}");
        // Twitch and Trovo document a revocation of access tokens only.
        let keeps_refresh_token = matches!(platform, Platform::Twitch | Platform::Trovo);
        let is_live = world.stand_in.is_live(other(platform), refresh_token.unwrap().expose());
        assert_eq!(is_live, keeps_refresh_token, "{platform}");
        client.revoke(&app, &granted.access_token, refresh_token).await.unwrap();

        world.stand_in.fail_next_at(other(platform), "revoke", Failure::ServerError);
        let away = client.revoke(&app, &granted.access_token, refresh_token).await.unwrap_err();
        assert!(away.is_transient(), "{platform}: {away:?}");
    }
}

#[tokio::test]
async fn client_oauth_loses_the_grant_of_a_reused_guarded_refresh_token() {
    let (world, _) = world_with_user(Platform::Kick).await;
    let (kick, client, app) =
        (stand_in::Platform::Kick, world.client(Platform::Kick), app(&world, Platform::Kick));
    world.stand_in.set_rotation(kick, Rotation::Guarded);
    world.stand_in.set_access_lifetime(kick, 60);
    let old = consent(&world, Platform::Kick, &app).await.refresh_token.unwrap();
    let renewed = client.refresh(&app, &old).await.unwrap();
    assert_eq!(renewed.expires_in, Some(Duration::from_secs(60)));
    let replayed = client.refresh(&app, &old).await.unwrap_err();
    assert!(matches!(replayed, PlatformError::InvalidGrant { .. }), "{replayed:?}");
    let successor = renewed.refresh_token.unwrap();
    let dead = client.refresh(&app, &successor).await.unwrap_err();
    assert!(matches!(dead, PlatformError::InvalidGrant { .. }), "{dead:?}");
    let granted: Vec<bool> = world.stand_in.token_calls(kick).iter().map(|call| call.is_granted).collect();
    assert_eq!(granted, [true, true, false, false]);
}

#[tokio::test]
async fn client_oauth_loses_every_token_when_a_user_removes_the_application() {
    for platform in Platform::ALL {
        let (world, _) = world_with_user(platform).await;
        let (client, app) = (world.client(platform), app(&world, platform));
        let granted = consent(&world, platform, &app).await;
        assert!(world.stand_in.revoke_authorisation(other(platform), granted.access_token.expose()));
        let owner = client.token_owner(&app.client_id, &granted.access_token).await;
        assert_eq!(owner, Err(PlatformError::Unauthorized), "{platform}");
        let refused = client.refresh(&app, &granted.refresh_token.unwrap()).await.unwrap_err();
        assert!(matches!(refused, PlatformError::InvalidGrant { .. }), "{platform}: {refused:?}");
    }
}

#[tokio::test]
async fn client_oauth_reads_the_guild_when_the_discord_bot_is_added() {
    let (world, _) = world_with_user(Platform::Discord).await;
    let (client, app) = (world.client(Platform::Discord), app(&world, Platform::Discord));
    for picked in [None, Some(("1234", "Ada's server"))] {
        if let Some((id, name)) = picked {
            world.stand_in.pick_guild(id, name);
        }
        let request = Authorization {
            client_id: &app.client_id,
            redirect_uri: REDIRECT,
            state: "s",
            scopes: &["bot", "identify"],
            verifier: None,
            force_consent: false,
        };
        let url = client.authorize_url(&request).unwrap();
        let back = world.stand_in.visit(url.as_str()).await.unwrap();
        let code = Secret::new(parameter(&back, "code"));
        let request = CodeExchange { code: &code, redirect_uri: REDIRECT, verifier: None };
        let guild = client.exchange_code(&app, &request).await.unwrap().guild.unwrap();
        assert_eq!(parameter(&back, "guild_id"), guild.id);
        if let Some((id, name)) = picked {
            assert_eq!(guild, DiscordGuild { id: id.into(), name: name.into(), icon: None });
        }
    }
}
