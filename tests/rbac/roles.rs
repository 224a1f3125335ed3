//! Roles of an account (specification A §4.6; C §5).

use diesel::{prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Answer, Caller, Statements, TestApp};
use serde_json::{Value, json};
use shared::{
    catalogue::{AccountPermission, Permission},
    db::schema::account_roles,
    token::TokenKind,
};
use uuid::Uuid;

use super::{Both, each_needs, id_of, refused, text, told};

const ROLE: &str = "{ id accountId slug name description color isSystem permissions memberCount position createdAt \
    updatedAt }";

async fn create(caller: &Caller, input: Value) -> Both {
    (caller.post("/v1/roles", input.clone()).await, caller.mutate("createRole", &input, ROLE).await)
}

async fn new_role(caller: &Caller, name: &str, permissions: &[&str]) -> Value {
    let answer = caller.post("/v1/roles", json!({ "name": name, "permissions": permissions })).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.data().clone()
}

async fn update(caller: &Caller, id: Uuid, input: Value) -> Both {
    let document = format!(
        "mutation($id: UUID!, $input: UpdateRoleInput!) {{ updateRole(id: $id, input: $input) {ROLE} }}"
    );
    (
        caller.patch(&format!("/v1/roles/{id}"), input.clone()).await,
        caller.graphql(&document, json!({ "id": id, "input": input })).await,
    )
}

async fn delete(caller: &Caller, id: Uuid) -> Both {
    let document = "mutation($id: UUID!) { deleteRole(id: $id) }";
    (caller.delete(&format!("/v1/roles/{id}")).await, caller.graphql(document, json!({ "id": id })).await)
}

async fn move_to(caller: &Caller, id: Uuid, position: i32) -> Both {
    let document = format!("mutation($id: UUID!, $to: Int!) {{ moveRole(id: $id, position: $to) {ROLE} }}");
    (
        caller.put(&format!("/v1/roles/{id}/position"), json!({ "position": position })).await,
        caller.graphql(&document, json!({ "id": id, "to": position })).await,
    )
}

async fn find(caller: &Caller, id: Uuid) -> Both {
    let document = format!("query($id: UUID!) {{ role(id: $id) {ROLE} }}");
    (caller.get(&format!("/v1/roles/{id}")).await, caller.graphql(&document, json!({ "id": id })).await)
}

async fn list(caller: &Caller) -> Vec<Value> {
    let rest = caller.get("/v1/roles").await;
    let graphql = caller.graphql(&format!("{{ roles {ROLE} }}"), json!({})).await;
    assert_eq!(graphql.field("roles"), *rest.data());
    rest.data().as_array().unwrap().clone()
}

async fn names(app: &TestApp) -> Vec<String> {
    account_roles::table
        .order((account_roles::account_id.asc(), account_roles::id.asc()))
        .select(account_roles::name)
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

fn slugs(roles: &[Value]) -> Vec<&str> {
    roles.iter().map(|role| text(role, "/slug")).collect()
}

#[track_caller]
fn role_with<'a>(roles: &'a [Value], slug: &str) -> &'a Value {
    roles.iter().find(|role| role["slug"] == slug).unwrap_or_else(|| panic!("no role {slug}"))
}

#[tokio::test]
async fn a_new_account_has_the_four_default_roles() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    app.member_as(owner.account_id, "viewer").await;
    let roles = list(&owner).await;
    assert_eq!(slugs(&roles), ["owner", "administrator", "moderator", "viewer"]);
    let facts: Vec<(bool, usize, &Value)> = roles
        .iter()
        .map(|role| {
            let permissions = role["permissions"].as_array().unwrap();
            assert!(permissions.is_sorted_by_key(|permission| permission.as_str().unwrap()));
            (role["is_system"] == true, permissions.len(), &role["member_count"])
        })
        .collect();
    let counts = [json!(1), json!(0), json!(0), json!(1)];
    assert_eq!(
        facts,
        [(true, 123, &counts[0]), (false, 119, &counts[1]), (false, 43, &counts[2]), (false, 9, &counts[3])]
    );
    let found = find(&owner, id_of(&roles[3])).await;
    assert_eq!(found.0.data(), &roles[3]);
    assert_eq!(found.1.field("role"), roles[3]);
    assert_eq!(found.0.body["_links"], json!({ "self": format!("/v1/roles/{}", id_of(&roles[3])) }));
}

