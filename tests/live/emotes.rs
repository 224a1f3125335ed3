//! Emotes of channels and of users (reference/chat.md#emotes).

use std::time::Duration as Wait;

use chrono::Duration;
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use foundation::crypto::{SecretLocation, row};
use lumio_tests::{Caller, Person, TestApp, both_refused};
use platforms_stand_in::{Failure, Platform, discord, youtube};
use serde_json::{Value, json};
use shared::{
    id,
    schema::{bot_connections, discord_guilds},
    secret::Secret,
};

use lumio_tests::world::{connect, connect_to};

const SETS: &str = "{ sets { provider emotes { id name url animated } } }";

async fn of_channel(caller: &Caller, platform: &str, channel_id: &str) -> Value {
    let rest = caller.get(&format!("/v1/emotes/{platform}/{channel_id}")).await;
    let document =
        format!("query($p: String!, $c: String!) {{ channelEmotes(platform: $p, channelId: $c) {SETS} }}");
    let graphql = caller.graphql(&document, json!({ "p": platform, "c": channel_id })).await;
    assert_eq!(graphql.field("channelEmotes"), *rest.data());
    rest.data().clone()
}

async fn of_user(caller: &Caller) -> Value {
    let rest = caller.get("/v1/emotes/user").await;
    let graphql = caller.graphql(&format!("{{ userEmotes {SETS} }}"), json!({})).await;
    assert_eq!(graphql.field("userEmotes"), *rest.data());
    rest.data().clone()
}

fn providers(sets: &Value) -> Vec<&str> {
    sets["sets"].as_array().unwrap().iter().map(|set| set["provider"].as_str().unwrap()).collect()
}

fn names<'a>(sets: &'a Value, provider: &str) -> Vec<&'a str> {
    let set = sets["sets"].as_array().unwrap().iter().find(|set| set["provider"] == provider);
    let emotes = set.map(|set| set["emotes"].as_array().unwrap().as_slice()).unwrap_or_default();
    emotes.iter().map(|emote| emote["name"].as_str().unwrap()).collect()
}

