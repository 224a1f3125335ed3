//! Overlays of an account (reference/overlays.md#overlays).

use chrono::Duration;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, Statements, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    OVERLAY, OVERLAYS, both_missing, execute, id_of, layered_install, mutation, overlay, query, text, tokens,
    unlimited,
};

async fn gql_create(caller: &Caller, input: &Value) -> Answer {
    caller.mutate("createOverlay", input, OVERLAY).await
}

async fn gql_list(caller: &Caller) -> Answer {
    caller.graphql(&format!("{{ overlays {OVERLAY} }}"), json!({})).await
}

/// Updates over GraphQL.
async fn gql_update(caller: &Caller, id: Uuid, changes: &Value) -> Answer {
    let mut input = changes.clone();
    input["id"] = json!(id);
    caller.mutate("updateOverlay", &input, OVERLAY).await
}

/// An upload of the person's account.
async fn upload(app: &TestApp, owner: &Person, purpose: &str) -> Uuid {
    #[derive(QueryableByName)]
    struct Made {
        #[diesel(sql_type = SqlUuid)]
        id: Uuid,
    }
    let sql = "INSERT INTO uploads (id, account_id, filename, content_type, size_bytes, storage_key, purpose, sha256)
        VALUES (gen_random_uuid(), $1, 'a.png', 'image/png', 1, 'thumbnail/' || $1 || $2, $2, 'x') RETURNING id";
    let mut db = app.databases.postgres.get().await.unwrap();
    let query = sql_query(sql).bind::<SqlUuid, _>(owner.account_id).bind::<Text, _>(purpose);
    let made: Made = query.get_result(&mut *db).await.unwrap();
    made.id
}

#[tokio::test]
async fn overlays_lists_the_overlays_of_the_account_oldest_first() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    overlay(&stranger, "Other").await;
    let first = overlay(&owner, "First").await;
    app.clock.advance(Duration::seconds(5));
    let second = overlay(&owner, "Second").await;
    let listed = owner.get(OVERLAYS).await;
    assert_eq!(*listed.data(), json!([first, second]));
    assert_eq!(gql_list(&owner).await.field("overlays"), json!([first, second]));
    app.stop().await;
}

#[tokio::test]
async fn overlays_takes_as_many_statements_for_a_thousand_overlays_as_for_one() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    overlay(&owner, "First").await;
    statements.to(&app);
    let (_, of_one) = statements.of(async || owner.get(OVERLAYS).await).await;
    let sql = "INSERT INTO overlays (id, account_id, name, key, width, height, background, token)
        SELECT gen_random_uuid(), $1, n::text, lpad(n::text, 12, '0'), 1, 1, 'transparent', '\\x01'
        FROM generate_series(1, 999) AS n";
    execute(&app, sql, owner.account_id).await;
    let (listed, of_a_thousand) = statements.of(async || owner.get(OVERLAYS).await).await;
    assert_eq!(listed.data().as_array().map(Vec::len), Some(1000));
    assert_eq!(of_a_thousand.len(), of_one.len(), "{of_a_thousand:#?}");
    app.stop().await;
}

#[tokio::test]
async fn overlay_shows_one_overlay_of_the_account() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let made = overlay(&owner, "Mine").await;
    let id = id_of(&made);
    assert_eq!(*owner.get(&format!("{OVERLAYS}/{id}")).await.data(), made);
    assert_eq!(query(&owner, "overlay", &[("id", id)], OVERLAY).await.field("overlay"), made);
    for (caller, id) in [(&stranger, id), (&owner, Uuid::now_v7())] {
        let rest = caller.get(&format!("{OVERLAYS}/{id}")).await;
        both_missing(&rest, &query(caller, "overlay", &[("id", id)], OVERLAY).await, "Overlay not found");
    }
    owner.get(&format!("{OVERLAYS}/zz")).await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    app.stop().await;
}

