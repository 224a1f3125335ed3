//! Assignments of a role, and their permissions (reference/permissions.md#user-roles).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Statements, TestApp};
use serde_json::json;
use shared::schema::{user_role_assignments, user_roles};
use uuid::Uuid;

use super::{ASSIGNMENT, TEN, admin, assign, create, delete, held, new_role, remove, seeded, update};
use crate::{id_of, pending_events, refused};

#[tokio::test]
async fn assign_user_role_assigns_once() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let restricted = seeded(&admin, "restricted").await;
    assert_eq!(held(&person).await, json!(TEN));
    let (rest, graphql) = assign(&admin, person.user_id, restricted).await;
    assert_eq!(rest.status, 201, "{}", rest.text);
    let assignment = rest.data().clone();
    let expected = json!({
        "user_id": person.user_id, "role_id": restricted, "assigned_by": admin.user_id,
        "created_at": assignment["created_at"],
    });
    assert_eq!(assignment, expected);
    // Repeating it has no effect.
    assert_eq!(graphql.field("assignUserRole"), assignment);
    let again =
        admin.post(&format!("/v1/users/{}/roles", person.user_id), json!({ "role_id": restricted })).await;
    assert_eq!((again.status, again.data()), (200, &assignment));
    let audited = app.audited_once("user_role:assigned").await;
    assert_eq!(audited.resource_id, Some(person.user_id.to_string()));
    assert_eq!(audited.metadata, json!({ "role_id": restricted }));
    assert_eq!(pending_events(&app, &format!("user:{}", person.user_id)).await, ["permissions:updated"]);
    assert_eq!(held(&person).await, json!(["ideas:comment_read", "ideas:read"]));

    let rest = admin.get(&format!("/v1/user-roles/{restricted}/members")).await;
    let document = format!(
        "{{ userRoleMembers(roleId: \"{restricted}\") {{ userId displayName email avatarUrl assignedBy assignedAt }} }}"
    );
    let graphql = admin.graphql(&document, json!({})).await;
    assert_eq!(graphql.field("userRoleMembers"), *rest.data());
    let member = &rest.data()[0];
    assert_eq!((&member["user_id"], &member["display_name"]), (&json!(person.user_id), &json!("owner")));
}

#[tokio::test]
async fn user_role_assignments_lists_the_roles_of_a_person() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let list = async |caller: &Caller, user: Uuid| {
        let document = format!("{{ userRoleAssignments(userId: \"{user}\") {ASSIGNMENT} }}");
        let rest = caller.get(&format!("/v1/users/{user}/roles")).await;
        (rest, caller.graphql(&document, json!({})).await)
    };
    let (rest, graphql) = list(&admin, person.user_id).await;
    assert_eq!((rest.data(), graphql.field("userRoleAssignments")), (&json!([]), json!([])));
    let restricted = seeded(&admin, "restricted").await;
    let assignment = assign(&admin, person.user_id, restricted).await.0.data().clone();
    let (rest, graphql) = list(&admin, person.user_id).await;
    assert_eq!((rest.data(), &graphql.field("userRoleAssignments")), (&json!([assignment]), rest.data()));
    refused(&list(&admin, Uuid::now_v7()).await, 404, "NOT_FOUND", "User not found");
    let both = list(&person, person.user_id).await;
    refused(&both, 403, "FORBIDDEN", "Missing permission: user-roles:read");
}

#[tokio::test]
async fn remove_user_role_restores_the_default_role() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let restricted = seeded(&admin, "restricted").await;
    assign(&admin, person.user_id, restricted).await.0.expect(201);
    assert_eq!(held(&person).await, json!(["ideas:comment_read", "ideas:read"]));
    let both = remove(&person, person.user_id, restricted).await;
    refused(&both, 403, "FORBIDDEN", "Missing permission: user-roles:edit");

    // The first call removes the role, and the second finds none.
    let (rest, graphql) = remove(&admin, person.user_id, restricted).await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "Role assignment not found");
    assert_eq!(held(&person).await, json!(TEN));
    let entry = app.audited_once("user_role:removed").await;
    assert_eq!(entry.resource_id, Some(person.user_id.to_string()));
    assert_eq!(entry.metadata, json!({ "role_id": restricted }));
    let types = pending_events(&app, &format!("user:{}", person.user_id)).await;
    assert_eq!(types, ["permissions:updated", "permissions:updated"]);
    let both = remove(&admin, person.user_id, restricted).await;
    refused(&both, 404, "NOT_FOUND", "Role assignment not found");
}

#[tokio::test]
async fn assign_user_role_with_an_empty_role_does_not_fall_back_to_the_default() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let empty = id_of(&new_role(&admin, "Empty", &[]).await);
    assert_eq!(assign(&admin, person.user_id, empty).await.0.status, 201);
    assert_eq!(held(&person).await, json!([]));
    // Deleting the role takes the assignment with it.
    assert_eq!(delete(&admin, empty).await.0.status, 204);
    assert_eq!(held(&person).await, json!(TEN));
    let left: i64 = user_role_assignments::table
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn assign_user_role_adds_up_several_roles() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    for (name, permission) in [("Reader", "ideas:read"), ("Voter", "ideas:vote")] {
        let role = id_of(&new_role(&admin, name, &[permission]).await);
        assert_eq!(assign(&admin, person.user_id, role).await.0.status, 201);
    }
    assert_eq!(held(&person).await, json!(["ideas:read", "ideas:vote"]));
    let reader = seeded(&admin, "reader").await;
    assert_eq!(update(&admin, reader, json!({ "permissions": [] })).await.0.status, 200);
    assert_eq!(held(&person).await, json!(["ideas:vote"]));
}

#[tokio::test]
async fn user_role_members_and_roles_are_listed_in_two_statements_at_most() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let restricted = seeded(&admin, "restricted").await;
    let insert = format!(
        "WITH people AS (INSERT INTO users (id, display_name, username)
             SELECT gen_random_uuid(), 'p' || n, 'p' || n FROM generate_series(1, 1000) n RETURNING id)
         INSERT INTO user_role_assignments (user_id, role_id) SELECT id, '{restricted}' FROM people"
    );
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(insert).execute(&mut *db).await.unwrap();
    sql_query(
        "INSERT INTO user_roles (id, slug, name, permissions)
         SELECT gen_random_uuid(), 'r' || n, 'r' || n, '{ideas:read}' FROM generate_series(1, 997) n",
    )
    .execute(&mut *db)
    .await
    .unwrap();
    drop(db);
    statements.to(&app);
    let (listed, sent) = statements.of(async || admin.get("/v1/user-roles").await).await;
    assert_eq!(listed.data().as_array().unwrap().len(), 1000);
    assert_eq!(sent.len(), 1, "{sent:#?}");
    let members = format!("/v1/user-roles/{restricted}/members");
    let (listed, sent) = statements.of(async || admin.get(&members).await).await;
    assert_eq!(listed.data().as_array().unwrap().len(), 1000);
    assert_eq!(sent.len(), 2, "{sent:#?}");
    // The limit is the number that the list shows.
    let input = json!({ "name": "One more", "permissions": [] });
    refused(&create(&admin, input).await, 409, "CONFLICT", "Role limit reached");
    let count: i64 = user_roles::table
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(count, 1000);
}
