//! Widgets of an account (reference/overlays.md#widgets).

use chrono::Duration;
use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, PUBLIC_URL, SocketRequest, TestApp, both_refused, world::install};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    WIDGET, WIDGETS, both_missing, execute, id_of, layered_install, mutation, query, text, tokens, widget,
};

const UNKNOWN: &str = "type must be one of chat_box, alert_box, event_list, text, image, timer, \
    spotify_now_playing, obs_browser_source, or the slug of an installed extension";

async fn gql_create(caller: &Caller, input: &Value) -> Answer {
    caller.mutate("createWidget", input, WIDGET).await
}

async fn gql_update(caller: &Caller, id: Uuid, input: &Value) -> Answer {
    caller.mutate_at("updateWidget", &[("id", id)], input, WIDGET).await
}

/// A widget as the operations show it that return no token.
fn shown(created: &Value) -> Value {
    let mut widget = created.clone();
    let url = text(&created["url"]).split('#').next().unwrap().to_owned();
    (widget["access_token"], widget["url"]) = (Value::Null, json!(url));
    widget
}

fn path_of(widget: &Value) -> String {
    format!("{WIDGETS}/{}", id_of(widget))
}

#[tokio::test]
async fn widgets_lists_the_widgets_of_the_account_by_type_and_name() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    widget(&stranger, "Other").await;
    let mut made = Vec::new();
    for (name, kind) in [("Chat 100%", "chat_box"), ("Title", "text"), ("Subtitle_", "text")] {
        let answer = owner.post(WIDGETS, json!({ "name": name, "type": kind })).await;
        made.push(shown(answer.data()));
        app.clock.advance(Duration::seconds(5));
    }
    for (filter, arguments, expected) in [
        ("", "", vec![0, 1, 2]),
        ("?type=text", "(type: \"text\")", vec![1, 2]),
        ("?type=timer", "(type: \"timer\")", vec![]),
        ("?search=TITLE", "(search: \"TITLE\")", vec![1, 2]),
        ("?search=%25", "(search: \"%\")", vec![0]),
        ("?search=_&type=text", "(search: \"_\", type: \"text\")", vec![2]),
    ] {
        let expected: Vec<&Value> = expected.into_iter().map(|place: usize| &made[place]).collect();
        assert_eq!(*owner.get(&format!("{WIDGETS}{filter}")).await.data(), json!(expected), "{filter}");
        let document = format!("{{ widgets{arguments} {WIDGET} }}");
        assert_eq!(
            owner.graphql(&document, json!({})).await.field("widgets"),
            json!(expected),
            "{arguments}"
        );
    }
    for (name, value) in [("type", String::new()), ("search", String::new()), ("search", "x".repeat(101))] {
        let rest = owner.get(&format!("{WIDGETS}?{name}={value}")).await;
        let gql = owner.graphql(&format!("{{ widgets({name}: \"{value}\") {{ id }} }}"), json!({})).await;
        let limit = if value.is_empty() { "not be empty" } else { "be between 1 and 100 characters" };
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", &format!("{name} must {limit}"));
    }
    app.stop().await;
}

#[tokio::test]
async fn widget_shows_one_widget_of_the_account_without_its_token() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let made = widget(&owner, "Mine").await;
    let (id, path) = (id_of(&made), path_of(&made));
    assert_eq!(*owner.get(&path).await.data(), shown(&made));
    assert_eq!(query(&owner, "widget", &[("id", id)], WIDGET).await.field("widget"), shown(&made));
    for (caller, id) in [(&stranger, id), (&owner, Uuid::now_v7())] {
        let rest = caller.get(&format!("{WIDGETS}/{id}")).await;
        both_missing(&rest, &query(caller, "widget", &[("id", id)], WIDGET).await, "Widget not found");
    }
    app.stop().await;
}