#[tokio::test]
async fn every_account_permission_can_be_chosen() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let rest = owner.get("/v1/roles/permissions").await;
    let graphql = owner.graphql("{ accountPermissions { permission category label } }", json!({})).await;
    assert_eq!(graphql.field("accountPermissions"), *rest.data());
    let offered: Vec<&str> =
        rest.data().as_array().unwrap().iter().map(|entry| text(entry, "/permission")).collect();
    let catalogue: Vec<&str> = AccountPermission::ALL.iter().map(|permission| permission.as_str()).collect();
    assert_eq!((offered.len(), offered), (123, catalogue));
    let chat = &rest.data().as_array().unwrap()[36];
    assert_eq!(
        *chat,
        json!({ "permission": "chat:refresh_user", "category": "chat", "label": "Chat: refresh user" })
    );
}

#[tokio::test]
async fn a_role_is_created_changed_and_deleted() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let input = json!({
        "name": "  Chat Helper ", "description": " Helps. ", "color": "#AABBCC",
        "permissions": ["chat:write", "chat:read", "chat:read"],
    });
    let created = owner.post("/v1/roles", input).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let role = created.data().clone();
    let id = id_of(&role);
    assert_eq!(created.body["_links"], json!({ "self": format!("/v1/roles/{id}") }));
    let expected = json!({
        "id": id, "account_id": owner.account_id, "slug": "chat-helper", "name": "Chat Helper",
        "description": "Helps.", "color": "#aabbcc", "is_system": false,
        "permissions": ["chat:read", "chat:write"], "member_count": 0, "position": 1,
        "created_at": role["created_at"], "updated_at": role["updated_at"],
    });
    assert_eq!(role, expected);
    let audited = app.audited_once("role:created").await;
    assert_eq!((audited.scope.as_str(), audited.account_id), ("account", Some(owner.account_id)));
    assert_eq!(audited.resource_id, Some(id.to_string()));

    let (rest, graphql) = update(&owner, id, json!({ "name": "Helper", "permissions": [] })).await;
    assert_eq!(rest.status, 200, "{}", rest.text);
    assert_eq!((&rest.data()["name"], &rest.data()["permissions"]), (&json!("Helper"), &json!([])));
    // The slug is what others know the role by.
    assert_eq!(rest.data()["slug"], "chat-helper");
    assert_eq!(graphql.field("updateRole")["description"], "Helps.");
    let (rest, _) = update(&owner, id, json!({ "description": null, "color": null })).await;
    assert_eq!((&rest.data()["description"], &rest.data()["color"]), (&Value::Null, &Value::Null));
    assert_eq!(app.audited("role:updated").await.len(), 4);

    let deleted = owner.delete(&format!("/v1/roles/{id}")).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
    refused(&find(&owner, id).await, 404, "NOT_FOUND", "Role not found");
    let other = new_role(&owner, "Other", &[]).await;
    let document = "mutation($id: UUID!) { deleteRole(id: $id) }";
    let deleted = owner.graphql(document, json!({ "id": id_of(&other) })).await;
    assert_eq!(deleted.field("deleteRole"), json!(true));
    assert_eq!(app.audited("role:deleted").await.len(), 2);
    let told = told(&app, &format!("account:{}", owner.account_id)).await;
    assert_eq!(told, vec!["roles:updated"; 8]);
}

#[tokio::test]
async fn a_change_of_nothing_is_none() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let role = new_role(&owner, "Helper", &["chat:read"]).await;
    let (rest, graphql) = update(&owner, id_of(&role), json!({})).await;
    assert_eq!((rest.status, rest.data()), (200, &role));
    assert_eq!(graphql.field("updateRole"), role);
    assert!(app.audited("role:updated").await.is_empty());
    refused(&update(&owner, Uuid::now_v7(), json!({})).await, 404, "NOT_FOUND", "Role not found");
}