/// Links a server to the account, and connects the bot of the server.
async fn guild(app: &TestApp, person: &Person, guild_id: &str) {
    let mut db = app.databases.postgres.get().await.unwrap();
    insert_into(discord_guilds::table)
        .values((
            discord_guilds::id.eq(id::new()),
            discord_guilds::account_id.eq(person.account_id),
            discord_guilds::guild_id.eq(guild_id),
            discord_guilds::name.eq("Guild"),
            discord_guilds::connected_by.eq(person.user_id),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    let bot_id = id::new();
    let row = row(bot_id);
    let place = SecretLocation { table: "bot_connections", column: "access_token", row: &row };
    let sealed = app.state.keyring.seal(place, &Secret::new(discord::BOT_TOKEN)).unwrap();
    insert_into(bot_connections::table)
        .values((
            bot_connections::id.eq(bot_id),
            bot_connections::platform.eq("discord"),
            bot_connections::bot_user_id.eq(discord::BOT_USER_ID),
            bot_connections::bot_username.eq("bot"),
            bot_connections::display_name.eq("Bot"),
            bot_connections::credential_source.eq("system"),
            bot_connections::credential_app.eq("bot"),
            bot_connections::access_token.eq(sealed),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
}

#[tokio::test]
async fn channel_emotes_returns_every_provider_that_knows_the_channel() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (twitch, _) = app.platforms.create_user(Platform::Twitch, "streamer");
    let sets = of_channel(&owner, "twitch", &twitch.id).await;
    assert_eq!(providers(&sets), ["twitch", "7tv", "ffz", "bttv"]);
    let expected = [
        (
            "twitch",
            json!({
                "id": format!("emotesv2_{}", twitch.id), "name": "streamerHype", "animated": true,
                "url": format!("https://static-cdn.jtvnw.net/emoticons/v2/emotesv2_{}/animated/dark/3.0", twitch.id),
            }),
        ),
        (
            "7tv",
            json!({
                "id": format!("01{}", twitch.id), "name": "streamerJam", "animated": true,
                "url": format!("https://cdn.7tv.app/emote/01{}/4x.webp", twitch.id),
            }),
        ),
        (
            "ffz",
            json!({
                "id": twitch.id, "name": "streamerWave", "animated": true,
                "url": format!("https://cdn.frankerfacez.com/emote/{}/animated/4", twitch.id),
            }),
        ),
        (
            "bttv",
            json!({
                "id": format!("c{}", twitch.id), "name": "streamerOwn", "animated": true,
                "url": format!("https://cdn.betterttv.net/emote/c{}/3x", twitch.id),
            }),
        ),
    ];
    for (set, (provider, emote)) in sets["sets"].as_array().unwrap().iter().zip(expected) {
        assert_eq!((&set["provider"], &set["emotes"][0]), (&json!(provider), &emote));
    }
    assert_eq!(names(&sets, "bttv"), ["streamerOwn", "streamerShared"]);

    let (user, _) = app.platforms.create_user(Platform::Youtube, "tuber");
    let sets = of_channel(&owner, "youtube", &youtube::channel_id(&user)).await;
    assert_eq!(providers(&sets), ["7tv", "bttv"]);
    let kick = connect(&app, owner.account_id, Platform::Kick, "kicker").await;
    let sets = of_channel(&owner, "kick", &kick.id).await;
    assert_eq!((providers(&sets), names(&sets, "kick")), (vec!["7tv", "kick"], vec!["kickerCheer"]));
    let (user, _) = app.platforms.create_user(Platform::Trovo, "trover");
    let sets = of_channel(&owner, "trovo", &user.id).await;
    assert_eq!((providers(&sets), names(&sets, "trovo")), (vec!["trovo"], vec!["trover_hi"]));
    assert_eq!(of_channel(&owner, "twitch", "999999").await, json!({ "sets": [] }));
    app.stop().await;
}

#[tokio::test]
async fn channel_emotes_returns_guild_emojis_only_to_accounts_that_linked_the_guild() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    guild(&app, &owner, "555").await;
    let sets = of_channel(&owner, "discord", "555").await;
    let emote = json!({ "id": "5551", "name": "blobwave", "animated": true,
                        "url": "https://cdn.discordapp.com/emojis/5551.gif" });
    assert_eq!(sets, json!({ "sets": [{ "provider": "discord", "emotes": [emote] }] }));
    assert_eq!(of_channel(&stranger, "discord", "555").await, json!({ "sets": [] }));
    app.stop().await;
}

#[tokio::test]
async fn user_emotes_returns_global_emotes_and_those_of_the_accounts_channels() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    guild(&app, &owner, "555").await;
    let sets = of_user(&owner).await;
    assert_eq!(providers(&sets), ["twitch", "7tv", "ffz", "bttv", "discord", "youtube", "kick", "trovo"]);
    assert_eq!(names(&sets, "twitch"), ["Kappa", "streamerHype"]);
    assert_eq!(names(&sets, "7tv"), ["EZ", "streamerJam"]);
    // A set that FrankerFaceZ gives to some users is not a global one.
    assert_eq!(names(&sets, "ffz"), ["LilZ", "streamerWave"]);
    assert_eq!(names(&sets, "youtube"), [":yt:"]);
    assert_eq!(names(&sets, "kick"), ["KEKW"]);
    assert_eq!(names(&sets, "trovo"), ["hi"]);
    let sets = of_user(&other).await;
    assert_eq!(providers(&sets), ["twitch", "7tv", "ffz", "bttv", "youtube", "kick", "trovo"]);
    assert_eq!(names(&sets, "twitch"), ["Kappa"]);
    let key = app.service_key(other.account_id, &[]).await;
    assert_eq!(of_user(&key).await, sets);
    app.stop().await;
}

#[tokio::test]
async fn channel_emotes_omits_a_failing_provider_and_retries_it_soon() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let user = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    for (path, failure) in [
        ("/emotes/7tv", Failure::ServerError),
        ("/emotes/bttv", Failure::Malformed),
        ("/emotes/ffz", Failure::Oversized),
        ("/helix/chat/emotes", Failure::RateLimited { retry_after: Wait::from_secs(5) }),
    ] {
        app.platforms.fail_next_at(Platform::Twitch, path, failure);
    }
    assert_eq!(of_channel(&owner, "twitch", &user.id).await, json!({ "sets": [] }));
    app.clock.advance(Duration::seconds(31));
    let sets = of_channel(&owner, "twitch", &user.id).await;
    assert_eq!(providers(&sets), ["twitch", "7tv", "ffz", "bttv"]);
    // Results are cached for ten minutes.
    app.platforms.fail_next_at(Platform::Twitch, "/emotes/7tv", Failure::Reset);
    app.clock.advance(Duration::minutes(9));
    assert_eq!(of_channel(&owner, "twitch", &user.id).await, sets);
    app.clock.advance(Duration::minutes(2));
    assert_eq!(providers(&of_channel(&owner, "twitch", &user.id).await), ["twitch", "ffz", "bttv"]);
    app.stop().await;
}

/// Channels whose emotes are cached, once each.
async fn kept(app: &TestApp) -> Vec<String> {
    let mut redis = app.state.redis.get().await.unwrap();
    let pattern = app.state.redis.key("emotes:*:channel-*");
    let keys: Vec<String> = redis::cmd("KEYS").arg(pattern).query_async(&mut *redis).await.unwrap();
    let mut channels: Vec<String> =
        keys.iter().map(|key| key.rsplit(':').next().unwrap().to_owned()).collect();
    channels.sort_unstable();
    channels.dedup();
    channels
}

