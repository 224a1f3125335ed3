//! The platform clients of `shared` against the stand-in: signing in and sending chat.

use crate::world::{LOGIN_PLATFORMS, World, message, other, token_for};
use platforms::{ChatCredentials, PlatformError, SendAs, SentMessage};
use platforms_stand_in as stand_in;
use shared::{platform::Platform, secret::Secret};
use stand_in::{NewToken, NewUser};

#[tokio::test]
async fn clients_sign_in_with_a_token_of_the_owner_and_the_application() {
    let world = World::start().await;
    for platform in LOGIN_PLATFORMS {
        let (user, token) = world.user(platform, "ada");
        let identity = world.verify_login(platform, &user.id, &token).await.unwrap();
        assert_eq!((identity.platform, &identity.provider_user_id), (platform, &user.id));
        assert!(!identity.scopes.is_empty(), "{platform} tells the scopes");
        if platform != Platform::Youtube {
            let named = [identity.username, identity.display_name];
            assert!(named.contains(&Some("ada".into())), "{platform}: {named:?}");
        }
        if platform != Platform::Trovo {
            let expires_in = identity.expires_in.unwrap().as_secs();
            assert!((3_500..=604_800).contains(&expires_in), "{platform}: {expires_in} s");
        }
    }
}

#[tokio::test]
async fn clients_reject_a_token_issued_to_another_application() {
    let world = World::start().await;
    for platform in LOGIN_PLATFORMS {
        let (user, _token) = world.user(platform, "ada");
        let foreign = world.stand_in.issue_token(NewToken {
            client_id: Some("somebody-elses-app".into()),
            ..token_for(platform, Some(&user.id))
        });
        let refused = world.verify_login(platform, &user.id, &Secret::new(foreign)).await.unwrap_err();
        // Trovo's own addresses already refuse a token that does not fit the Client-ID header.
        let expected = match platform {
            Platform::Trovo => PlatformError::Unauthorized,
            _ => PlatformError::Rejected {
                message: "the access token was issued to another application".into(),
            },
        };
        assert_eq!(refused, expected, "{platform}");
    }
}

#[tokio::test]
async fn clients_reject_a_token_of_another_user() {
    let world = World::start().await;
    for platform in LOGIN_PLATFORMS {
        let (ada, _) = world.user(platform, "ada");
        let (_, token_of_bob) = world.user(platform, "bob");
        let refused = world.verify_login(platform, &ada.id, &token_of_bob).await.unwrap_err();
        let message = "the access token belongs to another user".into();
        assert_eq!(refused, PlatformError::Rejected { message }, "{platform}");
    }
}

#[tokio::test]
async fn clients_reject_an_application_token_for_signing_in() {
    let world = World::start().await;
    for platform in [Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Discord] {
        let (user, _) = world.user(platform, "ada");
        let token = world.stand_in.issue_token(token_for(platform, None));
        let refused = world.verify_login(platform, &user.id, &Secret::new(token)).await.unwrap_err();
        assert!(matches!(refused, PlatformError::Rejected { .. }), "{platform}: {refused:?}");
    }
}

#[tokio::test]
async fn clients_report_unknown_expired_and_revoked_tokens_as_unauthorized() {
    let world = World::start().await;
    for platform in LOGIN_PLATFORMS {
        let (user, revoked) = world.user(platform, "ada");
        assert!(world.stand_in.revoke_token(other(platform), revoked.expose()));
        let expired = world
            .stand_in
            .issue_token(NewToken { expires_in_secs: Some(-1), ..token_for(platform, Some(&user.id)) });
        for token in [revoked, Secret::new(expired), Secret::new("no-such-token"), Secret::new("odd\ntoken")]
        {
            let refused = world.verify_login(platform, &user.id, &token).await.unwrap_err();
            assert_eq!(refused, PlatformError::Unauthorized, "{platform}");
        }
    }
}

#[tokio::test]
async fn clients_have_no_application_token_without_a_client_id() {
    let world = World::start_without(|variable| variable.ends_with("_CLIENT_ID")).await;
    for app_token in [world.platforms.twitch().app_token().await, world.platforms.kick().app_token().await] {
        assert!(matches!(app_token, Err(PlatformError::NotConfigured { .. })));
    }
}

