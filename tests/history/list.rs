//! Lists of sessions (reference/history.md#history).

use chrono::{DateTime, Duration, Utc};
use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Statements, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::scene::{HISTORY, Planted, SESSION, hours_ago, id_of, lowered};

async fn gql_history(caller: &Caller, filter: Value) -> Answer {
    let document = format!(
        "query($filter: StreamHistoryFilter) {{ streamHistory(filter: $filter) {{
            items {SESSION} total page limit pages }} }}"
    );
    caller.graphql(&document, json!({ "filter": filter })).await
}

async fn gql_options(caller: &Caller) -> Answer {
    caller.graphql("{ streamHistoryFilterOptions { platforms categories } }", json!({})).await
}

/// Ids of the sessions that a query finds, in order.
async fn found(caller: &Caller, query: &str) -> Vec<Uuid> {
    let answer = caller.get(&format!("{HISTORY}{query}")).await;
    let rows = answer.data().as_array().expect("a list").clone();
    rows.iter().map(id_of).collect()
}

fn rfc3339(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[tokio::test]
async fn stream_history_lists_the_sessions_of_the_account_newest_first() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let older = Planted::of(owner.account_id, hours_ago(&app, 5));
    let older_id = older.plant(&app).await;
    let live = Planted::live(owner.account_id, hours_ago(&app, 1));
    let live_id = live.plant(&app).await;
    Planted::of(stranger.account_id, hours_ago(&app, 3)).plant(&app).await;

    let rest = owner.get(HISTORY).await;
    let expected = json!([
        {
            "id": live_id, "session_type": "single", "platforms": ["twitch"], "title": "Planted",
            "category": "Chess", "started_at": api_core::Timestamp::from(live.started_at), "ended_at": null,
            "duration_secs": null, "peak_viewers": null, "avg_viewers": null, "total_messages": 0,
            "unique_chatters": null, "new_followers": null, "new_subscribers": null, "is_live": true,
        },
        {
            "id": older_id, "session_type": "single", "platforms": ["twitch"], "title": "Planted",
            "category": "Chess", "started_at": api_core::Timestamp::from(older.started_at),
            "ended_at": api_core::Timestamp::from(older.ended_at.unwrap()), "duration_secs": 3600,
            "peak_viewers": 100, "avg_viewers": 50.25, "total_messages": 1000, "unique_chatters": 40,
            "new_followers": 5, "new_subscribers": 2, "is_live": false,
        },
    ]);
    assert_eq!(*rest.data(), expected);
    assert_eq!(rest.body["_meta"], json!({ "total": 2, "page": 1, "limit": 25, "pages": 1 }));
    let gql = gql_history(&owner, Value::Null).await.field("streamHistory");
    assert_eq!(lowered(gql), json!({ "items": expected, "total": 2, "page": 1, "limit": 25, "pages": 1 }));

    let second = owner.get(&format!("{HISTORY}?per_page=1&page=2&sort_dir=desc")).await;
    assert_eq!(*second.data(), json!([expected[1]]));
    let links = json!({
        "self": "/v1/history?per_page=1&page=2&sort_dir=desc",
        "first": "/v1/history?per_page=1&sort_dir=desc&page=1",
        "prev": "/v1/history?per_page=1&sort_dir=desc&page=1",
        "last": "/v1/history?per_page=1&sort_dir=desc&page=2",
    });
    assert_eq!(second.body["_links"], links);
    owner.get(links["first"].as_str().unwrap()).await.expect(200);
    let first = owner.get(&format!("{HISTORY}?page=1")).await;
    assert_eq!(first.body["_links"]["last"], "/v1/history?page=1");

    let beyond = owner.get(&format!("{HISTORY}?page=10000&per_page=100")).await;
    assert_eq!(*beyond.data(), json!([]));
    assert_eq!(beyond.body["_meta"], json!({ "total": 2, "page": 10_000, "limit": 100, "pages": 1 }));

    let by_key = app.service_key(owner.account_id, &["history:read"]).await;
    let by_popout = app.popout(&owner, &["history:read"]).await;
    let moderator = app.member_as(owner.account_id, "moderator").await;
    for caller in [&by_key, &by_popout, &moderator.caller] {
        assert_eq!(*caller.get(HISTORY).await.data(), expected);
    }
    app.stop().await;
}