#[tokio::test]
async fn each_operation_needs_its_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let nobody = app.member_with(owner.account_id, &["roles:delete"]).await;
    let (service, popout) =
        (app.service_key(owner.account_id, &["chat:read"]).await, app.popout(&owner, &["chat:read"]).await);
    let id = Uuid::now_v7();
    let calls = |caller: Caller| async move {
        let permissions = "{ accountPermissions { permission } }";
        vec![
            (
                "roles:read",
                (caller.get("/v1/roles").await, caller.graphql("{ roles { id } }", json!({})).await),
            ),
            (
                "roles:read",
                (caller.get("/v1/roles/permissions").await, caller.graphql(permissions, json!({})).await),
            ),
            ("roles:read", find(&caller, id).await),
            ("roles:edit", create(&caller, json!({ "name": "x", "permissions": [] })).await),
            ("roles:edit", update(&caller, id, json!({ "name": "x" })).await),
            ("roles:edit", move_to(&caller, id, 0).await),
        ]
    };
    each_needs(&app, &[&nobody, &service, &popout], calls).await;
    let editor = app.member_with(owner.account_id, &["roles:read", "roles:edit"]).await;
    refused(&delete(&editor, id).await, 403, "FORBIDDEN", "Missing permission: roles:delete");
    refused(&delete(&nobody, id).await, 404, "NOT_FOUND", "Role not found");
    let extension = app.surface_token(TokenKind::Extension, owner.account_id, "x", None).await;
    for (_, both) in calls(extension).await {
        refused(&both, 403, "FORBIDDEN", "This token cannot call the API");
    }
    assert_eq!(names(&app).await.len(), 4 + 2);

    let key = app.service_key(owner.account_id, &["roles:read", "roles:edit", "chat:read"]).await;
    assert_eq!(new_role(&key, "By a key", &["chat:read"]).await["name"], "By a key");
    assert_eq!(list(&key).await.len(), 7);
}

#[tokio::test]
async fn wrong_inputs_are_named() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let role = new_role(&owner, "Helper", &[]).await;
    let id = id_of(&role);
    let many = vec!["chat:read"; 201];
    let color = "color must be six hexadecimal digits after a #, for example #1a2b3c";
    for (field, value, message) in [
        ("name", json!(" "), "name must not be empty".to_owned()),
        ("name", json!("x".repeat(51)), "name must be between 1 and 50 characters".to_owned()),
        ("name", json!("a\u{7}b"), "name must not contain control characters".to_owned()),
        (
            "description",
            json!("x".repeat(501)),
            "description must be between 0 and 500 characters".to_owned(),
        ),
        ("color", json!("red"), color.to_owned()),
        ("color", json!("#12345"), color.to_owned()),
        ("permissions", json!(many), "permissions must have at most 200 entries".to_owned()),
        ("permissions", json!(["chat:read", "chat:*"]), "Invalid permission: chat:*".to_owned()),
        ("permissions", json!(["*"]), "Invalid permission: *".to_owned()),
        ("permissions", json!(["*:*"]), "Invalid permission: *:*".to_owned()),
        ("permissions", json!(["chat:none"]), "Invalid permission: chat:none".to_owned()),
        ("permissions", json!([""]), "Invalid permission: ".to_owned()),
        ("permissions", json!(["admin:access"]), "Invalid permission: admin:access".to_owned()),
        ("permissions", json!(["ideas:read"]), "Invalid permission: ideas:read".to_owned()),
    ] {
        let mut input = json!({ "name": "New", "permissions": [] });
        input[field] = value.clone();
        refused(&create(&owner, input).await, 400, "VALIDATION_ERROR", &message);
        refused(&update(&owner, id, json!({ field: value })).await, 400, "VALIDATION_ERROR", &message);
    }
    for field in ["name", "permissions"] {
        let both = update(&owner, id, json!({ field: null })).await;
        refused(&both, 400, "VALIDATION_ERROR", &format!("{field} cannot be null"));
    }
    owner
        .post("/v1/roles", json!({ "name": "New" }))
        .await
        .refused("VALIDATION_ERROR", "Invalid body: missing field `permissions`");
    for path in ["/v1/roles/1", "/v1/roles/1/position"] {
        let answer = match path {
            "/v1/roles/1" => owner.get(path).await,
            _ => owner.put(path, json!({ "position": 0 })).await,
        };
        answer.refused("VALIDATION_ERROR", "Invalid UUID: id");
    }
    assert_eq!(list(&owner).await.len(), 5);
    assert!(app.audited("role:updated").await.is_empty());
}