#[tokio::test]
async fn create_widget_returns_the_token_of_its_page() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let answer = owner.post(WIDGETS, json!({ "name": " Chat ", "type": "chat_box" })).await;
    let made = answer.expect(201)["data"].clone();
    assert_eq!(answer.header("location"), path_of(&made));
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let (id, token) = (id_of(&made), text(&made["access_token"]));
    assert!(token.len() == 74 && token.starts_with("lm_widget_"), "{token}");
    let expected = json!({
        "id": id, "account_id": owner.account_id, "name": "Chat", "type": "chat_box", "install_id": null,
        "config": {}, "width": 800, "height": 600, "enabled": true, "access_token": token,
        "token_prefix": &token[..16], "url": format!("{PUBLIC_URL}/v1/widgets/{id}/page#token={token}"),
        "my_access": "editor", "created_at": made["created_at"], "updated_at": made["created_at"],
    });
    assert_eq!(made, expected);
    app.bearer(token).get(WIDGETS).await.refused("FORBIDDEN", "This token cannot call the API");
    SocketRequest::to(app.url()).bearer(token).connect().await.is_quiet().await;
    let (install, slug) = layered_install(&app, &owner).await;
    let input = json!({ "name": "Goals", "type": slug, "config": { "goal": 5 }, "width": 1, "height": 7680 });
    let other = gql_create(&owner, &input).await.field("createWidget");
    assert_eq!((&other["type"], &other["install_id"]), (&json!(slug), &json!(install)));
    assert_eq!((&other["config"], &other["height"]), (&input["config"], &json!(7680)));
    let entries = app.audited("widget:created").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].metadata, json!({ "name": "Chat", "type": "chat_box" }));
    app.stop().await;
}

#[tokio::test]
async fn create_widget_takes_extensions_that_run_in_the_account_and_have_a_layer() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let (_, foreign) = layered_install(&app, &stranger).await;
    let (id, slug) = layered_install(&app, &owner).await;
    let without = install(&app, &owner, &[]).await;
    let sql = "UPDATE extensions SET slug = 'without-layer'
        WHERE id = (SELECT extension_id FROM extension_installs WHERE id = $1)";
    execute(&app, sql, without).await;
    let create = async |kind: &str| {
        let input = json!({ "name": "Goals", "type": kind });
        (owner.post(WIDGETS, input.clone()).await, gql_create(&owner, &input).await)
    };
    for kind in ["clock", "system-text", &foreign, "without-layer"] {
        let (rest, gql) = create(kind).await;
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", UNKNOWN);
    }
    let made = owner.post(WIDGETS, json!({ "name": "Goals", "type": slug })).await.data().clone();
    execute(&app, "UPDATE extension_installs SET enabled = false WHERE id = $1", id).await;
    let (rest, gql) = create(&slug).await;
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", UNKNOWN);
    owner.delete(&format!("/v1/extension-installs/{id}")).await.expect(204);
    owner.get(&path_of(&made)).await.refused("NOT_FOUND", "Widget not found");
    assert_eq!(
        tokens(&app, &[text(&made["id"])]).await,
        Vec::<String>::new(),
        "the token ends with the widget"
    );
    app.stop().await;
}

#[tokio::test]
async fn create_widget_and_update_widget_and_duplicate_widget_need_the_flag_of_the_type() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let made = widget(&owner, "Mine").await;
    let (id, path) = (id_of(&made), path_of(&made));
    app.override_feature(owner.account_id, "widget:text", false).await;
    let off = "Feature is disabled: widget:text";
    let input = json!({ "name": "Text", "type": "text" });
    let (rest, gql) = (owner.post(WIDGETS, input.clone()).await, gql_create(&owner, &input).await);
    both_refused(&rest, &gql, 403, "FEATURE_DISABLED", off);
    let on = json!({ "enabled": true });
    let (rest, gql) = (owner.patch(&path, on.clone()).await, gql_update(&owner, id, &on).await);
    both_refused(&rest, &gql, 403, "FEATURE_DISABLED", off);
    let rest = owner.post(&format!("{path}/duplicate"), json!({})).await;
    let gql = mutation(&owner, "duplicateWidget", &[("id", id)], WIDGET).await;
    both_refused(&rest, &gql, 403, "FEATURE_DISABLED", off);
    // A widget that is switched off shows nothing.
    owner.patch(&path, json!({ "enabled": false, "name": "Off" })).await.expect(200);
    let copy = owner.post(&format!("{path}/duplicate"), json!({})).await;
    assert_eq!(copy.expect(201)["data"]["enabled"], false);
    owner.post(WIDGETS, json!({ "name": "Chat", "type": "chat_box" })).await.expect(201);
    app.stop().await;
}