#[tokio::test]
async fn create_overlay_fills_in_what_is_not_given() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let answer = owner.post(OVERLAYS, json!({})).await;
    let made = answer.expect(201)["data"].clone();
    assert_eq!(answer.header("location"), format!("{OVERLAYS}/{}", id_of(&made)));
    let expected = json!({
        "id": made["id"], "account_id": owner.account_id, "name": "Main Overlay", "key": made["key"],
        "width": 1920, "height": 1080, "background": "transparent", "version": 1, "thumbnail_upload_id": null,
        "my_access": "editor", "layer_count": 0, "created_at": made["created_at"], "updated_at": made["created_at"],
    });
    assert_eq!(made, expected);
    let key = text(&made["key"]);
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    assert!(key.len() == 12 && key.chars().all(is_key), "{key}");
    assert_eq!(tokens(&app, &[key]).await, ["overlay"]);
    let given = json!({ "name": " Chat ", "width": 1, "height": 7680, "background": "rgba(0, 0, 0, 0.5)" });
    let other = gql_create(&owner, &given).await.field("createOverlay");
    assert_eq!(
        (&other["name"], &other["width"], &other["height"]),
        (&json!("Chat"), &json!(1), &json!(7680))
    );
    assert_eq!(other["background"], given["background"]);
    assert_ne!(other["key"], made["key"]);
    let entries = app.audited("overlay:created").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].account_id, Some(owner.account_id));
    assert_eq!(
        (&entries[1].resource_id, &entries[1].metadata),
        (&Some(text(&other["id"]).to_owned()), &json!({ "name": "Chat" }))
    );
    app.stop().await;
}

#[tokio::test]
async fn create_overlay_and_update_overlay_validate_every_field() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}");
    let color = "background must be transparent or a CSS color";
    for (field, value, message) in [
        ("name", json!(" "), "name must not be empty"),
        ("name", json!("x".repeat(101)), "name must be between 1 and 100 characters"),
        ("width", json!(0), "width must be between 1 and 7680"),
        ("height", json!(7681), "height must be between 1 and 7680"),
        ("background", json!("red; color: blue"), color),
        ("background", json!(format!("rgb(1,2,{}3)", "0".repeat(60))), color),
    ] {
        let input = json!({ field: value });
        let (rest, gql) = (owner.post(OVERLAYS, input.clone()).await, gql_create(&owner, &input).await);
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
        assert_eq!(rest.body["details"]["fields"][0]["field"], field);
        let (rest, gql) = (owner.patch(&path, input.clone()).await, gql_update(&owner, id, &input).await);
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
    }
    for field in ["name", "width", "height", "background"] {
        let input = json!({ field: null });
        let (rest, gql) = (owner.patch(&path, input.clone()).await, gql_update(&owner, id, &input).await);
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", &format!("{field} cannot be null"));
    }
    assert_eq!(owner.get(OVERLAYS).await.data().as_array().map(Vec::len), Some(1));
    assert!(app.audited("overlay:updated").await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn create_overlay_and_duplicate_overlay_stop_at_the_limit_of_the_plan() {
    let app = TestApp::start().await;
    let owner = app.owner_on("free").await;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(id_of(&overlay(&owner, "Mine").await));
    }
    let full = "Overlay limit reached";
    let (rest, gql) = (owner.post(OVERLAYS, json!({})).await, gql_create(&owner, &json!({})).await);
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", full);
    assert_eq!(rest.body["details"], json!({ "limit": 3 }));
    let rest = owner.post(&format!("{OVERLAYS}/{}/duplicate", made[0]), json!({})).await;
    let gql = mutation(&owner, "duplicateOverlay", &[("id", made[0])], OVERLAY).await;
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", full);
    owner.delete(&format!("{OVERLAYS}/{}", made[1])).await.expect(204);
    overlay(&owner, "Again").await;
    owner.post(OVERLAYS, json!({})).await.refused("PLAN_LIMIT_REACHED", full);
    assert_eq!(app.audited("overlay:created").await.len(), 4);
    app.stop().await;
}

#[tokio::test]
async fn create_overlay_stops_at_a_thousand_overlays_without_a_limit() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    unlimited(&app, owner.account_id).await;
    let sql = "INSERT INTO account_usage (account_id, quota, used) VALUES ($1, 'overlays', 999)";
    execute(&app, sql, owner.account_id).await;
    overlay(&owner, "Last").await;
    let (rest, gql) = (owner.post(OVERLAYS, json!({})).await, gql_create(&owner, &json!({})).await);
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", "Overlay limit reached");
    assert_eq!(rest.body["details"], json!({ "limit": 1000 }));
    app.stop().await;
}