#[tokio::test]
async fn a_role_cannot_exceed_its_author() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["roles:edit", "chat:read"]).await;
    let key = app.personal_key(&owner, &["roles:edit", "chat:read"]).await;
    let role = new_role(&member, "Reader", &["chat:read", "roles:edit"]).await;
    for caller in [&member.caller, &key] {
        let input = json!({ "name": "Banner", "permissions": ["chat:read", "chat:ban"] });
        refused(&create(caller, input).await, 403, "FORBIDDEN", "Missing permission: chat:ban");
        let change = json!({ "permissions": ["chat:read", "roles:delete"] });
        refused(
            &update(caller, id_of(&role), change).await,
            403,
            "FORBIDDEN",
            "Missing permission: roles:delete",
        );
    }
    let (rest, _) = find(&owner, id_of(&role)).await;
    assert_eq!(rest.data(), &role);
}

#[tokio::test]
async fn a_name_is_taken_in_upper_and_lower_case() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let (first, second) = (new_role(&owner, "Helper", &[]).await, new_role(&owner, "Second", &[]).await);
    let input = json!({ "name": " HELPER ", "permissions": [] });
    refused(&create(&owner, input).await, 409, "CONFLICT", "Role name already in use");
    let both = update(&owner, id_of(&second), json!({ "name": "helper" })).await;
    refused(&both, 409, "CONFLICT", "Role name already in use");
    // Its own name in other letters, and the same name in another account, are free.
    let (rest, _) = update(&owner, id_of(&first), json!({ "name": "HELPER" })).await;
    assert_eq!(rest.data()["name"], "HELPER");
    new_role(&other, "Helper", &[]).await;
    let at_once = join_all((0..4).map(|_| {
        let input = json!({ "name": "Race", "permissions": [] });
        owner.post("/v1/roles", input)
    }))
    .await;
    let statuses: Vec<u16> = at_once.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 3, "{statuses:?}");
}

#[tokio::test]
async fn slugs_are_unique_in_an_account() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut made = Vec::new();
    for name in ["Chat helper", "chat-helper", "Chat  helper!", "***", "???", "Viewer 2", "Größe"] {
        made.push(text(&new_role(&owner, name, &[]).await, "/slug").to_owned());
    }
    assert_eq!(
        made,
        ["chat-helper", "chat-helper-2", "chat-helper-3", "role", "role-2", "viewer-2", "größe"]
    );
}

#[tokio::test]
async fn an_account_has_at_most_25_roles() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for number in 0..20 {
        new_role(&owner, &format!("Role {number}"), &[]).await;
    }
    let at_once = join_all((20..24).map(|number| {
        let input = json!({ "name": format!("Role {number}"), "permissions": [] });
        owner.post("/v1/roles", input)
    }))
    .await;
    assert_eq!(at_once.iter().filter(|answer| answer.status == 201).count(), 1);
    let input = json!({ "name": "One more", "permissions": [] });
    refused(&create(&owner, input).await, 403, "PLAN_LIMIT_REACHED", "Role limit reached");
    assert_eq!(list(&owner).await.len(), 25);
    assert_eq!(app.audited("role:created").await.len(), 21);
}

#[tokio::test]
async fn the_owners_role_keeps_its_permissions_and_stays() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let roles = list(&owner).await;
    let id = id_of(role_with(&roles, "owner"));
    for permissions in [json!([]), json!(["chat:read"])] {
        let both = update(&owner, id, json!({ "permissions": permissions })).await;
        refused(&both, 409, "CONFLICT", "Cannot edit system role");
    }
    refused(&delete(&owner, id).await, 409, "CONFLICT", "Cannot delete system role");
    let (rest, _) = update(&owner, id, json!({ "name": "Streamer", "color": "#ff0000" })).await;
    assert_eq!((&rest.data()["name"], &rest.data()["slug"]), (&json!("Streamer"), &json!("owner")));
    assert_eq!(rest.data()["permissions"].as_array().unwrap().len(), 123);
}