#[tokio::test]
async fn channel_emotes_caches_connected_channels_and_limits_requests_for_others() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let own = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let (foreign, _) = app.platforms.create_user(Platform::Twitch, "elsewhere");
    app.begin_a_window(60);
    let path = |id: &str| format!("/v1/emotes/twitch/{id}");
    let document =
        format!("query($c: String!) {{ channelEmotes(platform: \"twitch\", channelId: $c) {SETS} }}");
    assert_eq!(names(&of_channel(&owner, "twitch", &foreign.id).await, "7tv"), ["elsewhereJam"]);
    for number in 1..30 {
        owner.get(&path(&format!("nobody-{number}"))).await.expect(200);
    }
    for _ in 0..2 {
        let rest = owner.get(&path("nobody-has-this")).await;
        let graphql = owner.graphql(&document, json!({ "c": "nor-this" })).await;
        both_refused(&rest, &graphql, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    }
    // A recently requested channel is cached: a provider that fails now has no effect.
    app.platforms.fail_next_at(Platform::Twitch, "/emotes/7tv", Failure::ServerError);
    assert_eq!(names(&of_channel(&owner, "twitch", &foreign.id).await, "7tv"), ["elsewhereJam"]);
    assert_eq!(names(&of_channel(&other, "twitch", &foreign.id).await, "7tv"), ["elsewhereJam"]);
    app.clock.advance(Duration::seconds(40));
    assert_eq!(names(&of_channel(&owner, "twitch", &foreign.id).await, "7tv"), ["elsewhereJam"]);
    app.clock.advance(Duration::seconds(21));
    assert!(names(&of_channel(&other, "twitch", &foreign.id).await, "7tv").is_empty());
    app.clock.advance(Duration::seconds(31));
    app.begin_a_window(60);
    for number in 0..30 {
        owner.get(&path(&format!("nobody-else-{number}"))).await.expect(200);
    }
    assert!(kept(&app).await.is_empty());
    // The account's own channels have no such limit, and other accounts have their own.
    for _ in 0..20 {
        assert_eq!(names(&of_channel(&owner, "twitch", &own.id).await, "7tv"), ["streamerJam"]);
    }
    assert_eq!(kept(&app).await, [format!("channel-twitch-{}", own.id)]);
    // A channel cached for another account does not count: no provider is called.
    assert_eq!(owner.get(&path(&foreign.id)).await.status, 429);
    connect_to(&app, other.account_id, &foreign, None).await;
    of_channel(&other, "twitch", &foreign.id).await;
    assert_eq!(names(&of_channel(&owner, "twitch", &foreign.id).await, "7tv"), ["elsewhereJam"]);

    app.clock.advance(Duration::minutes(1));
    assert_eq!(owner.get(&path("nobody-has-this")).await.data(), &json!({ "sets": [] }));
    app.stop().await;
}

#[tokio::test]
async fn channel_emotes_limits_requests_for_foreign_channels_over_all_accounts() {
    let app = TestApp::start().await;
    let path = |id: String| format!("/v1/emotes/trovo/{id}");
    app.begin_a_window(60);
    for account in 0..8 {
        let owner = app.owner().await;
        for number in 0..30 {
            owner.get(&path(format!("nobody-{account}-{number}"))).await.expect(200);
        }
    }
    let (owner, channel) = (app.owner().await, app.platforms.create_user(Platform::Trovo, "trover").0);
    owner.get(&path("nobody".to_owned())).await.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    // A cached channel causes no call.
    owner.get(&path("nobody-7-29".to_owned())).await.expect(200);
    app.clock.advance(Duration::minutes(1));
    assert_eq!(names(&of_channel(&owner, "trovo", &channel.id).await, "trovo"), ["trover_hi"]);
    app.stop().await;
}

#[tokio::test]
async fn channel_emotes_refuses_unknown_platforms_and_long_ids() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let document = |platform: &str, id: &str| {
        format!("{{ channelEmotes(platform: \"{platform}\", channelId: \"{id}\") {SETS} }}")
    };
    for platform in ["spotify", "x"] {
        let rest = owner.get(&format!("/v1/emotes/{platform}/1")).await;
        let graphql = owner.graphql(&document(platform, "1"), json!({})).await;
        let message = "platform must be one of twitch, youtube, kick, trovo, discord";
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let long = "1".repeat(129);
    let rest = owner.get(&format!("/v1/emotes/twitch/{long}")).await;
    let graphql = owner.graphql(&document("twitch", &long), json!({})).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "channel_id must be between 1 and 128 characters");
    app.stop().await;
}

#[tokio::test]
async fn channel_emotes_and_user_emotes_need_a_credential_and_the_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let calls = async |caller: &Caller| {
        let document = format!("{{ channelEmotes(platform: \"twitch\", channelId: \"1\") {SETS} }}");
        [
            (caller.get("/v1/emotes/twitch/1").await, caller.graphql(&document, json!({})).await),
            (
                caller.get("/v1/emotes/user").await,
                caller.graphql(&format!("{{ userEmotes {SETS} }}"), json!({})).await,
            ),
        ]
    };
    for (rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    app.override_feature(owner.account_id, "feature:multichat", false).await;
    for (rest, graphql) in calls(&owner).await {
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:multichat");
    }
    app.stop().await;
}