#[tokio::test]
async fn update_overlay_changes_the_given_fields_and_counts_the_change() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let made = overlay(&owner, "Mine").await;
    let path = format!("{OVERLAYS}/{}", id_of(&made));
    app.clock.advance(Duration::seconds(5));
    let changed = owner.patch(&path, json!({ "name": "Yours", "width": 100, "version": 1 })).await;
    let changed = changed.data().clone();
    let mut expected = made.clone();
    (expected["name"], expected["width"], expected["version"]) = (json!("Yours"), json!(100), json!(2));
    expected["updated_at"] = changed["updated_at"].clone();
    assert_eq!(changed, expected);
    assert_ne!(changed["updated_at"], made["updated_at"]);
    let input = json!({ "background": "#abc", "height": 50 });
    let again = gql_update(&owner, id_of(&made), &input).await.field("updateOverlay");
    assert_eq!(
        (&again["background"], &again["height"], &again["version"]),
        (&json!("#abc"), &json!(50), &json!(3))
    );
    // Nothing is changed and nothing counted.
    assert_eq!(*owner.patch(&path, json!({})).await.data(), again);
    let entries = app.audited("overlay:updated").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].metadata, json!({ "fields": ["name", "width"] }));
    app.stop().await;
}

#[tokio::test]
async fn update_overlay_refuses_a_version_that_is_not_the_present_one() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}");
    owner.patch(&path, json!({ "name": "One" })).await.expect(200);
    for seen in [1, 3] {
        let input = json!({ "name": "Two", "version": seen });
        let (rest, gql) = (owner.patch(&path, input.clone()).await, gql_update(&owner, id, &input).await);
        both_refused(&rest, &gql, 409, "CONFLICT", "Overlay was changed meanwhile");
        assert_eq!(rest.body["details"], json!({ "version": 2 }));
        assert_eq!(gql.body["errors"][0]["extensions"]["details"], json!({ "version": 2 }));
    }
    let rest = stranger.patch(&path, json!({ "name": "Two", "version": 1 })).await;
    both_missing(&rest, &gql_update(&stranger, id, &json!({ "name": "Two" })).await, "Overlay not found");
    // Of two editors that have seen the same version, one is refused.
    let tries = (0..6).map(|n| owner.patch(&path, json!({ "name": format!("{n}"), "version": 2 })));
    let answers = futures::future::join_all(tries).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![409; 5]].concat());
    app.stop().await;
}

#[tokio::test]
async fn update_overlay_takes_an_upload_of_the_account_as_thumbnail() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}");
    let document = upload(&app, &owner, "developer_document").await;
    for missing in [upload(&app, &stranger, "other").await, document, Uuid::now_v7()] {
        let input = json!({ "thumbnail_upload_id": missing });
        let rest = owner.patch(&path, input.clone()).await;
        both_missing(&rest, &gql_update(&owner, id, &input).await, "Upload not found");
    }
    let own = upload(&app, &owner, "other").await;
    let shown = owner.patch(&path, json!({ "thumbnail_upload_id": own })).await;
    assert_eq!(shown.data()["thumbnail_upload_id"], json!(own));
    let input = json!({ "thumbnail_upload_id": null });
    let cleared = gql_update(&owner, id, &input).await.field("updateOverlay");
    assert_eq!((&cleared["thumbnail_upload_id"], &cleared["version"]), (&Value::Null, &json!(3)));
    app.stop().await;
}