#[tokio::test]
async fn stream_history_sorts_by_each_column_with_absent_values_last() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let of = |hours, value: Option<i64>| {
        let started_at = hours_ago(&app, hours);
        Planted {
            ended_at: Some(started_at + Duration::minutes(30 + value.unwrap_or(0))),
            peak_viewers: value,
            avg_viewers: value.map(|value| f64::from(i32::try_from(value).unwrap())),
            total_messages: value.unwrap_or(0),
            unique_chatters: value,
            new_followers: value,
            ..Planted::of(owner.account_id, started_at)
        }
    };
    // Two have the same value: the newer one goes first in both directions.
    let small = of(40, Some(1)).plant(&app).await;
    let absent = of(30, None).plant(&app).await;
    let equal_old = of(20, Some(5)).plant(&app).await;
    let equal_new = of(10, Some(5)).plant(&app).await;
    for column in ["peak_viewers", "avg_viewers", "unique_chatters", "new_followers"] {
        let descending = found(&owner, &format!("?sort_by={column}")).await;
        assert_eq!(descending, [equal_new, equal_old, small, absent], "{column}");
        let ascending = found(&owner, &format!("?sort_by={column}&sort_dir=asc")).await;
        assert_eq!(ascending, [small, equal_new, equal_old, absent], "{column}");
    }
    for column in ["duration_secs", "total_messages"] {
        let descending = found(&owner, &format!("?sort_by={column}&sort_dir=desc")).await;
        assert_eq!(descending, [equal_new, equal_old, small, absent], "{column}");
        let ascending = found(&owner, &format!("?sort_by={column}&sort_dir=asc")).await;
        assert_eq!(ascending, [absent, small, equal_new, equal_old], "{column}");
    }
    // The length of a live session is absent.
    let live = Planted::live(owner.account_id, hours_ago(&app, 1)).plant(&app).await;
    for direction in ["asc", "desc"] {
        let ids = found(&owner, &format!("?sort_by=duration_secs&sort_dir={direction}")).await;
        assert_eq!(ids.last(), Some(&live), "{direction}");
    }
    assert_eq!(
        found(&owner, "?sort_by=started_at&sort_dir=asc").await,
        [small, absent, equal_old, equal_new, live]
    );
    let filter = json!({ "sortBy": "PEAK_VIEWERS", "sortDir": "ASC", "perPage": 1 });
    let gql = gql_history(&owner, filter).await.field("streamHistory");
    assert_eq!((&gql["items"][0]["id"], &gql["total"]), (&json!(small), &json!(5)));
    app.stop().await;
}

#[tokio::test]
async fn stream_history_filters_by_each_parameter() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (early, late) = (hours_ago(&app, 20), hours_ago(&app, 10));
    let chess = Planted {
        title: Some("100% Chess_night \\o/"),
        categories: vec!["Chess", "Music"],
        ..Planted::of(owner.account_id, early)
    };
    let chess = chess.plant(&app).await;
    let multi = Planted {
        is_multi: true,
        platforms: vec!["kick", "youtube"],
        title: None,
        category: Some("Art"),
        categories: vec!["Art"],
        ..Planted::of(owner.account_id, late)
    };
    let multi = multi.plant(&app).await;
    let second_late = late + Duration::seconds(1);
    for (query, expected) in [
        ("?session_type=multi".to_owned(), vec![multi]),
        ("?session_type=single".to_owned(), vec![chess]),
        ("?platform=kick".to_owned(), vec![multi]),
        ("?platform=twitch".to_owned(), vec![chess]),
        ("?platform=trovo".to_owned(), vec![]),
        ("?search=chess_NIGHT".to_owned(), vec![chess]),
        ("?search=100%25".to_owned(), vec![chess]),
        ("?search=%5Co".to_owned(), vec![chess]),
        // A wildcard is literal.
        ("?search=chess%25night".to_owned(), vec![]),
        ("?category=Music".to_owned(), vec![chess]),
        ("?category=Art".to_owned(), vec![multi]),
        ("?category=music".to_owned(), vec![]),
        (format!("?from={}", rfc3339(late)), vec![multi]),
        (format!("?from={}", rfc3339(second_late)), vec![]),
        (format!("?to={}", rfc3339(late)), vec![chess]),
        (format!("?to={}", rfc3339(second_late)), vec![multi, chess]),
        (format!("?from={}&to={}", rfc3339(early), rfc3339(late)), vec![chess]),
        ("?platform=kick&session_type=single".to_owned(), vec![]),
    ] {
        assert_eq!(found(&owner, &query).await, expected, "{query}");
    }
    let filter = json!({
        "sessionType": "MULTI", "platform": "kick", "category": "Art", "from": rfc3339(late),
        "to": rfc3339(second_late), "page": 1, "perPage": 5,
    });
    let gql = gql_history(&owner, filter).await.field("streamHistory");
    assert_eq!((&gql["items"][0]["id"], &gql["total"]), (&json!(multi), &json!(1)));
    app.stop().await;
}