#[tokio::test]
async fn clients_return_only_a_verified_address() {
    let world = World::start().await;
    let (user, token) = world.user(Platform::Youtube, "ada");
    assert_eq!(
        world.verify_login(Platform::Youtube, &user.id, &token).await.unwrap().email,
        Some(user.email.clone())
    );
    let without_email = world.stand_in.issue_token(NewToken {
        scopes: Some(vec!["openid".into()]),
        ..token_for(Platform::Youtube, Some(&user.id))
    });
    let identity =
        world.verify_login(Platform::Youtube, &user.id, &Secret::new(without_email)).await.unwrap();
    assert_eq!(identity.email, None);
}

#[tokio::test]
async fn clients_of_spotify_know_users_but_neither_login_nor_chat() {
    let world = World::start().await;
    let (user, token) = world.user(Platform::Spotify, "ada");
    let found = world.platforms.spotify().current_user(&token).await.unwrap();
    assert_eq!((found.id, found.display_name), (user.id.clone(), Some("ada".into())));
    let dead = world.platforms.spotify().current_user(&Secret::new("dead")).await;
    assert_eq!(dead, Err(PlatformError::Unauthorized));
    let client = world.client(Platform::Spotify);
    let unsupported = |action| PlatformError::Unsupported { platform: Platform::Spotify, action };
    assert_eq!(
        world.verify_login(Platform::Spotify, &user.id, &token).await.unwrap_err(),
        unsupported("login")
    );
    let sent = client.send_chat(&world.as_user(&token), &message("1", "1", "hi")).await;
    assert_eq!(sent, Err(unsupported("chat")));
}

#[tokio::test]
async fn clients_send_as_a_user_into_every_chat() {
    let world = World::start().await;
    for platform in [Platform::Twitch, Platform::Kick, Platform::Youtube, Platform::Trovo] {
        let (broadcaster, _) = world.user(platform, "channel");
        let (sender, token) = world.user(platform, "ada");
        let channel_id = match platform {
            Platform::Youtube => stand_in::youtube::live_chat_id(&broadcaster),
            _ => broadcaster.id.clone(),
        };
        let mut line = message(&channel_id, &sender.id, "Grüße, \"chat\" 👋");
        line.reply_to = Some("parent".into());
        let answer = world.client(platform).send_chat(&world.as_user(&token), &line).await.unwrap();

        let sent = world.stand_in.sent_messages(other(platform));
        assert_eq!(sent.len(), 1, "{platform}");
        assert_eq!((&sent[0].channel_id, &sent[0].text), (&channel_id, &line.text), "{platform}");
        assert_eq!(sent[0].sender_id.as_ref(), Some(&sender.id), "{platform}");
        let has_replies = matches!(platform, Platform::Twitch | Platform::Kick);
        assert_eq!(sent[0].reply_to, has_replies.then(|| "parent".into()), "{platform}");
        let message_id = (platform != Platform::Trovo).then(|| sent[0].message_id.clone());
        assert_eq!(answer, SentMessage { message_id }, "{platform}");
    }
}

#[tokio::test]
async fn clients_send_as_the_twitch_bot_with_an_application_token() {
    let world = World::start().await;
    let (broadcaster, _) = world.user(Platform::Twitch, "channel");
    let (bot, _) = world.user(Platform::Twitch, "lumiobot");
    let credentials = world.twitch_app().await;
    let line = message(&broadcaster.id, &bot.id, "hello");
    world.client(Platform::Twitch).send_chat(&credentials, &line).await.unwrap();
    let sent = &world.stand_in.sent_messages(stand_in::Platform::Twitch)[0];
    assert!(sent.is_bot);
    assert_eq!(sent.sender_id.as_ref(), Some(&bot.id));
}

#[tokio::test]
async fn clients_send_as_the_twitch_bot_only_with_both_consents() {
    let world = World::start().await;
    let scopes = |scopes: &[&str]| Some(scopes.iter().map(|scope| (*scope).to_owned()).collect());
    let twitch = stand_in::Platform::Twitch;
    let closed = NewUser { scopes: scopes(&["user:read:email"]), ..NewUser::default() };
    let closed = world.stand_in.create_user_with(twitch, closed).user;
    let (open, _) = world.user(Platform::Twitch, "open");
    let credentials = world.twitch_app().await;
    let client = world.client(Platform::Twitch);
    let foreign_channel = client.send_chat(&credentials, &message(&closed.id, &open.id, "hi")).await;
    assert!(matches!(foreign_channel, Err(PlatformError::Rejected { .. })), "{foreign_channel:?}");
    let foreign_bot = client.send_chat(&credentials, &message(&open.id, &closed.id, "hi")).await;
    assert_eq!(foreign_bot, Err(PlatformError::Unauthorized));
    assert!(world.stand_in.sent_messages(twitch).is_empty());
}

