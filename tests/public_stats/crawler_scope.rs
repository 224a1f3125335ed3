//! Scope of the crawler, and channels outside of it (reference/public-stats.md#scope-of-the-crawler).

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::channels::plant;

const SCOPE: &str = "/v1/admin/crawler/scope";
const WATCHLIST: &str = "/v1/admin/crawler/watchlist";
const FIELDS: &str = "{ enabled platforms minViewers languages maxChannels intervalSecs }";
const ENTRY: &str = "{ id platform channel note createdBy createdAt }";

fn scope() -> Value {
    json!({
        "enabled": false, "platforms": ["kick", "twitch"], "min_viewers": 10, "languages": ["en", "de"],
        "max_channels": 5_000_000, "interval_secs": 3600,
    })
}

/// The scope with another value of a field.
fn with(field: &str, value: Value) -> Value {
    let mut scope = scope();
    scope[field] = value;
    scope
}

#[tokio::test]
async fn admin_update_crawler_scope_replaces_the_scope() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["crawler:scope-read", "crawler:scope-edit"]).await;
    let seeded = staff.get(SCOPE).await;
    assert_eq!(
        *seeded.data(),
        json!({
            "enabled": true, "platforms": ["twitch", "youtube", "kick", "trovo"], "min_viewers": 0, "languages": [],
            "max_channels": 50_000, "interval_secs": 300,
        })
    );
    let changed = staff.put(SCOPE, scope()).await;
    assert_eq!(*changed.data(), scope());
    let entry = app.audited_once("crawler:scope_updated").await;
    assert_eq!((entry.scope.as_str(), entry.actor_id), ("system", Some(staff.user_id)));
    assert_eq!((entry.resource_id.as_deref(), entry.metadata), (Some("scope"), scope()));
    let document = format!("{{ adminCrawlerScope {FIELDS} }}");
    assert_eq!(staff.graphql(&document, json!({})).await.field("adminCrawlerScope"), scope());
    let narrow = json!({
        "enabled": true, "platforms": [], "min_viewers": 0, "languages": [], "max_channels": 1, "interval_secs": 60,
    });
    let graphql = staff.mutate("adminUpdateCrawlerScope", &narrow, FIELDS).await;
    assert_eq!(graphql.field("adminUpdateCrawlerScope"), narrow);
    assert_eq!(*staff.get(SCOPE).await.data(), narrow);

    let languages: Vec<String> = (0..101).map(|_| "en".to_owned()).collect();
    for (body, message) in [
        (
            with("platforms", json!(["twitch", "discord"])),
            "platforms[1] must be one of twitch, youtube, kick, trovo",
        ),
        (with("platforms", json!(["twitch", "twitch"])), "platforms must name each platform once"),
        (with("languages", json!(["en", "xx"])), "languages[1] must be an ISO 639-1 code, for example en"),
        (with("languages", json!(["EN"])), "languages[0] must be an ISO 639-1 code, for example en"),
        (with("languages", json!(["de", "de"])), "languages must name each language once"),
        (with("languages", json!(languages)), "languages must hold at most 100 entries"),
        (with("min_viewers", json!(-1)), "min_viewers must be between 0 and 1000000"),
        (with("min_viewers", json!(1_000_001)), "min_viewers must be between 0 and 1000000"),
        (with("max_channels", json!(0)), "max_channels must be between 1 and 5000000"),
        (with("max_channels", json!(5_000_001)), "max_channels must be between 1 and 5000000"),
        (with("interval_secs", json!(59)), "interval_secs must be between 60 and 3600"),
        (with("interval_secs", json!(3601)), "interval_secs must be between 60 and 3600"),
    ] {
        let rest = staff.put(SCOPE, body.clone()).await;
        let graphql = staff.mutate("adminUpdateCrawlerScope", &body, FIELDS).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    staff.put(SCOPE, json!({})).await.refused("VALIDATION_ERROR", "Missing field: enabled");
    assert_eq!(*staff.get(SCOPE).await.data(), narrow, "a refused change changes nothing");
    app.stop().await;
}

