//! Catalogue of emotes (reference/public-stats.md#emotes).

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{Statements, TestApp, both_refused};
use serde_json::{Value, json};

use super::{browse::assert_indexed, channels::plant};

const PATH: &str = "/v1/public-stats/emotes";

const EMOTES: &str = "
    INSERT INTO public_emotes (provider, emote_id, name, url, animated, first_seen_at)
    VALUES ('7tv', 'a', 'Kappa', 'https://a.example/a.webp', true, $NOW), ('twitch', 'b', 'kappaPride', NULL, false, $NOW),
        ('bttv', 'c', 'Zzz', NULL, false, $NOW), ('ffz', 'd', 'Idle', NULL, false, $NOW);
    INSERT INTO public_emote_ranges (range_days, platform, provider, emote_id, usage_count, channel_count)
    VALUES (30, 'twitch', '7tv', 'a', 10, 1), (30, 'kick', '7tv', 'a', 5, 4), (30, 'twitch', 'twitch', 'b', 12, 2),
        (30, 'kick', 'bttv', 'c', 7, 3), (7, 'twitch', '7tv', 'a', 1, 1);
    INSERT INTO public_channels (platform, platform_channel_id, login, source, first_seen_at)
    VALUES ('twitch', '100', 'some_login', 'first_party', $NOW), ('kick', '100', 'other', 'first_party', $NOW);
    INSERT INTO public_emote_days (provider, emote_id, platform, platform_channel_id, day, usage_count)
    VALUES ('7tv', 'a', 'twitch', '100', $DAY, 2), ('7tv', 'a', 'twitch', '100', $DAY - 29, 3),
        ('7tv', 'a', 'twitch', '100', $DAY - 30, 50), ('twitch', 'b', 'twitch', '100', $DAY - 6, 4),
        ('bttv', 'c', 'kick', '100', $DAY, 99), ('7tv', 'a', 'kick', '100', $DAY, 1), ('ffz', 'd', 'twitch', 'other', $DAY, 99)";

