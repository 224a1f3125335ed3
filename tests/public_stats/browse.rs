//! Directory of channels (reference/public-stats.md#browse).

use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use lumio_tests::{Statements, TestApp, both_refused};
use serde_json::{Value, json};

use super::{channels::plant, passes::execute};

const PATH: &str = "/v1/public-stats/browse";

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    #[diesel(column_name = "QUERY PLAN")]
    line: String,
}

/// Conditions that an index must hold: as a filter they would walk through the rows of all other platforms and
/// providers.
const INDEXED: [&str; 3] = ["ranges.platform = ", "ranges.provider = ", "public_channels.platform = "];

/// Values that a server has sent with a statement, as literals of their types.
fn literals(sent: &str, types: &str) -> String {
    let (_, binds) = sent.split_once("-- binds: [").expect("values");
    let binds = binds.trim_end().strip_suffix(']').expect("a list");
    let (mut values, mut depth, mut is_quoted) = (vec![String::new()], 0, false);
    for letter in binds.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted && depth == 0 => values.push(String::new()),
            _ => {
                let letter = match letter {
                    '[' if !is_quoted => '{',
                    ']' if !is_quoted => '}',
                    letter => letter,
                };
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                values.last_mut().expect("a value").push(letter);
            }
        }
    }
    let types: Vec<&str> = types.split(',').collect();
    assert_eq!(values.len(), types.len(), "{binds}");
    let literal = |(value, kind): (&String, &&str)| {
        let value = value.trim();
        let value = value.strip_prefix("Some(").and_then(|value| value.strip_suffix(')')).unwrap_or(value);
        if value == "None" { format!("NULL::{kind}") } else { format!("'{value}'::{kind}") }
    };
    values.iter().zip(&types).map(literal).collect::<Vec<_>>().join(",")
}

/// Asserts that no statement over public rows of those that a server has sent reads a table as a whole, or a
/// sample. `types` are those of its parameters. The plans are those for the sent values, and for any.
pub async fn assert_indexed(connection: &mut AsyncPgConnection, sent: Vec<String>, types: &str, place: &str) {
    let statements: Vec<&String> = sent.iter().filter(|sql| sql.contains("public_")).collect();
    assert!(!statements.is_empty(), "{place}: {sent:#?}");
    for sent in statements {
        let (sql, values) = (sent.split("-- binds").next().expect("a statement"), literals(sent, types));
        for mode in ["force_generic_plan", "force_custom_plan"] {
            execute(connection, &format!("SET plan_cache_mode = {mode}; PREPARE planned({types}) AS {sql}"))
                .await;
            let plan: Vec<Line> =
                sql_query(format!("EXPLAIN EXECUTE planned({values})")).load(connection).await.unwrap();
            execute(connection, "DEALLOCATE planned").await;
            let plan: Vec<&str> = plan.iter().map(|row| row.line.as_str()).collect();
            let is_clean = |line: &&str| {
                // A join compares the rows that the indexes below it found.
                let is_walk = line.contains("Filter: ")
                    && !line.contains("Join Filter: ")
                    && INDEXED.iter().any(|part| line.contains(part));
                !is_walk && !line.contains("Seq Scan") && !line.contains("samples")
            };
            assert!(plan.iter().all(is_clean), "{place} {mode}: {plan:#?}");
            // A plan that knows that nothing is found would show nothing.
            let is_read = !plan.iter().any(|line| line.contains("One-Time Filter: false"));
            assert!(is_read && plan.iter().any(|line| line.contains("Index")), "{place} {mode}: {plan:#?}");
        }
    }
}

