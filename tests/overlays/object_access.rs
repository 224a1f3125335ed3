//! Access of members to single overlays and widgets: for each operation the permission of the role counts, then the
//! entries of the object (reference/overlays.md#access).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp};
use serde_json::json;
use uuid::Uuid;

use super::{OVERLAYS, WIDGETS, entry, id_of, overlay, unlimited, widget};

/// Role of the caller in the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Owner,
    Administrator,
    /// A role with every permission for overlays and widgets.
    Editor,
    /// The default role, which only reads.
    Viewer,
}

/// Entries of the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entries {
    None,
    /// One of another member.
    Others,
    OwnViewer,
    OwnEditor,
}

/// Result of a call.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    /// There is no entry that could be removed.
    NoEntry,
    MissingPermission,
    MissingAccess,
}

/// An operation on one object. Capital letters stand for ids: of the object, its layer and its share, of a candidate, and
/// of the person of the entry.
struct Operation {
    /// `overlay` or `widget`.
    kind: &'static str,
    name: &'static str,
    /// Permission after `overlays:` or `widgets:`.
    permission: &'static str,
    /// True when the entry of a viewer does not suffice.
    changes: bool,
    method: &'static str,
    /// Path after the object's.
    path: &'static str,
    /// Body; empty for none.
    body: &'static str,
    /// GraphQL document.
    document: &'static str,
}

macro_rules! operations {
    ($(($kind:literal, $name:literal, $permission:literal, $changes:literal, $method:literal, $path:literal, $body:literal,
        $document:literal),)+) => {
        [$(Operation {
            kind: $kind,
            name: $name,
            permission: $permission,
            changes: $changes,
            method: $method,
            path: $path,
            body: $body,
            document: $document,
        }),+]
    };
}