#[tokio::test]
async fn clients_send_as_the_kick_bot_into_the_channel_of_the_token() {
    let world = World::start().await;
    let (broadcaster, token) = world.user(Platform::Kick, "channel");
    let credentials = ChatCredentials { send_as: SendAs::Bot, access_token: token, client_id: None };
    let line = message(&broadcaster.id, "", "hello");
    world.client(Platform::Kick).send_chat(&credentials, &line).await.unwrap();
    let sent = &world.stand_in.sent_messages(stand_in::Platform::Kick)[0];
    assert!(sent.is_bot);
    assert_eq!(sent.channel_id, broadcaster.id);
    let odd = world.client(Platform::Kick).send_chat(&credentials, &message("not-a-number", "", "hi")).await;
    let reason = "channel id `not-a-number` is not a Kick id".to_owned();
    assert_eq!(odd, Err(PlatformError::Rejected { message: reason }));
}

#[tokio::test]
async fn clients_send_to_discord_only_as_the_bot() {
    let world = World::start().await;
    let token = Secret::new(stand_in::discord::BOT_TOKEN);
    let line = message("1234567890", "", "hello @everyone");
    let client = world.client(Platform::Discord);
    let bot = ChatCredentials { send_as: SendAs::Bot, access_token: token.clone(), client_id: None };
    let answer = client.send_chat(&bot, &line).await.unwrap();
    let sent = &world.stand_in.sent_messages(stand_in::Platform::Discord)[0];
    assert_eq!((answer.message_id.as_ref(), &sent.text), (Some(&sent.message_id), &line.text));
    let user = client.send_chat(&world.as_user(&token), &line).await;
    let expected = PlatformError::Unsupported { platform: Platform::Discord, action: "chat as user" };
    assert_eq!(user, Err(expected));
}

#[tokio::test]
async fn clients_report_a_message_beyond_the_limit_as_rejected() {
    let world = World::start().await;
    for platform in [Platform::Twitch, Platform::Kick, Platform::Youtube, Platform::Trovo] {
        let (user, token) = world.user(platform, "ada");
        let channel_id = match platform {
            Platform::Youtube => stand_in::youtube::live_chat_id(&user),
            _ => user.id.clone(),
        };
        let limit = platform.chat_message_limit().unwrap();
        let credentials = world.as_user(&token);
        let longest = message(&channel_id, &user.id, &"ä".repeat(limit));
        world.client(platform).send_chat(&credentials, &longest).await.unwrap();
        let too_long = message(&channel_id, &user.id, &"ä".repeat(limit + 1));
        let refused = world.client(platform).send_chat(&credentials, &too_long).await.unwrap_err();
        assert!(matches!(refused, PlatformError::Rejected { .. }), "{platform}: {refused:?}");
        assert!(!refused.to_string().is_empty());
        assert_eq!(world.stand_in.sent_messages(other(platform)).len(), 1, "{platform}");
    }
}

#[tokio::test]
async fn clients_report_an_undelivered_message_as_rejected() {
    let world = World::start().await;
    for (platform, expected) in
        [(Platform::Twitch, "Your message is being checked."), (Platform::Kick, "the message was not sent")]
    {
        let (user, token) = world.user(platform, "ada");
        world.stand_in.drop_next_message(other(platform), "Your message is being checked.");
        let line = message(&user.id, &user.id, "hello");
        let refused = world.client(platform).send_chat(&world.as_user(&token), &line).await;
        assert_eq!(refused, Err(PlatformError::Rejected { message: expected.into() }));
        assert!(world.stand_in.sent_messages(other(platform)).is_empty());
    }
}

#[tokio::test]
async fn clients_send_the_client_id_of_the_tokens_application() {
    let world = World::start().await;
    let (user, _) = world.user(Platform::Twitch, "ada");
    let token = world.stand_in.issue_token(NewToken {
        client_id: Some("own-app".into()),
        ..token_for(Platform::Twitch, Some(&user.id))
    });
    let line = message(&user.id, &user.id, "hello");
    let ours = world.as_user(&Secret::new(token));
    let client = world.client(Platform::Twitch);
    assert_eq!(client.send_chat(&ours, &line).await, Err(PlatformError::Unauthorized));
    let own = ChatCredentials { client_id: Some("own-app".into()), ..ours };
    client.send_chat(&own, &line).await.unwrap();
}

#[tokio::test]
async fn clients_read_the_public_key_of_kick() {
    let world = World::start().await;
    let pem = world.platforms.kick().public_key().await.unwrap();
    assert_eq!(pem, world.stand_in.kick_key().public_pem());
}