/// Channels by one letter, each with other figures. `avg_viewers` of a, b, c, d: 10, 20, 20, 5.
const CHANNELS: &str = "
    INSERT INTO public_channels (platform, platform_channel_id, login, display_name, language, broadcaster_type, source,
        is_live, current_viewers, current_game_id, current_game, last_streamed_at, followers, first_seen_at)
    VALUES ('twitch', 'a', 'alpha', 'Älpha', 'en', 'partner', 'first_party', true, 11, 'g1', 'Chess', $NOW, 5, $NOW),
        ('twitch', 'b', 'alps', NULL, 'de', 'affiliate', 'external_crawler', false, NULL, 'g1', 'Chess',
            $NOW - interval '1 day', 7, $NOW),
        ('kick', 'c', 'beta', '100%_sure', 'en-US', 'partner', 'external_crawler', true, 33, 'k1', 'CHESS', NULL, NULL, $NOW),
        ('twitch', 'd', NULL, 'Alphabet', 'de', NULL, 'external_crawler', false, NULL, NULL, NULL,
            $NOW - interval '2 days', 9, $NOW),
        ('trovo', 'e', 'idle', 'Idle', 'EN_gb', NULL, 'external_crawler', false, NULL, NULL, NULL, NULL, 1, $NOW);
    INSERT INTO public_channel_ranges (range_days, platform, platform_channel_id, avg_viewers, peak_viewers, live_secs,
        total_messages)
    SELECT days, platform, id, average, peak, secs, messages
    FROM (VALUES ('twitch', 'a', 10, 100, 3600, 4), ('twitch', 'b', 20, 90, 7200, 3), ('kick', 'c', 20, 80, 5400, 2),
            ('twitch', 'd', 5.126, 70, 60, 1)) AS given (platform, id, average, peak, secs, messages),
        unnest('{30,90}'::smallint[]) AS days;
    INSERT INTO public_channel_ranges (range_days, platform, platform_channel_id, avg_viewers, peak_viewers, live_secs,
        total_messages)
    VALUES (7, 'twitch', 'd', 1, 1, 60, 1);
    INSERT INTO public_games (platform, game_id, name, updated_at)
    VALUES ('twitch', 'g1', 'Chess', $NOW), ('kick', 'k1', 'chess', $NOW)";

