//! Search for users, page by page (reference/administration.md#search).

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{Statements, TestApp};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{admin, lowered, update};
use crate::id_of;

const SUMMARY: &str = "{ id displayName username email avatarUrl createdAt lastLoginAt accountCreationOverride \
    maxAccountsOverride ownedAccountCount membershipCount isDeveloper }";

#[tokio::test]
async fn admin_users_searches_by_name_address_and_identifier() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let ada = app.user("Ada_Lovelace").await;
    let grace = app.user("grace").await;
    let change = json!({ "email": "hopper@example.org" });
    assert_eq!(update(&admin, grace, change.clone(), change).await.0.status, 200);
    for (search, found) in [
        ("ada_l", vec![ada]),
        ("HOPPER@", vec![grace]),
        (&grace.to_string(), vec![grace]),
        ("a_a", vec![]),
        ("%", vec![]),
        ("nobody", vec![]),
    ] {
        let rest = admin
            .send(admin.request(reqwest::Method::GET, "/v1/admin/users").query(&[("search", search)]))
            .await;
        let ids: Vec<Uuid> = rest.data().as_array().unwrap().iter().map(id_of).collect();
        assert_eq!(ids, found, "{search}");
        assert_eq!(rest.body["_meta"]["total"], json!(found.len()));
        let document = format!(
            "query($s: String) {{ adminUsers(search: $s) {{ items {SUMMARY} total page limit pages }} }}"
        );
        let graphql = admin.graphql(&document, json!({ "s": search })).await.field("adminUsers");
        let items: Vec<Value> = graphql["items"].as_array().unwrap().iter().cloned().map(lowered).collect();
        assert_eq!((&json!(items), &graphql["total"]), (rest.data(), &rest.body["_meta"]["total"]));
    }
    let first = admin.get("/v1/admin/users?limit=1").await;
    assert_eq!((first.data().as_array().unwrap().len(), id_of(&first.data()[0])), (1, grace));
    assert_eq!(first.body["_links"]["next"], "/v1/admin/users?page=2&limit=1");
    assert_eq!(first.body["_meta"], json!({ "total": 3, "page": 1, "limit": 1, "pages": 3 }));
    admin.get("/v1/admin/users?page=0").await.refused("VALIDATION_ERROR", "page must be 1 or greater");
    admin
        .get("/v1/admin/users?limit=101")
        .await
        .refused("VALIDATION_ERROR", "limit must be between 1 and 100");
    let long = "x".repeat(101);
    admin
        .get(&format!("/v1/admin/users?search={long}"))
        .await
        .refused("VALIDATION_ERROR", "search must be between 0 and 100 characters");
}

#[tokio::test]
async fn admin_users_lists_a_page_in_two_statements() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    sql_query(
        "INSERT INTO users (id, display_name, username)
         SELECT gen_random_uuid(), 'p' || n, 'p' || n FROM generate_series(1, 1000) n",
    )
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    admin.get("/v1/admin/users").await.expect(200);
    statements.to(&app);
    let page = admin.get("/v1/admin/users?limit=100").await;
    assert_eq!(page.data().as_array().unwrap().len(), 100);
    assert_eq!(page.body["_meta"]["total"], 1001);
    let sent = statements.take_of("users");
    assert_eq!(sent.len(), 2, "{sent:#?}");
}