#[tokio::test]
async fn stream_history_refuses_unknown_values_and_callers_without_the_right() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let per_page = "per_page must be between 1 and 100";
    let time = "must be a time in RFC 3339, for example 2030-01-31T12:00:00Z";
    let long = format!("category={}", "x".repeat(201));
    for (query, filter, message) in [
        ("page=0", json!({ "page": 0 }), "page must be 1 or greater".to_owned()),
        ("per_page=0", json!({ "perPage": 0 }), per_page.to_owned()),
        ("per_page=101", json!({ "perPage": 101 }), per_page.to_owned()),
        ("from=x", json!({ "from": "x" }), format!("from {time}")),
        ("to=2030-01-01", json!({ "to": "2030-01-01" }), format!("to {time}")),
        (
            "from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z",
            json!({ "from": "2030-01-02T00:00:00Z", "to": "2030-01-01T00:00:00Z" }),
            "from must not be after to".to_owned(),
        ),
        (
            "platform=discord",
            json!({ "platform": "discord" }),
            "platform must be one of twitch, youtube, kick, trovo".to_owned(),
        ),
        ("search=", json!({ "search": "" }), "search must not be empty".to_owned()),
        (
            &*long,
            json!({ "category": "x".repeat(201) }),
            "category must be between 1 and 200 characters".to_owned(),
        ),
    ] {
        let rest = owner.get(&format!("{HISTORY}?{query}")).await;
        both_refused(&rest, &gql_history(&owner, filter).await, 400, "VALIDATION_ERROR", &message);
    }
    let columns = "started_at, duration_secs, peak_viewers, avg_viewers, total_messages, unique_chatters, \
        new_followers";
    for (query, message) in [
        ("sort_by=title", format!("Invalid sort_by: must be one of {columns}")),
        ("sort_dir=up", "Invalid sort_dir: must be asc or desc".to_owned()),
        ("session_type=both", "Invalid session_type: must be single or multi".to_owned()),
    ] {
        owner.get(&format!("{HISTORY}?{query}")).await.refused("VALIDATION_ERROR", &message);
    }
    let unknown = owner.get(&format!("{HISTORY}?limit=5")).await.error().1;
    assert!(unknown.starts_with("Unknown query parameter: limit. Allowed: "), "{unknown}");
    for filter in [json!({ "sortBy": "TITLE" }), json!({ "sessionType": "BOTH" })] {
        gql_history(&owner, filter).await.refused_with("GRAPHQL_VALIDATION_FAILED");
    }

    let viewer = app.member_as(owner.account_id, "viewer").await;
    let lacks = "Missing permission: history:read";
    for caller in [&viewer.caller, &app.service_key(owner.account_id, &["history:share"]).await] {
        let (rest, gql) = (caller.get(HISTORY).await, gql_history(caller, Value::Null).await);
        both_refused(&rest, &gql, 403, "FORBIDDEN", lacks);
        let rest = caller.get(&format!("{HISTORY}/filter-options")).await;
        both_refused(&rest, &gql_options(caller).await, 403, "FORBIDDEN", lacks);
    }
    app.override_feature(owner.account_id, "feature:stream_history", false).await;
    let off = "Feature is disabled: feature:stream_history";
    let (rest, gql) = (owner.get(HISTORY).await, gql_history(&owner, Value::Null).await);
    both_refused(&rest, &gql, 403, "FEATURE_DISABLED", off);
    app.stop().await;
}