fn ids(listed: &Value) -> String {
    listed
        .as_array()
        .unwrap()
        .iter()
        .map(|channel| channel["platform_channel_id"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn public_stats_browse_filters_sorts_and_pages() {
    let app = TestApp::start().await;
    plant(&app, CHANNELS).await;
    let anonymous = app.anonymous();
    for (query, expected) in [
        ("", "cbad"),
        ("order=asc", "dabc"),
        ("sort=peak_viewers", "abcd"),
        ("sort=hours_streamed", "bcad"),
        ("sort=total_messages&order=asc", "dcba"),
        ("sort=followers", "dbaec"),
        ("sort=followers&order=asc", "ceabd"),
        ("sort=last_streamed_at", "abdce"),
        ("range=DAYS_7", "d"),
        ("range=DAYS_7&sort=followers", "dbaec"),
        ("platform=twitch", "bad"),
        ("platform=twitch&sort=followers&order=asc", "abd"),
        ("language=EN", "ca"),
        ("language=en&sort=followers", "aec"),
        ("language=en-us&sort=followers", "c"),
        ("language=us", ""),
        ("broadcaster_type=partner", "ca"),
        ("is_live=true", "ca"),
        ("is_live=false", "bd"),
        ("min_viewers=10", "cba"),
        ("min_viewers=10&max_viewers=10", "a"),
        ("max_viewers=5", ""),
        ("max_viewers=6&sort=followers", "d"),
        ("min_viewers=10&sort=peak_viewers&platform=twitch", "ab"),
        ("search=ALP", "bad"),
        ("search=alp&platform=twitch&is_live=true", "a"),
        ("search=%C3%84l", "a"),
        ("search=100%25_", "c"),
        ("search=1%25", ""),
        ("search=al&sort=followers", "dba"),
        ("game=chess", "ca"),
        ("game=Chess&platform=kick", "c"),
        ("game=g1", ""),
        ("game=g1&platform=twitch", "a"),
        ("game=chess&search=al", "a"),
        ("game=chess&language=de", ""),
        ("limit=2", "cb"),
        ("limit=2&page=2", "ad"),
        ("limit=2&page=3", ""),
        ("limit=100&page=10000", ""),
        ("page=2147483647", ""),
    ] {
        let listed = anonymous.get(&format!("{PATH}?{query}")).await;
        assert_eq!(ids(listed.data()), expected, "{query}");
        if query.contains("page=") {
            assert_eq!(listed.body["_meta"]["total"], 4, "{query}");
        }
    }
    let listed = anonymous.get(&format!("{PATH}?sort=followers")).await;
    let (first, last) = (&listed.data()[0], &listed.data()[4]);
    assert_eq!(
        *first,
        json!({
            "platform": "twitch", "platform_channel_id": "d", "channel_login": null, "channel_display_name": "Alphabet",
            "avatar_url": null, "is_live": false, "current_viewers": null, "current_game": null, "language": "de",
            "avg_viewers": 5.13, "peak_viewers": 70, "followers": 9, "hours_streamed": 0.02,
            "last_streamed_at": first["last_streamed_at"], "source": "external_crawler",
        })
    );
    assert!(first["last_streamed_at"].is_string());
    assert_eq!((&last["current_viewers"], &last["current_game"]), (&json!(33), &json!("CHESS")));
    assert_eq!(listed.data()[3]["hours_streamed"], 0.0, "not on air in the range");
    let document = "{ publicStatsBrowse(filter: { sort: FOLLOWERS, range: DAYS_30, order: DESC, platform: TWITCH, \
        page: 1, limit: 1 }) { items { platform platformChannelId channelLogin channelDisplayName avatarUrl isLive \
        currentViewers currentGame language avgViewers peakViewers followers hoursStreamed lastStreamedAt source } total \
        page limit pages } }";
    let graphql = anonymous.graphql(document, json!({})).await.field("publicStatsBrowse");
    assert_eq!(graphql["items"], json!([first]));
    assert_eq!((&graphql["total"], &graphql["limit"], &graphql["pages"]), (&json!(3), &json!(1), &json!(3)));
    app.stop().await;
}

#[tokio::test]
async fn public_stats_browse_refuses_unknown_and_invalid_parameters() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let long = "x".repeat(129);
    for (query, message) in [
        ("platform=discord", "Invalid platform: must be one of twitch, youtube, kick, trovo"),
        ("order=up", "Invalid order: must be asc or desc"),
        ("range=DAYS_365", "Invalid range: must be one of DAYS_7, DAYS_30, DAYS_90"),
        (
            "sort=viewers",
            "Invalid sort: must be one of avg_viewers, peak_viewers, followers, hours_streamed, total_messages, last_streamed_at",
        ),
        ("is_live=maybe", "Invalid is_live: must be true or false"),
        ("min_viewers=many", "Invalid min_viewers: must be a whole number"),
        (
            "nearby=1",
            "Unknown query parameter: nearby. Allowed: platform, game, language, broadcaster_type, is_live, \
            search, min_viewers, max_viewers, sort, order, range, page, limit",
        ),
    ] {
        let refused = anonymous.get(&format!("{PATH}?{query}")).await;
        assert_eq!(refused.status, 400, "{query}");
        refused.refused("VALIDATION_ERROR", message);
    }
    anonymous
        .graphql("{ publicStatsBrowse(filter: { sort: VIEWERS }) { total } }", json!({}))
        .await
        .refused_with("GRAPHQL_VALIDATION_FAILED");
    for (query, filter, message) in [
        ("search=a", "search: \"a\"".to_owned(), "search must be between 2 and 100 characters"),
        ("search=%20", "search: \" \"".to_owned(), "search must be between 2 and 100 characters"),
        ("game=", "game: \"\"".to_owned(), "game must not be empty"),
        (
            format!("game={long}").as_str(),
            format!("game: \"{long}\""),
            "game must be between 1 and 128 characters",
        ),
        ("language=%20", "language: \"\"".to_owned(), "language must not be empty"),
        ("game=a%07b", "game: \"a\\u0007b\"".to_owned(), "game must not contain control characters"),
        ("min_viewers=-1", "minViewers: -1".to_owned(), "min_viewers must be 0 or greater"),
        ("max_viewers=-1", "maxViewers: -1".to_owned(), "max_viewers must be 0 or greater"),
        (
            "min_viewers=2&max_viewers=1",
            "minViewers: 2, maxViewers: 1".to_owned(),
            "min_viewers must not be greater than max_viewers",
        ),
        ("limit=0", "limit: 0".to_owned(), "limit must be between 1 and 100"),
        ("limit=101", "limit: 101".to_owned(), "limit must be between 1 and 100"),
        ("page=0", "page: 0".to_owned(), "page must be 1 or greater"),
    ] {
        let document = format!("{{ publicStatsBrowse(filter: {{ {filter} }}) {{ total }} }}");
        let rest = anonymous.get(&format!("{PATH}?{query}")).await;
        both_refused(&rest, &anonymous.graphql(&document, json!({})).await, 400, "VALIDATION_ERROR", message);
    }
    app.stop().await;
}

#[tokio::test]
async fn public_stats_browse_walks_indexes_of_fifty_thousand_channels() {
    const TYPES: &str =
        "smallint,text,double precision,double precision,text,text,boolean,text,text,bigint,bigint";
    const FILL: &str = "
        INSERT INTO public_channels (platform, platform_channel_id, login, display_name, language, broadcaster_type, source,
            is_live, current_viewers, current_game_id, current_game, last_streamed_at, followers, is_hidden, first_seen_at)
        SELECT ('{twitch,youtube,kick,trovo}'::text[])[1 + n % 4], n::text, 'login' || md5(n::text), 'Name' || n,
            ('{en,de,fr,es}'::text[])[1 + n * 7 % 4], ('{partner,affiliate,other}'::text[])[1 + n % 3], 'external_crawler',
            n % 20 = 0, n % 1000, (n % 500)::text, 'Game ' || n % 500, now() - n * interval '1 minute', n * 7919 % 100003,
            n % 1000 = 0, now()
        FROM generate_series(1, 50000) AS n;
        INSERT INTO public_channel_ranges (range_days, platform, platform_channel_id, avg_viewers, peak_viewers, live_secs,
            total_messages)
        SELECT days, ('{twitch,youtube,kick,trovo}'::text[])[1 + n % 4], n::text, n * 7919 % 99991, n * 31 % 10007,
            n * 17 % 100000, n * 13 % 70000
        FROM generate_series(1, 50000) AS n, unnest('{7,30,90}'::smallint[]) AS days;
        INSERT INTO public_games (platform, game_id, name, updated_at)
        SELECT ('{twitch,youtube,kick,trovo}'::text[])[1 + n % 4], n::text, 'Game ' || n, now()
        FROM generate_series(1, 20000) AS n";
    let watched = Statements::watch();
    let app = TestApp::start().await;
    watched.to(&app);
    plant(&app, FILL).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for table in ["public_channels", "public_channel_ranges", "public_games"] {
        sql_query(format!("VACUUM ANALYZE {table}")).execute(&mut *db).await.unwrap();
    }
    let anonymous = app.anonymous();
    let common = ["", "&order=asc&platform=trovo&page=400", "&language=fr"];
    let filtered = [
        "&is_live=true&min_viewers=1000&order=asc",
        "&search=login12",
        "&search=na&platform=kick&broadcaster_type=partner",
        "&game=game%2040&max_viewers=90000",
        "&game=40&platform=twitch&search=login",
        "&language=de&is_live=true&platform=trovo",
        "&max_viewers=90000&platform=kick",
    ];
    for (sort, more) in [
        ("avg_viewers", &filtered[..]),
        ("followers", &filtered[..]),
        ("peak_viewers", &filtered[..0]),
        ("hours_streamed", &filtered[..0]),
        ("total_messages", &filtered[..0]),
        ("last_streamed_at", &filtered[..0]),
    ] {
        for query in common.iter().chain(more) {
            let place = format!("sort={sort}{query}");
            watched.take();
            let listed = anonymous.get(&format!("{PATH}?{place}")).await;
            listed.expect(200);
            let sent = watched.take();
            assert_eq!(sent.iter().filter(|sql| sql.contains("public_")).count(), 1, "{place}: {sent:#?}");
            assert_indexed(&mut db, sent, TYPES, &place).await;
            if query.is_empty() {
                assert_eq!(listed.data().as_array().map(Vec::len), Some(25), "{place}");
                let total = listed.body["_meta"]["total"].as_i64().unwrap();
                assert!((9_900..=10_000).contains(&total), "{place}: {total}");
            }
        }
    }
    drop(db);
    app.stop().await;
}
