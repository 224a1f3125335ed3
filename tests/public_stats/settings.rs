//! Settings of an account for its channels, and opt-out (reference/public-stats.md#settings).

use lumio_tests::{Person, TestApp, both_refused};
use serde_json::{Value, json};
use stats_model::Source;

use super::{
    channels::{everywhere, plant},
    passes::{count, noon, sample},
};

const PATH: &str = "/v1/public-stats/channels";
const SETTINGS: &str =
    "{ platform platformChannelId channelName isPublic showTopChatters optedOutVia updatedAt }";

/// Connects a channel of a platform.
pub async fn connect(app: &TestApp, account: uuid::Uuid, platform: &str, channel: &str) {
    let row = format!(
        "INSERT INTO channel_connections (id, account_id, platform, platform_channel_id, channel_name, display_name,
            credential_source)
         VALUES (gen_random_uuid(), '{account}', '{platform}', '{channel}', 'login_{channel}', 'Name', 'system')"
    );
    plant(app, &row).await;
}

/// Replaces the settings of the person's Twitch channel.
pub async fn set(person: &Person, is_public: bool, show_top_chatters: bool) -> Value {
    let input = json!({ "is_public": is_public, "show_top_chatters": show_top_chatters });
    person.put(&format!("{PATH}/twitch"), input).await.data().clone()
}

/// Number of rows of the primary database.
async fn rows(app: &TestApp, rows: &str) -> i64 {
    count(&mut app.databases.postgres.get().await.unwrap(), rows).await
}

#[tokio::test]
async fn public_stats_channels_lists_connected_channels_with_defaults() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (platform, channel) in
        [("youtube", "UC1"), ("twitch", "100"), ("spotify", "s"), ("kick", "7"), ("trovo", "8")]
    {
        connect(&app, owner.account_id, platform, channel).await;
    }
    let former = format!(
        "INSERT INTO public_channel_settings (account_id, platform, platform_channel_id, is_public, opted_out_via)
         VALUES ('{}', 'kick', 'former', false, 'settings')",
        owner.account_id
    );
    plant(&app, &former).await;
    let default = |platform: &str, channel: &str| {
        json!({
            "platform": platform, "platform_channel_id": channel, "channel_name": format!("login_{channel}"),
            "is_public": true, "show_top_chatters": false, "opted_out_via": null, "updated_at": null,
        })
    };
    let expected =
        [default("kick", "7"), default("trovo", "8"), default("twitch", "100"), default("youtube", "UC1")];
    assert_eq!(*owner.get(PATH).await.data(), json!(expected), "a former channel's settings are not shown");
    let document = format!("{{ publicStatsChannels {SETTINGS} }}");
    let graphql = owner.graphql(&document, json!({})).await.field("publicStatsChannels");
    assert_eq!(graphql, json!(expected));
    let changed = set(&owner, true, true).await;
    assert!(changed["updated_at"].is_string());
    assert_eq!(owner.get(PATH).await.data()[2], changed);

    let reader = app.member_with(owner.account_id, &["public-stats:read"]).await;
    reader.get(PATH).await.expect(200);
    let member = app.member_with(owner.account_id, &["public-stats:edit"]).await;
    let (rest, graphql) = (member.get(PATH).await, member.graphql(&document, json!({})).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: public-stats:read");
    app.override_feature(owner.account_id, "feature:public_stats_page", false).await;
    let (rest, graphql) = (owner.get(PATH).await, owner.graphql(&document, json!({})).await);
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:public_stats_page");
    set(&owner, true, false).await;
    app.stop().await;
}