#[tokio::test]
async fn create_widget_and_update_widget_validate_every_field() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let made = widget(&owner, "Mine").await;
    for (field, value, message) in [
        ("name", json!(""), "name must not be empty"),
        ("name", json!("x".repeat(101)), "name must be between 1 and 100 characters"),
        ("config", json!([1]), "config must be an object"),
        ("config", json!({ "a": "x".repeat(65_536) }), "config must not be larger than 65536 bytes"),
        ("config", json!({ "a\u{0}": 1 }), "config must not contain NUL characters"),
        ("width", json!(0), "width must be between 1 and 7680"),
        ("height", json!(7681), "height must be between 1 and 7680"),
    ] {
        let mut input = json!({ "name": "Text", "type": "text" });
        input[field] = value.clone();
        let (rest, gql) = (owner.post(WIDGETS, input.clone()).await, gql_create(&owner, &input).await);
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
        let input = json!({ field: value });
        let rest = owner.patch(&path_of(&made), input.clone()).await;
        both_refused(
            &rest,
            &gql_update(&owner, id_of(&made), &input).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    let long = json!({ "name": "Text", "type": "x".repeat(101) });
    let (rest, gql) = (owner.post(WIDGETS, long.clone()).await, gql_create(&owner, &long).await);
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "type must be between 1 and 100 characters");
    assert_eq!(*owner.get(WIDGETS).await.data(), json!([shown(&made)]));
    app.stop().await;
}

#[tokio::test]
async fn create_widget_and_duplicate_widget_stop_at_a_hundred_widgets() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let made = widget(&owner, "Mine").await;
    sql_query(
        "INSERT INTO widgets (id, account_id, name, widget_type, width, height, token_prefix)
         SELECT gen_random_uuid(), $1, n::text, 'text', 1, 1, 'x' FROM generate_series(1, 98) AS n",
    )
    .bind::<SqlUuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    widget(&owner, "Last").await;
    let input = json!({ "name": "Text", "type": "text" });
    let (rest, gql) = (owner.post(WIDGETS, input.clone()).await, gql_create(&owner, &input).await);
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", "Widget limit reached");
    let rest = owner.post(&format!("{}/duplicate", path_of(&made)), json!({})).await;
    let gql = mutation(&owner, "duplicateWidget", &[("id", id_of(&made))], WIDGET).await;
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", "Widget limit reached");
    assert_eq!(owner.get(WIDGETS).await.data().as_array().map(Vec::len), Some(100));
    app.stop().await;
}

#[tokio::test]
async fn update_widget_changes_the_given_fields() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let made = widget(&owner, "Mine").await;
    let (id, path) = (id_of(&made), path_of(&made));
    let changes = json!({ "name": "New", "config": { "a": 1 }, "width": 5, "height": 6, "enabled": false });
    let changed = owner.patch(&path, changes.clone()).await.data().clone();
    let mut expected = shown(&made);
    for (field, value) in changes.as_object().unwrap() {
        expected[field] = value.clone();
    }
    expected["updated_at"] = changed["updated_at"].clone();
    assert_eq!(changed, expected);
    let again = gql_update(&owner, id, &json!({ "enabled": true })).await.field("updateWidget");
    assert_eq!((&again["enabled"], &again["name"]), (&json!(true), &json!("New")));
    assert_eq!(*owner.patch(&path, json!({})).await.data(), again);
    for field in ["name", "config", "width", "height", "enabled"] {
        let input = json!({ field: null });
        let (rest, gql) = (owner.patch(&path, input.clone()).await, gql_update(&owner, id, &input).await);
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", &format!("{field} cannot be null"));
    }
    let rest = stranger.patch(&path, changes.clone()).await;
    both_missing(&rest, &gql_update(&stranger, id, &changes).await, "Widget not found");
    let entries = app.audited("widget:updated").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1].metadata, json!({ "fields": ["enabled"] }));
    app.stop().await;
}

#[tokio::test]
async fn delete_widget_removes_the_widget_and_ends_its_token() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let (first, second) = (widget(&owner, "First").await, widget(&owner, "Second").await);
    let mut socket = SocketRequest::to(app.url()).bearer(text(&first["access_token"])).connect().await;
    let rest = stranger.delete(&path_of(&first)).await;
    let gql = mutation(&stranger, "deleteWidget", &[("id", id_of(&first))], "").await;
    both_missing(&rest, &gql, "Widget not found");
    owner.delete(&path_of(&first)).await.expect(204);
    let (frames, closed) = socket.until_closed().await;
    assert_eq!((&frames.last().expect("an error")["code"], closed), (&json!("TOKEN_REVOKED"), 4002));
    let gql = mutation(&owner, "deleteWidget", &[("id", id_of(&second))], "").await;
    assert_eq!(gql.field("deleteWidget"), json!(true));
    assert_eq!(tokens(&app, &[text(&first["id"]), text(&second["id"])]).await, Vec::<String>::new());
    assert_eq!(*owner.get(WIDGETS).await.data(), json!([]));
    let entries = app.audited("widget:deleted").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].metadata, json!({ "name": "First", "type": "text" }));
    app.stop().await;
}

