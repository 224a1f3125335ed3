//! Search for people to invite (reference/accounts.md#member-search).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};

use crate::login_connection;

async fn search(caller: &Caller, q: &str) -> Answer {
    let request = caller.request(reqwest::Method::GET, "/v1/members/search").query(&[("q", q)]);
    caller.send(request).await
}

#[tokio::test]
async fn search_users_finds_people_by_the_prefix_of_their_names() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let found = app.user("Zebra_crossing").await;
    let percent = app.user("zeb%").await;
    let by_login = app.user("somebody").await;
    let login = login_connection(&app, by_login, "twitch").await;
    login_connection(&app, by_login, "kick").await;
    diesel::update(shared::schema::login_connections::table.find(login))
        .set(shared::schema::login_connections::username.eq("zebrafish"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let member = app.user("zebra").await;
    app.join(owner.account_id, member, "viewer").await;
    app.switch("platform:kick", false).await;

    let answer = search(&owner, "ZEBRA").await;
    let people = answer.data().as_array().unwrap();
    let ids: Vec<&Value> = people.iter().map(|person| &person["user_id"]).collect();
    assert_eq!(ids, [&json!(by_login), &json!(found)]);
    let platforms = json!([{
        "platform": "twitch", "username": "zebrafish", "display_name": "On twitch",
        "avatar_url": "https://cdn.example/twitch.png",
    }]);
    assert_eq!(people[0]["connections"], platforms);
    assert_eq!(
        (&people[1]["display_name"], &people[1]["connections"]),
        (&json!("Zebra_crossing"), &json!([]))
    );
    // Wildcards of LIKE patterns are taken literally.
    let answer = search(&owner, "zeb%").await;
    assert_eq!(answer.data()[0]["user_id"], json!(percent));
    assert_eq!(answer.data().as_array().unwrap().len(), 1);
    let query = "query($q: String!) { searchUsers(query: $q) { userId displayName username avatarUrl \
        connections { platform username displayName avatarUrl } } }";
    let twin = owner.graphql(query, json!({ "q": "zebra" })).await.field("searchUsers");
    assert_eq!(twin, *search(&owner, "zebra").await.data());
    for short in ["", "ze", " ze "] {
        assert_eq!(search(&owner, short).await.data(), &json!([]));
    }
}

#[tokio::test]
async fn search_users_is_bounded_and_needs_the_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for n in 0..12 {
        app.user(&format!("crowd{n}")).await;
    }
    assert_eq!(search(&owner, "crowd").await.data().as_array().unwrap().len(), 10);
    let two = owner.get("/v1/members/search?q=crowd&limit=2").await;
    assert_eq!(two.data().as_array().unwrap().len(), 2);
    let document = "query($q: String!, $limit: Int) { searchUsers(query: $q, limit: $limit) { userId } }";
    let ask = async |caller: &Caller, q: &str, limit: i32| {
        caller.graphql(document, json!({ "q": q, "limit": limit })).await
    };
    for limit in [0, 11] {
        let rest = owner.get(&format!("/v1/members/search?q=crowd&limit={limit}")).await;
        let message = "limit must be between 1 and 10";
        both_refused(&rest, &ask(&owner, "crowd", limit).await, 400, "VALIDATION_ERROR", message);
    }
    let long = "x".repeat(101);
    let (rest, graphql) = (search(&owner, &long).await, ask(&owner, &long, 1).await);
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "q must be between 0 and 100 characters");
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let (rest, graphql) = (search(&viewer, "crowd").await, ask(&viewer, "crowd", 1).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: members:create");
}

#[tokio::test]
async fn search_users_reads_indexes() {
    let app = TestApp::start().await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for sql in [
        "INSERT INTO users (id, display_name, username) SELECT gen_random_uuid(), 'D' || md5(n::text), md5(n::text) \
         FROM generate_series(1, 20000) AS n",
        "ANALYZE users",
        "SET plan_cache_mode = force_generic_plan",
    ] {
        sql_query(sql).execute(&mut *db).await.unwrap();
    }
    #[derive(QueryableByName)]
    struct Line {
        #[diesel(sql_type = diesel::sql_types::Text, column_name = "QUERY PLAN")]
        line: String,
    }
    sql_query(
        "PREPARE found(text) AS SELECT id FROM users WHERE lower(username) ~>=~ lower($1) \
         AND lower(username) ~<~ (lower($1) || chr(1114111)) ORDER BY lower(username) USING ~<~ LIMIT 10",
    )
    .execute(&mut *db)
    .await
    .unwrap();
    let plan: Vec<Line> = sql_query("EXPLAIN EXECUTE found('abc')").load(&mut *db).await.unwrap();
    let plan: Vec<String> = plan.into_iter().map(|line| line.line).collect();
    assert!(plan.iter().any(|line| line.contains("users_username_prefix")), "{plan:#?}");
}