#[tokio::test]
async fn admin_crawler_watchlist_pages_what_staff_adds() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["crawler:watchlist-read", "crawler:watchlist-create"]).await;
    let input = json!({ "platform": "twitch", "channel": " Some_Login-1.x ", "note": " Partner " });
    let added = staff.post(WATCHLIST, input).await;
    let first = added.expect(201)["data"].clone();
    assert_eq!(added.header("location"), format!("{WATCHLIST}/{}", first["id"].as_str().unwrap()));
    assert_eq!(
        (&first["platform"], &first["channel"], &first["note"], &first["created_by"]),
        (&json!("twitch"), &json!("Some_Login-1.x"), &json!("Partner"), &json!(staff.user_id))
    );
    let entry = app.audited_once("crawler:watchlist_added").await;
    assert_eq!((entry.scope.as_str(), entry.resource_id.as_deref()), ("system", first["id"].as_str()));
    assert_eq!(entry.metadata, json!({ "platform": "twitch", "channel": "Some_Login-1.x" }));
    app.clock.advance(chrono::Duration::seconds(1));
    let input = json!({ "platform": "youtube", "channel": "@grüße", "note": "" });
    let second = staff.mutate("adminAddCrawlerWatchlistEntry", &input, ENTRY).await;
    let second = second.field("adminAddCrawlerWatchlistEntry");
    assert_eq!((&second["channel"], &second["note"]), (&json!("@grüße"), &Value::Null));

    let listed = staff.get(WATCHLIST).await;
    assert_eq!((listed.data(), &listed.body["_meta"]["total"]), (&json!([second, first]), &json!(2)));
    let paged = staff.get(&format!("{WATCHLIST}?limit=1&page=2")).await;
    assert_eq!(*paged.data(), json!([first]));
    assert_eq!(*staff.get(&format!("{WATCHLIST}?page=10000")).await.data(), json!([]));
    let document = format!("{{ adminCrawlerWatchlist(limit: 1) {{ items {ENTRY} total pages }} }}");
    let graphql = staff.graphql(&document, json!({})).await.field("adminCrawlerWatchlist");
    assert_eq!(graphql, json!({ "items": [second], "total": 2, "pages": 2 }));
    app.stop().await;
}

#[tokio::test]
async fn admin_add_crawler_watchlist_entry_refuses_invalid_and_listed_channels() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["crawler:watchlist-read", "crawler:watchlist-create"]).await;
    let listed = json!({ "platform": "twitch", "channel": "Some_Login-1.x" });
    staff.post(WATCHLIST, listed).await.expect(201);
    for (platform, channel, note, status, code, message) in [
        ("twitch", "some_login-1.X", None, 409, "CONFLICT", "Channel is on the crawler watchlist already"),
        (
            "discord",
            "a",
            None,
            400,
            "VALIDATION_ERROR",
            "platform must be one of twitch, youtube, kick, trovo",
        ),
        ("twitch", "", None, 400, "VALIDATION_ERROR", "channel must not be empty"),
        (
            "twitch",
            "a/b",
            None,
            400,
            "VALIDATION_ERROR",
            "channel must hold only letters, digits, `_`, `-`, `.` and `@`",
        ),
        (
            "twitch",
            "a b",
            None,
            400,
            "VALIDATION_ERROR",
            "channel must hold only letters, digits, `_`, `-`, `.` and `@`",
        ),
        (
            "twitch",
            "x",
            Some("n".repeat(501)),
            400,
            "VALIDATION_ERROR",
            "note must be between 0 and 500 characters",
        ),
        (
            "twitch",
            "x".repeat(101).as_str(),
            None,
            400,
            "VALIDATION_ERROR",
            "channel must be between 1 and 100 characters",
        ),
    ] {
        let body = json!({ "platform": platform, "channel": channel, "note": note });
        let rest = staff.post(WATCHLIST, body.clone()).await;
        let graphql = staff.mutate("adminAddCrawlerWatchlistEntry", &body, ENTRY).await;
        both_refused(&rest, &graphql, status, code, message);
    }

    plant(
        &app,
        "DELETE FROM crawler_watchlist;
         INSERT INTO crawler_watchlist (id, platform, channel)
         SELECT gen_random_uuid(), 'kick', 'c' || n FROM generate_series(1, 9999) AS n",
    )
    .await;
    let add =
        async |channel: &str| staff.post(WATCHLIST, json!({ "platform": "kick", "channel": channel })).await;
    add("last").await.expect(201);
    let body = json!({ "platform": "kick", "channel": "beyond" });
    let graphql = staff.mutate("adminAddCrawlerWatchlistEntry", &body, ENTRY).await;
    both_refused(&add("beyond").await, &graphql, 409, "CONFLICT", "Crawler watchlist limit reached");
    assert_eq!(staff.get(&format!("{WATCHLIST}?page=400")).await.data().as_array().map(Vec::len), Some(25));
    app.stop().await;
}