#[tokio::test]
async fn update_public_stats_channel_hides_the_channel_for_all_and_shows_it_again() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    for account in [owner.account_id, other.account_id] {
        connect(&app, account, "twitch", "100").await;
    }
    plant(&app, &everywhere("100")).await;
    plant(&app, &everywhere("200")).await;
    let samples: Vec<_> =
        [("100", Source::ExternalCrawler), ("100", Source::FirstParty), ("200", Source::ExternalCrawler)]
            .into_iter()
            .map(|(channel, source)| sample(channel, noon(1), source, 9))
            .collect();
    stats_model::samples::write(&mut app.databases.timescaledb.get().await.unwrap(), &samples).await.unwrap();
    let anonymous = app.anonymous();
    let shown = async || anonymous.get(&format!("{PATH}/twitch/100")).await.status;
    assert_eq!(shown().await, 200);

    let hidden = set(&owner, false, true).await;
    assert_eq!(
        (&hidden["is_public"], &hidden["show_top_chatters"], &hidden["opted_out_via"]),
        (&json!(false), &json!(true), &json!("settings"))
    );
    assert_eq!(shown().await, 404);
    let entry = app.audited_once("public_stats:channel_opted_out").await;
    assert_eq!(
        (entry.scope.as_str(), entry.account_id, entry.actor_id),
        ("system", None, Some(owner.user_id))
    );
    assert_eq!(entry.resource_id.as_deref(), Some("twitch:100"));
    assert_eq!(
        entry.metadata,
        json!({ "account_id": owner.account_id, "platform": "twitch", "is_public": false, "show_top_chatters": true })
    );
    for table in ["public_channel_days", "public_streams"] {
        assert_eq!(
            rows(&app, &format!("{table} WHERE platform_channel_id = '100'")).await,
            1,
            "{table}: first party stays"
        );
        assert!(
            rows(&app, &format!("{table} WHERE platform_channel_id = '200'")).await > 1,
            "{table}: others stay"
        );
    }
    for table in ["public_profile_changes", "public_panels", "crawler_channels"] {
        assert_eq!(rows(&app, &format!("{table} WHERE platform_channel_id = '100'")).await, 0, "{table}");
        assert!(rows(&app, &format!("{table} WHERE platform_channel_id = '200'")).await > 0, "{table}");
    }
    let mut timeseries = app.databases.timescaledb.get().await.unwrap();
    assert_eq!(count(&mut timeseries, "channel_samples WHERE platform_channel_id = '100'").await, 1);
    assert_eq!(count(&mut timeseries, "channel_samples WHERE source = 'first_party'").await, 1);
    drop(timeseries);

    set(&owner, false, true).await;
    set(&other, true, false).await;
    assert_eq!(shown().await, 404, "the other account does not decide for the first");
    set(&owner, false, false).await;
    app.audited_once("public_stats:channel_updated").await;
    let document = format!(
        "mutation {{ updatePublicStatsChannel(platform: \"twitch\", input: {{ isPublic: true, showTopChatters: false }}) {SETTINGS} }}"
    );
    let public = owner.graphql(&document, json!({})).await.field("updatePublicStatsChannel");
    assert_eq!((&public["is_public"], &public["opted_out_via"]), (&json!(true), &Value::Null));
    assert_eq!(shown().await, 200);
    let entry = app.audited_once("public_stats:channel_opted_in").await;
    assert_eq!((entry.scope.as_str(), entry.metadata["is_public"].clone()), ("system", json!(true)));
    app.audited_once("public_stats:channel_opted_out").await;

    // As a dissolved account leaves it: hidden, and without settings.
    plant(
        &app,
        "UPDATE public_channels SET is_hidden = true WHERE platform_channel_id = '100';
         DELETE FROM public_channel_settings",
    )
    .await;
    let is_listed = async || {
        let listed = anonymous.get("/v1/public-stats/browse?sort=followers").await;
        listed.text.contains("\"100\"")
    };
    assert!(!is_listed().await);
    for _ in 0..2 {
        set(&owner, true, false).await;
        assert!(is_listed().await, "no kept answer hides it");
        assert_eq!(app.audited("public_stats:channel_opted_in").await.len(), 2);
    }
    app.stop().await;
}

#[tokio::test]
async fn update_public_stats_channel_refuses_callers_channels_and_bodies() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, "twitch", "100").await;
    connect(&app, owner.account_id, "kick", " ").await;
    connect(&app, owner.account_id, "spotify", "s").await;
    let input = json!({ "is_public": false, "show_top_chatters": false });
    let over_graphql = async |person: &Person, platform: &str| {
        let document = format!(
            "mutation {{ updatePublicStatsChannel(platform: \"{platform}\", input: {{ isPublic: false, \
             showTopChatters: false }}) {{ isPublic }} }}"
        );
        person.graphql(&document, json!({})).await
    };
    let member = app.member_with(owner.account_id, &["public-stats:read"]).await;
    let rest = member.put(&format!("{PATH}/twitch"), input.clone()).await;
    let message = "Missing permission: public-stats:edit";
    both_refused(&rest, &over_graphql(&member, "twitch").await, 403, "FORBIDDEN", message);

    let unsupported = "platform must be one of twitch, youtube, kick, trovo";
    for (platform, status, code, message) in [
        ("discord", 422, "VALIDATION_ERROR", unsupported),
        ("spotify", 422, "VALIDATION_ERROR", unsupported),
        ("myspace", 422, "VALIDATION_ERROR", unsupported),
        ("kick", 422, "VALIDATION_ERROR", "Channel identity is not known"),
        ("youtube", 404, "NOT_FOUND", "Channel connection not found"),
    ] {
        let rest = owner.put(&format!("{PATH}/{platform}"), input.clone()).await;
        both_refused(&rest, &over_graphql(&owner, platform).await, status, code, message);
    }
    for (body, message) in [
        (json!({}), "Missing field: is_public"),
        (json!({ "is_public": true }), "Missing field: show_top_chatters"),
        (
            json!({ "is_public": "no", "show_top_chatters": false }),
            "Invalid is_public: must be true or false",
        ),
        (
            json!({ "is_public": null, "show_top_chatters": false }),
            "Invalid is_public: must be true or false",
        ),
    ] {
        let refused = owner.put(&format!("{PATH}/twitch"), body).await;
        assert_eq!(refused.status, 400);
        refused.refused("VALIDATION_ERROR", message);
    }
    assert_eq!(rows(&app, "public_channel_settings").await, 0);
    // A service key with the permission may change them; the key of another account changes its own only.
    let key = app.service_key(owner.account_id, &["public-stats:edit"]).await;
    key.put(&format!("{PATH}/twitch"), input.clone()).await.expect(200);
    let stranger = app.owner().await;
    let refused = stranger.put(&format!("{PATH}/twitch"), input).await;
    refused.refused("NOT_FOUND", "Channel connection not found");
    assert_eq!(
        rows(&app, &format!("public_channel_settings WHERE account_id = '{}'", owner.account_id)).await,
        1
    );
    app.stop().await;
}