#[tokio::test]
async fn duplicate_widget_copies_the_widget_with_a_token_of_its_own() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let (install, slug) = layered_install(&app, &owner).await;
    let input = json!({ "name": "Goals", "type": slug, "config": { "goal": 5 }, "width": 5, "height": 6 });
    let made = owner.post(WIDGETS, input).await.data().clone();
    let friend = app.member_as(owner.account_id, "viewer").await;
    let access = format!("{}/access/{}", path_of(&made), friend.user_id);
    owner.put(&access, json!({ "role": "viewer" })).await.expect(200);
    let answer = owner.post(&format!("{}/duplicate", path_of(&made)), json!({})).await;
    let copy = answer.expect(201)["data"].clone();
    assert_eq!(answer.header("location"), path_of(&copy));
    assert_ne!((&copy["id"], &copy["access_token"]), (&made["id"], &made["access_token"]));
    let mut expected = made.clone();
    for field in ["id", "access_token", "token_prefix", "url", "created_at", "updated_at"] {
        expected[field] = copy[field].clone();
    }
    expected["name"] = json!("Goals (copy)");
    assert_eq!(copy, expected);
    assert_eq!(copy["install_id"], json!(install));
    SocketRequest::to(app.url()).bearer(text(&copy["access_token"])).connect().await.is_quiet().await;
    assert_eq!(*owner.get(&format!("{}/access", path_of(&copy))).await.data(), json!([]));
    let second = mutation(&owner, "duplicateWidget", &[("id", id_of(&made))], WIDGET).await;
    assert!(text(&second.field("duplicateWidget")["access_token"]).starts_with("lm_widget_"));
    let rest = stranger.post(&format!("{}/duplicate", path_of(&made)), json!({})).await;
    let gql = mutation(&stranger, "duplicateWidget", &[("id", id_of(&made))], WIDGET).await;
    both_missing(&rest, &gql, "Widget not found");
    let entries = app.audited("widget:duplicated").await;
    assert_eq!(entries.len(), 2);
    let metadata = json!({ "name": "Goals (copy)", "type": slug, "source_id": made["id"] });
    assert_eq!(entries[0].metadata, metadata);
    app.stop().await;
}

#[tokio::test]
async fn rotate_widget_token_ends_the_former_token_immediately() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let made = widget(&owner, "Mine").await;
    let (id, path) = (id_of(&made), format!("{}/token/rotate", path_of(&made)));
    let mut socket = SocketRequest::to(app.url()).bearer(text(&made["access_token"])).connect().await;
    let answer = owner.post(&path, json!({})).await;
    let rotated = answer.expect(200)["data"].clone();
    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert_ne!(rotated["access_token"], made["access_token"]);
    let token = text(&rotated["access_token"]);
    assert_eq!(rotated["token_prefix"], token[..16]);
    assert_eq!(rotated["url"], format!("{PUBLIC_URL}/v1/widgets/{id}/page#token={token}"));
    let (frames, closed) = socket.until_closed().await;
    assert_eq!((&frames.last().expect("an error")["code"], closed), (&json!("TOKEN_REVOKED"), 4002));
    SocketRequest::to(app.url()).bearer(token).connect().await.is_quiet().await;
    assert_eq!(*owner.get(&path_of(&made)).await.data(), shown(&rotated));
    let third = mutation(&owner, "rotateWidgetToken", &[("id", id)], WIDGET).await.field("rotateWidgetToken");
    assert_ne!(third["access_token"], rotated["access_token"]);
    assert_eq!(tokens(&app, &[text(&made["id"])]).await, ["widget"]);
    let rest = stranger.post(&path, json!({})).await;
    let gql = mutation(&stranger, "rotateWidgetToken", &[("id", id)], WIDGET).await;
    both_missing(&rest, &gql, "Widget not found");
    let entries = app.audited("widget:token_rotated").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].metadata, json!({ "token_prefix": rotated["token_prefix"] }));
    app.stop().await;
}

#[tokio::test]
async fn widgets_need_the_feature_except_for_copies_and_access() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let made = widget(&owner, "Mine").await;
    app.override_feature(owner.account_id, "feature:widgets", false).await;
    let gql = owner.graphql(&format!("{{ widgets {WIDGET} }}"), json!({})).await;
    let off = "Feature is disabled: feature:widgets";
    both_refused(&owner.get(WIDGETS).await, &gql, 403, "FEATURE_DISABLED", off);
    owner.post(&format!("{}/duplicate", path_of(&made)), json!({})).await.expect(201);
    owner.get(&format!("{}/access", path_of(&made))).await.expect(200);
    app.stop().await;
}