#[rustfmt::skip]
static OPERATIONS: [Operation; 25] = operations![
    ("overlay", "overlay", "read", false, "GET", "", "",
        "query { overlay(id: OBJECT) { id } }"),
    ("overlay", "updateOverlay", "edit", true, "PATCH", "", r#"{"name":"New"}"#,
        r#"mutation { updateOverlay(input: { id: OBJECT, name: "New" }) { id } }"#),
    ("overlay", "deleteOverlay", "delete", true, "DELETE", "", "",
        "mutation { deleteOverlay(id: OBJECT) }"),
    ("overlay", "duplicateOverlay", "create", false, "POST", "/duplicate", "",
        "mutation { duplicateOverlay(id: OBJECT) { id } }"),
    ("overlay", "overlayLayers", "read", false, "GET", "/layers", "",
        "query { overlayLayers(overlayId: OBJECT) { id } }"),
    ("overlay", "updateOverlayLayers", "edit", true, "PUT", "/layers", r#"{"layers":[]}"#,
        "mutation { updateOverlayLayers(overlayId: OBJECT, layers: []) { id } }"),
    ("overlay", "updateOverlayLayer", "edit", true, "PATCH", "/layers/LAYER", r#"{"visible":false}"#,
        "mutation { updateOverlayLayer(overlayId: OBJECT, layerId: LAYER, input: { visible: false }) { id } }"),
    ("overlay", "overlayToken", "edit", true, "GET", "/token", "",
        "query { overlayToken(overlayId: OBJECT) { token } }"),
    ("overlay", "rotateOverlayToken", "edit", true, "POST", "/token/rotate", "",
        "mutation { rotateOverlayToken(overlayId: OBJECT) { token } }"),
    ("overlay", "overlayShares", "edit", true, "GET", "/shares", "",
        "query { overlayShares(overlayId: OBJECT) { id } }"),
    ("overlay", "createOverlayShare", "edit", true, "POST", "/shares", r#"{"expires_in":60}"#,
        "mutation { createOverlayShare(overlayId: OBJECT, input: { expiresIn: 60 }) { id } }"),
    ("overlay", "revokeOverlayShare", "edit", true, "DELETE", "/v1/overlay-shares/SHARE", "",
        "mutation { revokeOverlayShare(id: SHARE) }"),
    ("overlay", "overlayAccess", "access-read", false, "GET", "/access", "",
        "query { overlayAccess(overlayId: OBJECT) { id } }"),
    ("overlay", "overlayAccessCandidates", "access-read", false, "GET", "/access/candidates", "",
        "query { overlayAccessCandidates(overlayId: OBJECT) { id } }"),
    ("overlay", "setOverlayAccess", "access-grant", true, "PUT", "/access/CANDIDATE", r#"{"role":"viewer"}"#,
        r#"mutation { setOverlayAccess(overlayId: OBJECT, userId: CANDIDATE, input: { role: "viewer" }) { id } }"#),
    ("overlay", "removeOverlayAccess", "access-revoke", true, "DELETE", "/access/PERSON", "",
        "mutation { removeOverlayAccess(overlayId: OBJECT, userId: PERSON) }"),
    ("widget", "widget", "read", false, "GET", "", "",
        "query { widget(id: OBJECT) { id } }"),
    ("widget", "updateWidget", "edit", true, "PATCH", "", r#"{"name":"New"}"#,
        r#"mutation { updateWidget(id: OBJECT, input: { name: "New" }) { id } }"#),
    ("widget", "deleteWidget", "delete", true, "DELETE", "", "",
        "mutation { deleteWidget(id: OBJECT) }"),
    ("widget", "duplicateWidget", "create", false, "POST", "/duplicate", "",
        "mutation { duplicateWidget(id: OBJECT) { id } }"),
    ("widget", "rotateWidgetToken", "edit", true, "POST", "/token/rotate", "",
        "mutation { rotateWidgetToken(id: OBJECT) { id } }"),
    ("widget", "widgetAccess", "access-read", false, "GET", "/access", "",
        "query { widgetAccess(widgetId: OBJECT) { id } }"),
    ("widget", "widgetAccessCandidates", "access-read", false, "GET", "/access/candidates", "",
        "query { widgetAccessCandidates(widgetId: OBJECT) { id } }"),
    ("widget", "setWidgetAccess", "access-grant", true, "PUT", "/access/CANDIDATE", r#"{"role":"viewer"}"#,
        r#"mutation { setWidgetAccess(widgetId: OBJECT, userId: CANDIDATE, input: { role: "viewer" }) { id } }"#),
    ("widget", "removeWidgetAccess", "access-revoke", true, "DELETE", "/access/PERSON", "",
        "mutation { removeWidgetAccess(widgetId: OBJECT, userId: PERSON) }"),
];

/// Operations of both areas that concern no single object.
const WITHOUT_OBJECT: [&str; 4] = ["createOverlay", "createWidget", "overlays", "widgets"];

/// The rule: the permission of the role, then the entry, which counts for neither the owner nor administrators.
fn expected(role: Role, entries: Entries, operation: &Operation) -> Outcome {
    if role == Role::Viewer && operation.permission != "read" {
        return Outcome::MissingPermission;
    }
    let is_bound = matches!(role, Role::Editor | Role::Viewer);
    match entries {
        Entries::None if operation.permission == "access-revoke" => Outcome::NoEntry,
        Entries::Others if is_bound => Outcome::MissingAccess,
        Entries::OwnViewer if is_bound && operation.changes => Outcome::MissingAccess,
        _ => Outcome::Done,
    }
}

/// An account with a caller, and two members to give entries to.
struct Scene<'a> {
    app: &'a TestApp,
    owner: Person,
    caller: Person,
    other: Person,
    candidate: Person,
}

/// Ids of an object and of its parts, by the words that stand for them.
type Ids = [(&'static str, Uuid); 5];

impl<'a> Scene<'a> {
    async fn new(app: &'a TestApp, role: Role) -> Self {
        const ACTIONS: [&str; 7] =
            ["read", "create", "edit", "delete", "access-read", "access-grant", "access-revoke"];
        let owner = app.owner().await;
        unlimited(app, owner.account_id).await;
        let all = ["overlays", "widgets"].map(|area| ACTIONS.map(|action| format!("{area}:{action}")));
        let all: Vec<&str> = all.iter().flatten().map(String::as_str).collect();
        let caller = match role {
            Role::Owner => owner.clone(),
            Role::Administrator => app.member_as(owner.account_id, "administrator").await,
            Role::Editor => app.member_with(owner.account_id, &all).await,
            Role::Viewer => app.member_as(owner.account_id, "viewer").await,
        };
        let other = app.member_as(owner.account_id, "viewer").await;
        let candidate = app.member_as(owner.account_id, "viewer").await;
        Self { app, owner, caller, other, candidate }
    }

    /// A new object with all its parts and these entries.
    async fn object(&self, kind: &str, entries: Entries) -> Ids {
        let (object, layer, share) = if kind == "overlay" {
            let id = id_of(&overlay(&self.owner, "Mine").await);
            let path = format!("{OVERLAYS}/{id}");
            let share = self.owner.post(&format!("{path}/shares"), json!({ "expires_in": 60 })).await;
            (id, self.layer(id).await, id_of(share.data()))
        } else {
            (id_of(&widget(&self.owner, "Mine").await), Uuid::nil(), Uuid::nil())
        };
        let (person, role) = match entries {
            Entries::None => (self.other.user_id, None),
            Entries::Others => (self.other.user_id, Some("editor")),
            Entries::OwnViewer => (self.caller.user_id, Some("viewer")),
            Entries::OwnEditor => (self.caller.user_id, Some("editor")),
        };
        if let Some(role) = role {
            entry(self.app, kind, object, person, role).await;
        }
        let candidate = self.candidate.user_id;
        [("OBJECT", object), ("LAYER", layer), ("SHARE", share), ("CANDIDATE", candidate), ("PERSON", person)]
    }

    async fn layer(&self, overlay: Uuid) -> Uuid {
        #[derive(QueryableByName)]
        struct Made {
            #[diesel(sql_type = SqlUuid)]
            id: Uuid,
        }
        let sql = "INSERT INTO overlay_layers (id, account_id, overlay_id, layer_type, name, sort_order, width, height)
            SELECT gen_random_uuid(), account_id, id, $2, 'x', 0, 1, 1 FROM overlays WHERE id = $1 RETURNING id";
        let mut db = self.app.databases.postgres.get().await.unwrap();
        let query = sql_query(sql).bind::<SqlUuid, _>(overlay).bind::<Text, _>("text");
        let made: Made = query.get_result(&mut *db).await.unwrap();
        made.id
    }
}

/// Replaces the words that stand for ids.
fn filled(text: &str, ids: &Ids, quote: &str) -> String {
    ids.iter().fold(text.to_owned(), |text, (word, id)| text.replace(word, &format!("{quote}{id}{quote}")))
}

async fn rest(caller: &Caller, operation: &Operation, ids: &Ids) -> Answer {
    let base = if operation.kind == "overlay" { OVERLAYS } else { WIDGETS };
    let path = filled(operation.path, ids, "");
    let path = if path.starts_with("/v1/") { path } else { format!("{base}/{}{path}", ids[0].1) };
    let method = reqwest::Method::from_bytes(operation.method.as_bytes()).unwrap();
    let mut request = caller.request(method, &path);
    if !operation.body.is_empty() {
        request = request.header("content-type", "application/json").body(operation.body);
    }
    caller.send(request).await
}

fn outcome(answer: &Answer, operation: &Operation) -> Outcome {
    let (code, message) = answer.error();
    match (code.as_str(), message.as_str()) {
        ("", _) if answer.status < 300 => Outcome::Done,
        ("NOT_FOUND", "Access entry not found") => Outcome::NoEntry,
        ("FORBIDDEN", message) if message == format!("Missing access to this {}", operation.kind) => {
            Outcome::MissingAccess
        }
        ("FORBIDDEN", message)
            if message == format!("Missing permission: {}s:{}", operation.kind, operation.permission) =>
        {
            Outcome::MissingPermission
        }
        _ => panic!("{}: {} {}", operation.name, answer.status, answer.text),
    }
}

#[test]
fn object_access_has_a_row_for_every_operation_on_an_object() {
    let mut declared = Vec::new();
    for rule in lumio_api::operations::rules().filter(|rule| !WITHOUT_OBJECT.contains(&rule.name)) {
        let permission = rule.needs.text().unwrap_or_default();
        if permission.starts_with("overlays:") || permission.starts_with("widgets:") {
            declared.push((rule.name.to_owned(), permission));
        }
    }
    let listed = OPERATIONS.iter();
    let listed = listed.map(|row| (row.name.to_owned(), format!("{}s:{}", row.kind, row.permission)));
    let mut listed: Vec<(String, String)> = listed.collect();
    declared.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, declared, "the table of this file (left) and the rules (right)");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn object_access_follows_the_role_and_then_the_entries_for_every_operation() {
    let app = TestApp::builder().with("LUMIO_RATE_SESSION", 100_000).start().await;
    let mut wrong = Vec::new();
    for role in [Role::Owner, Role::Administrator, Role::Editor, Role::Viewer] {
        for entries in [Entries::None, Entries::Others, Entries::OwnViewer, Entries::OwnEditor] {
            let scene = Scene::new(&app, role).await;
            for operation in &OPERATIONS {
                let expected = expected(role, entries, operation);
                let ids = scene.object(operation.kind, entries).await;
                let over_rest = outcome(&rest(&scene.caller, operation, &ids).await, operation);
                let ids = scene.object(operation.kind, entries).await;
                let document = filled(operation.document, &ids, "\"");
                let over_graphql = outcome(&scene.caller.graphql(&document, json!({})).await, operation);
                if over_rest != expected || over_graphql != expected {
                    let name = operation.name;
                    wrong.push(format!(
                        "{role:?} {entries:?} {name}: {over_rest:?} {over_graphql:?} {expected:?}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "REST, GraphQL and the rule differ: {wrong:#?}");
    app.stop().await;
}

#[tokio::test]
async fn object_access_of_a_credential_without_a_person_is_that_of_its_permissions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["overlays:read", "overlays:edit"]).await;
    let id = id_of(&overlay(&owner, "Mine").await);
    entry(&app, "overlay", id, app.member_as(owner.account_id, "viewer").await.user_id, "viewer").await;
    let path = format!("{OVERLAYS}/{id}");
    let key = app.service_key(owner.account_id, &["overlays:read", "overlays:edit"]).await;
    assert_eq!(key.patch(&path, json!({ "name": "New" })).await.data()["my_access"], "editor");
    let reader = app.service_key(owner.account_id, &["overlays:read"]).await;
    assert_eq!(reader.get(&path).await.data()["my_access"], "viewer");
    // Keys and popouts of a person are bound like the person, a popout also like its maker.
    let permissions = ["overlays:read", "overlays:edit"];
    for bound in [
        app.personal_key(&member, &permissions).await,
        app.popout(&member, &permissions).await,
        app.popout_by(&owner, &member, &permissions).await,
        app.popout_by(&member, &owner, &permissions).await,
    ] {
        bound.get(&path).await.refused("FORBIDDEN", "Missing access to this overlay");
        assert_eq!(*bound.get(OVERLAYS).await.data(), json!([]));
    }
    assert_eq!(app.personal_key(&owner, &permissions).await.get(&path).await.data()["my_access"], "editor");
    app.stop().await;
}