fn ids(listed: &Value) -> String {
    listed.as_array().unwrap().iter().map(|emote| emote["emote_id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn public_stats_emotes_adds_platforms_and_counts_single_channels() {
    let app = TestApp::start().await;
    plant(&app, EMOTES).await;
    let anonymous = app.anonymous();
    for (query, expected) in [
        ("", "abc"),
        ("order=asc", "cba"),
        ("sort=channels", "acb"),
        ("sort=name", "dabc"),
        ("sort=name&order=desc", "cbad"),
        ("range=DAYS_7", "a"),
        ("platform=twitch", "ba"),
        ("platform=kick&sort=channels&order=asc", "ca"),
        ("platform=kick&sort=name", "ac"),
        ("platform=trovo", ""),
        ("provider=7tv", "a"),
        ("provider=twitch&sort=name", "b"),
        ("search=KAP", "ab"),
        ("search=kap&sort=name&order=desc", "ba"),
        ("search=kap&platform=kick", "a"),
        ("search=id", "d"),
        ("search=k%25", ""),
        ("platform=twitch&channel=100", "ab"),
        ("platform=twitch&channel=SOME_login&range=DAYS_7", "ba"),
        ("platform=twitch&channel=100&sort=name&order=desc", "ba"),
        ("platform=twitch&channel=100&search=kappap", "b"),
        ("platform=twitch&channel=100&provider=bttv", ""),
        ("channel=100", "cab"),
        ("channel=100&sort=channels", "acb"),
        ("channel=Some_Login", "ab"),
        ("limit=2&page=2", "c"),
        ("page=10000", ""),
    ] {
        let listed = anonymous.get(&format!("{PATH}?{query}")).await;
        assert_eq!(ids(listed.data()), expected, "{query}");
        if query.contains("page=") {
            assert_eq!(listed.body["_meta"]["total"], 3, "{query}");
        }
    }
    let listed = anonymous.get(PATH).await;
    let kappa = &listed.data()[0];
    assert_eq!(
        *kappa,
        json!({
            "emote_id": "a", "name": "Kappa", "provider": "7tv", "url": "https://a.example/a.webp", "animated": true,
            "usage_count": 15, "channel_count": 5, "first_seen_at": kappa["first_seen_at"],
        })
    );
    let of_channel = anonymous.get(&format!("{PATH}?platform=twitch&channel=100")).await;
    let counts = (&of_channel.data()[0]["usage_count"], &of_channel.data()[0]["channel_count"]);
    assert_eq!(counts, (&json!(5), &json!(1)), "the day before the range does not count");
    let of_name = anonymous.get(&format!("{PATH}?channel=100&search=kap")).await;
    let counts = (&of_name.data()[0]["usage_count"], &of_name.data()[0]["channel_count"]);
    assert_eq!(counts, (&json!(6), &json!(2)), "without a platform the channels of one name are added");
    let document = "{ publicStatsEmotes(filter: { provider: SEVEN_TV, sort: USAGE, order: DESC, range: DAYS_30, page: 1, \
        limit: 5 }) { items { emoteId name provider url animated usageCount channelCount firstSeenAt } total } }";
    let graphql = anonymous.graphql(document, json!({})).await.field("publicStatsEmotes");
    assert_eq!(graphql, json!({ "items": [kappa], "total": 1 }));
    app.stop().await;
}

#[tokio::test]
async fn public_stats_emotes_refuses_unknown_channels_and_parameters() {
    let app = TestApp::start().await;
    plant(&app, EMOTES).await;
    let anonymous = app.anonymous();
    for (query, message) in [
        ("provider=tenor", "Invalid provider: must be one of twitch, 7tv, bttv, ffz, youtube, kick"),
        ("sort=used", "Invalid sort: must be one of usage, channels, name"),
        ("platform=discord", "Invalid platform: must be one of twitch, youtube, kick, trovo"),
        ("range=30", "Invalid range: must be one of DAYS_7, DAYS_30, DAYS_90"),
    ] {
        anonymous.get(&format!("{PATH}?{query}")).await.refused("VALIDATION_ERROR", message);
    }
    let long = "x".repeat(129);
    for (query, filter, status, code, message) in [
        ("channel=unknown", "channel: \"unknown\"", 404, "NOT_FOUND", "Channel not found"),
        ("search=k", "search: \"k\"", 400, "VALIDATION_ERROR", "search must be between 2 and 100 characters"),
        (
            "platform=twitch&channel=%20",
            "platform: TWITCH, channel: \"\"",
            400,
            "VALIDATION_ERROR",
            "channel must not be empty",
        ),
        (
            format!("platform=twitch&channel={long}").as_str(),
            format!("platform: TWITCH, channel: \"{long}\"").as_str(),
            400,
            "VALIDATION_ERROR",
            "channel must be between 1 and 128 characters",
        ),
        (
            "platform=trovo&channel=100",
            "platform: TROVO, channel: \"100\"",
            404,
            "NOT_FOUND",
            "Channel not found",
        ),
        (
            "platform=twitch&channel=a%2Fb",
            "platform: TWITCH, channel: \"a/b\"",
            404,
            "NOT_FOUND",
            "Channel not found",
        ),
    ] {
        let document = format!("{{ publicStatsEmotes(filter: {{ {filter} }}) {{ total }} }}");
        let rest = anonymous.get(&format!("{PATH}?{query}")).await;
        both_refused(&rest, &anonymous.graphql(&document, json!({})).await, status, code, message);
    }
    app.stop().await;
}

#[tokio::test]
async fn public_stats_emotes_walks_indexes_of_many_emotes() {
    const FILL: &str = "
        INSERT INTO public_emotes (provider, emote_id, name, first_seen_at)
        SELECT ('{twitch,7tv,bttv,ffz,youtube,kick}'::text[])[1 + n % 6], n::text, 'emote' || md5(n::text), now()
        FROM generate_series(1, 30000) AS n;
        INSERT INTO public_emote_ranges (range_days, platform, provider, emote_id, usage_count, channel_count)
        SELECT days, platform, ('{twitch,7tv,bttv,ffz,youtube,kick}'::text[])[1 + n % 6], n::text, 1 + n * 7919 % 100003,
            1 + n % 977
        FROM generate_series(1, 30000) AS n, unnest('{7,30,90}'::smallint[]) AS days,
            unnest('{twitch,kick}'::text[]) AS platform;
        INSERT INTO public_channels (platform, platform_channel_id, source, first_seen_at)
        SELECT 'twitch', n::text, 'first_party', now() FROM generate_series(1, 2000) AS n;
        INSERT INTO public_emote_days (provider, emote_id, platform, platform_channel_id, day, usage_count)
        SELECT ('{twitch,7tv,bttv,ffz,youtube,kick}'::text[])[1 + n % 6], n::text, 'twitch', channel::text, $DAY - back, n
        FROM generate_series(1, 100) AS n, generate_series(1, 30) AS channel, generate_series(0, 20) AS back";
    const TYPES: &str = "smallint,text,text,text,text[],date,bigint,bigint,text[]";
    let watched = Statements::watch();
    let app = TestApp::start().await;
    watched.to(&app);
    plant(&app, FILL).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for table in ["public_emotes", "public_emote_ranges", "public_emote_days", "public_channels"] {
        sql_query(format!("VACUUM ANALYZE {table}")).execute(&mut *db).await.unwrap();
    }
    let anonymous = app.anonymous();
    for sort in ["usage", "channels", "name"] {
        for (query, length) in [
            ("", 25),
            ("&order=asc&platform=kick&provider=bttv", 25),
            ("&search=emote1", 25),
            ("&search=emote&provider=7tv", 25),
            ("&order=desc&channel=7&search=emote", 25),
            ("&provider=ffz", 25),
            ("&platform=youtube", 0),
        ] {
            let place = format!("sort={sort}{query}");
            watched.take();
            let listed = anonymous.get(&format!("{PATH}?{place}")).await;
            assert_eq!(listed.data().as_array().map(Vec::len), Some(length), "{place}");
            let sent: Vec<String> =
                watched.take().into_iter().filter(|sql| sql.contains("public_emotes")).collect();
            assert_eq!(sent.len(), 1, "{place}");
            assert_indexed(&mut db, sent, TYPES, &place).await;
            if query.is_empty() {
                assert_eq!(listed.body["_meta"]["total"], 10_000, "{place}");
            }
        }
    }
    drop(db);
    app.stop().await;
}