#[tokio::test]
async fn delete_overlay_removes_the_overlay_with_its_tokens() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let (first, second) = (overlay(&owner, "First").await, overlay(&owner, "Second").await);
    let path = |overlay: &Value| format!("{OVERLAYS}/{}", id_of(overlay));
    owner.post(&format!("{}/shares", path(&first)), json!({ "expires_in": 60 })).await.expect(201);
    let keys = [text(&first["key"]), text(&second["key"])];
    assert_eq!(tokens(&app, &keys).await, ["overlay", "overlay", "share"]);
    let rest = stranger.delete(&path(&first)).await;
    let gql = mutation(&stranger, "deleteOverlay", &[("id", id_of(&first))], "").await;
    both_missing(&rest, &gql, "Overlay not found");
    owner.delete(&path(&first)).await.expect(204);
    assert_eq!(tokens(&app, &keys).await, ["overlay"]);
    let gql = mutation(&owner, "deleteOverlay", &[("id", id_of(&second))], "").await;
    assert_eq!(gql.field("deleteOverlay"), json!(true));
    assert_eq!(tokens(&app, &keys).await, Vec::<String>::new());
    assert_eq!(*owner.get(OVERLAYS).await.data(), json!([]));
    owner.delete(&path(&first)).await.refused("NOT_FOUND", "Overlay not found");
    let entries = app.audited("overlay:deleted").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].metadata, json!({ "name": "First" }));
    app.stop().await;
}

#[tokio::test]
async fn duplicate_overlay_copies_fields_and_layers_only() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let name = "x".repeat(100);
    let made = owner.post(OVERLAYS, json!({ "name": name, "width": 10, "background": "red" })).await;
    let made = made.data().clone();
    let (id, path) = (id_of(&made), format!("{OVERLAYS}/{}", id_of(&made)));
    let (install, _) = layered_install(&app, &owner).await;
    let layers = json!({ "layers": [
        { "type": "text", "name": "Back", "width": 1, "height": 2, "config": { "text": "a" }, "opacity": 0.5 },
        { "type": "extension", "name": "Front", "width": 3, "height": 4, "install_id": install, "visible": false },
    ] });
    let layers = owner.put(&format!("{path}/layers"), layers).await.data().clone();
    owner.post(&format!("{path}/shares"), json!({ "expires_in": 60 })).await.expect(201);
    let friend = app.member_as(owner.account_id, "viewer").await;
    let access = format!("{path}/access/{}", friend.user_id);
    owner.put(&access, json!({ "role": "viewer" })).await.expect(200);

    let answer = owner.post(&format!("{path}/duplicate"), json!({})).await;
    let copy = answer.expect(201)["data"].clone();
    let at = format!("{OVERLAYS}/{}", id_of(&copy));
    assert_eq!(answer.header("location"), at);
    assert_eq!(copy["name"], format!("{} (copy)", "x".repeat(93)));
    assert_eq!(
        (&copy["width"], &copy["background"], &copy["version"]),
        (&json!(10), &json!("red"), &json!(1))
    );
    assert_eq!(copy["layer_count"], 2);
    assert_ne!((&copy["id"], &copy["key"]), (&made["id"], &made["key"]));
    assert_eq!(tokens(&app, &[text(&copy["key"])]).await, ["overlay"]);
    let mut copied = owner.get(&format!("{at}/layers")).await.data().clone();
    for (copied, source) in copied.as_array_mut().unwrap().iter_mut().zip(layers.as_array().unwrap()) {
        assert_ne!(copied["id"], source["id"]);
        assert_eq!(copied["overlay_id"], copy["id"]);
        (copied["id"], copied["overlay_id"]) = (source["id"].clone(), source["overlay_id"].clone());
    }
    assert_eq!(copied, layers);
    for part in ["shares", "access"] {
        assert_eq!(*owner.get(&format!("{at}/{part}")).await.data(), json!([]));
    }
    let second = mutation(&owner, "duplicateOverlay", &[("id", id_of(&copy))], OVERLAY).await;
    assert_eq!(second.field("duplicateOverlay")["name"], copy["name"]);
    let rest = stranger.post(&format!("{path}/duplicate"), json!({})).await;
    let gql = mutation(&stranger, "duplicateOverlay", &[("id", id)], OVERLAY).await;
    both_missing(&rest, &gql, "Overlay not found");
    let entries = app.audited("overlay:duplicated").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].metadata, json!({ "name": copy["name"], "source_id": id }));
    app.stop().await;
}

#[tokio::test]
async fn overlays_need_the_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    app.override_feature(owner.account_id, "feature:overlays", false).await;
    let (rest, gql) = (owner.get(OVERLAYS).await, gql_list(&owner).await);
    both_refused(&rest, &gql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:overlays");
    app.stop().await;
}
