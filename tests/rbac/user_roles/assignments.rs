//! Who holds a role, and what it gives them (A §2.9).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Statements, TestApp};
use serde_json::json;
use shared::db::schema::{user_role_assignments, user_roles};

use super::{ASSIGNMENT, TEN, admin, assign, create, delete, held, new_role, remove, seeded, update};
use crate::rbac::{id_of, refused, told};

#[tokio::test]
async fn a_role_is_assigned_and_taken_away() {
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
    // A second time nothing happens.
    assert_eq!(graphql.field("assignUserRole"), assignment);
    let again =
        admin.post(&format!("/v1/users/{}/roles", person.user_id), json!({ "role_id": restricted })).await;
    assert_eq!((again.status, again.data()), (200, &assignment));
    let audited = app.audited_once("user_role:assigned").await;
    assert_eq!(audited.resource_id, Some(person.user_id.to_string()));
    assert_eq!(audited.metadata, json!({ "role_id": restricted }));
    assert_eq!(told(&app, &format!("user:{}", person.user_id)).await, ["permissions:updated"]);
    assert_eq!(held(&person).await, json!(["ideas:comment_read", "ideas:read"]));

    let rest = admin.get(&format!("/v1/users/{}/roles", person.user_id)).await;
    let document = format!("{{ userRoleAssignments(userId: \"{}\") {ASSIGNMENT} }}", person.user_id);
    let graphql = admin.graphql(&document, json!({})).await;
    assert_eq!((rest.data(), &graphql.field("userRoleAssignments")), (&json!([assignment]), rest.data()));
    let rest = admin.get(&format!("/v1/user-roles/{restricted}/members")).await;
    let document = format!(
        "{{ userRoleMembers(roleId: \"{restricted}\") {{ userId displayName email avatarUrl assignedBy assignedAt }} }}"
    );
    let graphql = admin.graphql(&document, json!({})).await;
    assert_eq!(graphql.field("userRoleMembers"), *rest.data());
    let member = &rest.data()[0];
    assert_eq!((&member["user_id"], &member["display_name"]), (&json!(person.user_id), &json!("owner")));

    let (rest, graphql) = remove(&admin, person.user_id, restricted).await;
    assert_eq!(rest.status, 204, "{}", rest.text);
    graphql.refused("NOT_FOUND", "Role assignment not found");
    assert_eq!(app.audited("user_role:removed").await.len(), 1);
    assert_eq!(held(&person).await, json!(TEN));
}

#[tokio::test]
async fn an_assigned_empty_role_does_not_fall_back() {
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
        .get_result(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn several_roles_add_up() {
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
async fn a_thousand_roles_and_members_are_one_or_two_statements() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let restricted = seeded(&admin, "restricted").await;
    let insert = format!(
        "WITH people AS (INSERT INTO users (id, display_name, username)
             SELECT gen_random_uuid(), 'p' || n, 'p' || n FROM generate_series(1, 1000) n RETURNING id)
         INSERT INTO user_role_assignments (user_id, role_id) SELECT id, '{restricted}' FROM people"
    );
    let mut db = app.state.databases.postgres.get().await.unwrap();
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
    // As many as the list shows is as many as there may be.
    let input = json!({ "name": "One more", "permissions": [] });
    refused(&create(&admin, input).await, 409, "CONFLICT", "Role limit reached");
    let count: i64 = user_roles::table
        .count()
        .get_result(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(count, 1000);
}