#[tokio::test]
async fn admin_remove_crawler_watchlist_entry_removes_one_entry() {
    let app = TestApp::start().await;
    let staff = app
        .admin_with(&["crawler:watchlist-read", "crawler:watchlist-create", "crawler:watchlist-delete"])
        .await;
    let id = async |channel: &str| {
        let added = staff.post(WATCHLIST, json!({ "platform": "kick", "channel": channel })).await;
        added.data()["id"].as_str().unwrap().to_owned()
    };
    let (first, second) = (id("1").await, id("2").await);
    let removal = |id: &str| format!("mutation {{ adminRemoveCrawlerWatchlistEntry(id: \"{id}\") }}");
    staff.delete(&format!("{WATCHLIST}/{first}")).await.expect(204);
    let entry = app.audited_once("crawler:watchlist_removed").await;
    assert_eq!((entry.scope.as_str(), entry.resource_id), ("system", Some(first.clone())));
    let removed = staff.graphql(&removal(&second), json!({})).await;
    assert_eq!(removed.field("adminRemoveCrawlerWatchlistEntry"), true);
    assert_eq!(*staff.get(WATCHLIST).await.data(), json!([]));
    let rest = staff.delete(&format!("{WATCHLIST}/{first}")).await;
    let graphql = staff.graphql(&removal(&first), json!({})).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Crawler watchlist entry not found");
    app.stop().await;
}

#[tokio::test]
async fn admin_crawler_scope_and_watchlist_need_their_permissions() {
    let app = TestApp::start().await;
    let id = Uuid::now_v7();
    let entry = json!({ "platform": "kick", "channel": "1" });
    let staff = app.admin_with(&["users:read"]).await;
    for (permission, rest, graphql) in [
        (
            "crawler:scope-read",
            staff.get(SCOPE).await,
            staff.graphql(&format!("{{ adminCrawlerScope {FIELDS} }}"), json!({})).await,
        ),
        (
            "crawler:scope-edit",
            staff.put(SCOPE, scope()).await,
            staff.mutate("adminUpdateCrawlerScope", &scope(), FIELDS).await,
        ),
        (
            "crawler:watchlist-read",
            staff.get(WATCHLIST).await,
            staff.graphql("{ adminCrawlerWatchlist { total } }", json!({})).await,
        ),
        (
            "crawler:watchlist-create",
            staff.post(WATCHLIST, entry.clone()).await,
            staff.mutate("adminAddCrawlerWatchlistEntry", &entry, ENTRY).await,
        ),
        (
            "crawler:watchlist-delete",
            staff.delete(&format!("{WATCHLIST}/{id}")).await,
            staff
                .graphql(&format!("mutation {{ adminRemoveCrawlerWatchlistEntry(id: \"{id}\") }}"), json!({}))
                .await,
        ),
    ] {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    app.anonymous().get(SCOPE).await.refused("UNAUTHORIZED", "Authentication required");
    app.stop().await;
}