#[tokio::test]
async fn stream_history_filter_options_are_sorted_and_of_the_account() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let empty = json!({ "platforms": [], "categories": [] });
    assert_eq!(*owner.get(&format!("{HISTORY}/filter-options")).await.data(), empty);
    for (hours, platforms, categories) in
        [(9, vec!["kick", "twitch"], vec!["Chess", "Art"]), (5, vec!["twitch"], vec!["Music", "Chess"])]
    {
        let started_at = hours_ago(&app, hours);
        Planted { platforms, categories, ..Planted::of(owner.account_id, started_at) }.plant(&app).await;
    }
    let foreign =
        Planted { categories: vec!["Foreign"], ..Planted::of(stranger.account_id, hours_ago(&app, 3)) };
    foreign.plant(&app).await;
    let options = json!({ "platforms": ["kick", "twitch"], "categories": ["Art", "Chess", "Music"] });
    assert_eq!(*owner.get(&format!("{HISTORY}/filter-options")).await.data(), options);
    assert_eq!(gql_options(&owner).await.field("streamHistoryFilterOptions"), options);
    app.stop().await;
}

#[tokio::test]
async fn stream_history_reads_one_account_by_index_in_every_order() {
    #[derive(QueryableByName)]
    struct Line {
        #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
        line: String,
    }
    let watched = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    watched.to(&app);
    let mut db = app.databases.postgres.get().await.unwrap();
    for sql in [
        "ALTER TABLE stream_sessions DROP CONSTRAINT stream_sessions_account_id_fkey",
        "INSERT INTO stream_sessions (id, account_id, session_type, platforms, started_at, ended_at, minutes_from)
         SELECT gen_random_uuid(), md5((n % 300)::text)::uuid, 'single', '{twitch}',
             now() - n * interval '1 hour', now() - n * interval '1 hour' + interval '30 minutes',
             now() - n * interval '1 hour'
         FROM generate_series(1, 30000) AS n",
        "ANALYZE stream_sessions",
        "SET plan_cache_mode = force_generic_plan",
    ] {
        sql_query(sql).execute(&mut *db).await.unwrap();
    }
    let columns = [
        "started_at",
        "duration_secs",
        "peak_viewers",
        "avg_viewers",
        "total_messages",
        "unique_chatters",
        "new_followers",
    ];
    for column in columns {
        for direction in ["asc", "desc"] {
            watched.take();
            found(&owner, &format!("?sort_by={column}&sort_dir={direction}")).await;
            let sent = watched.take();
            let sent: Vec<&String> = sent.iter().filter(|sql| sql.contains("FROM stream_sessions")).collect();
            let [sql] = sent.as_slice() else { panic!("one statement: {sent:#?}") };
            let sql = sql.split("-- binds").next().expect("a statement").trim();
            let types =
                "uuid, timestamptz, timestamptz, text, text, text, text, timestamptz, uuid, bigint, bigint";
            sql_query(format!("PREPARE history({types}) AS {sql}")).execute(&mut *db).await.unwrap();
            let values =
                format!("'{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 25, 0", Uuid::now_v7());
            let plan: Vec<Line> =
                sql_query(format!("EXPLAIN EXECUTE history({values})")).load(&mut *db).await.unwrap();
            let plan: Vec<String> = plan.into_iter().map(|line| line.line).collect();
            assert!(plan.iter().all(|line| !line.contains("Seq Scan")), "{column} {direction}: {plan:#?}");
            sql_query("DEALLOCATE history").execute(&mut *db).await.unwrap();
        }
    }
    drop(db);
    app.stop().await;
}