#[tokio::test]
async fn a_role_that_members_hold_stays() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for _ in 0..2 {
        app.member_as(owner.account_id, "viewer").await;
    }
    let roles = list(&owner).await;
    let (viewer, moderator) = (id_of(role_with(&roles, "viewer")), id_of(role_with(&roles, "moderator")));
    refused(&delete(&owner, viewer).await, 409, "CONFLICT", "Role is still assigned to 2 member(s)");
    assert_eq!(delete(&owner, moderator).await.0.status, 204);
    assert_eq!(slugs(&list(&owner).await), ["owner", "administrator", "viewer"]);
}

#[tokio::test]
async fn roles_of_others_are_not_found_and_stay_as_they_are() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let role = new_role(&owner, "Helper", &["chat:read"]).await;
    let id = id_of(&role);
    for both in [
        find(&stranger, id).await,
        update(&stranger, id, json!({ "name": "taken" })).await,
        move_to(&stranger, id, 0).await,
        delete(&stranger, id).await,
    ] {
        refused(&both, 404, "NOT_FOUND", "Role not found");
    }
    assert_eq!(find(&owner, id).await.0.data(), &role);
    assert_eq!(list(&stranger).await.len(), 4);
    assert_eq!(app.audited("role:created").await.len(), 1);
    for action in ["role:updated", "role:moved", "role:deleted"] {
        assert!(app.audited(action).await.is_empty(), "{action}");
    }
}

#[tokio::test]
async fn a_moved_role_stands_where_it_was_put() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let viewer = id_of(role_with(&list(&owner).await, "viewer"));
    let rest: Answer = owner.put(&format!("/v1/roles/{viewer}/position"), json!({ "position": 1 })).await;
    assert_eq!((rest.status, &rest.data()["position"]), (200, &json!(1)));
    let roles = list(&owner).await;
    assert_eq!(slugs(&roles), ["owner", "viewer", "administrator", "moderator"]);
    let positions: Vec<&Value> = roles.iter().map(|role| &role["position"]).collect();
    assert_eq!(positions, [&json!(0), &json!(1), &json!(2), &json!(3)]);
    let document = format!("mutation {{ moveRole(id: \"{viewer}\", position: 3) {ROLE} }}");
    let graphql = owner.graphql(&document, json!({})).await;
    assert_eq!(graphql.field("moveRole")["position"], 3);
    assert_eq!(slugs(&list(&owner).await), ["owner", "administrator", "moderator", "viewer"]);
    let moved = app.audited("role:moved").await;
    assert_eq!((moved.len(), &moved[1].metadata), (2, &json!({ "from": 1, "to": 3 })));

    let both = move_to(&owner, viewer, 4).await;
    refused(&both, 400, "VALIDATION_ERROR", "position must be between 0 and 3");
    let both = move_to(&owner, viewer, -1).await;
    refused(&both, 400, "VALIDATION_ERROR", "position must be 0 or greater");
    assert_eq!(new_role(&owner, "Last", &[]).await["position"], 4);
}

#[tokio::test]
async fn a_thousand_roles_are_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(
        "INSERT INTO account_roles (id, account_id, slug, name, position, permissions)
         SELECT gen_random_uuid(), $1, 'r' || n, 'r' || n, n, '{chat:read}' FROM generate_series(1, 996) n",
    )
    .bind::<sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.state.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    statements.to(&app);
    let (listed, sent) = statements.of(async || owner.get("/v1/roles").await).await;
    assert_eq!(listed.data().as_array().unwrap().len(), 1000);
    assert!(sent.len() == 1 && sent[0].contains("account_roles"), "{sent:#?}");
}

#[tokio::test]
async fn whoever_holds_a_role_may_do_at_once_what_it_says() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "viewer").await;
    let viewer = id_of(role_with(&list(&owner).await, "viewer"));
    member.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
    assert_eq!(update(&owner, viewer, json!({ "permissions": ["roles:read"] })).await.0.status, 200);
    member.get("/v1/roles").await.expect(200);
    assert_eq!(update(&owner, viewer, json!({ "permissions": [] })).await.0.status, 200);
    member.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
}
