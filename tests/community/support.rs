//! Support tickets (reference/administration.md#support-tickets).

use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

const FILE: &str = "/v1/support/tickets";
const PATH: &str = "/v1/admin/support/tickets";
const TICKET: &str = "{ id userId userDisplayName accountId subject body status createdAt updatedAt }";

#[tokio::test]
async fn admin_update_support_ticket_changes_the_status_of_a_ticket() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, app.admin_with(&["support:read", "support:edit"]).await);
    let input = json!({ "subject": " Help ", "body": "It\ndoes not work.", "account_id": owner.account_id });
    let filed = owner.post(FILE, input.clone()).await;
    let ticket = filed.expect(201)["data"].clone();
    assert_eq!((&ticket["subject"], &ticket["status"]), (&json!("Help"), &json!("open")));
    assert_eq!(filed.body["_links"]["self"], format!("{FILE}/{}", ticket["id"].as_str().unwrap()));
    let graphql = owner.mutate("createSupportTicket", &input, TICKET).await.field("createSupportTicket");
    assert_eq!(graphql["user_id"], json!(owner.user_id));
    assert_eq!(app.audited("support_ticket:created").await.len(), 2);

    let id = ticket["id"].as_str().unwrap();
    assert_eq!(*staff.get(&format!("{PATH}/{id}")).await.data(), ticket);
    app.clock.advance(chrono::Duration::seconds(5));
    let moved = staff.patch(&format!("{PATH}/{id}"), json!({ "status": "closed" })).await.data().clone();
    assert_eq!(moved["status"], "closed");
    assert_ne!(moved["updated_at"], ticket["updated_at"]);
    let entry = app.audited_once("support_ticket:updated").await;
    assert_eq!((entry.scope.as_str(), &entry.metadata), ("system", &json!({ "status": "closed" })));
    assert_eq!(entry.actor_id, Some(staff.user_id));
    let document = format!(
        "mutation($id: UUID!, $input: UpdateSupportTicketInput!) {{ adminUpdateSupportTicket(id: $id, input: $input) {TICKET} }}"
    );
    let variables = json!({ "id": graphql["id"], "input": { "status": "PENDING" } });
    let moved = staff.graphql(&document, variables).await.field("adminUpdateSupportTicket");
    assert_eq!(moved["status"], "PENDING");

    let open = staff.get(&format!("{PATH}?status=open")).await;
    assert_eq!(open.expect(200)["_meta"]["total"], 0);
    let closed = staff.get(&format!("{PATH}?status=closed")).await.expect(200)["data"].clone();
    assert_eq!(closed[0]["id"], ticket["id"]);
    let document = format!("{{ adminSupportTickets(status: CLOSED) {{ items {TICKET} total pages }} }}");
    let listed = staff.graphql(&document, json!({})).await.field("adminSupportTickets");
    assert_eq!((&listed["items"][0]["id"], &listed["total"]), (&ticket["id"], &json!(1)));
    app.stop().await;
}

#[tokio::test]
async fn admin_support_ticket_shows_one_ticket_on_both_protocols() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, app.admin_with(&["support:read"]).await);
    let input = json!({ "subject": "Help", "body": "It\ndoes not work." });
    let ticket = owner.post(FILE, input).await.expect(201)["data"].clone();
    let path = |id: &Value| format!("{PATH}/{}", id.as_str().unwrap());
    let document = format!("query($id: UUID!) {{ adminSupportTicket(id: $id) {TICKET} }}");
    let over_graphql =
        async |caller: &Caller, id: &Value| caller.graphql(&document, json!({ "id": id })).await;

    assert_eq!(*staff.get(&path(&ticket["id"])).await.data(), ticket);
    let shown = over_graphql(&staff, &ticket["id"]).await.field("adminSupportTicket");
    assert_eq!((&shown["id"], &shown["user_id"]), (&ticket["id"], &json!(owner.user_id)));
    assert_eq!(shown["body"], "It\ndoes not work.");
    let unknown = json!(Uuid::now_v7());
    both_refused(
        &staff.get(&path(&unknown)).await,
        &over_graphql(&staff, &unknown).await,
        404,
        "NOT_FOUND",
        "Support ticket not found",
    );
    both_refused(
        &owner.get(&path(&ticket["id"])).await,
        &over_graphql(&owner, &ticket["id"]).await,
        403,
        "FORBIDDEN",
        "Missing permission: support:read",
    );
    app.stop().await;
}

#[tokio::test]
async fn create_support_ticket_needs_a_user_and_an_own_account() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let input = json!({ "subject": "Help", "body": "me" });
    let service = app.service_key(owner.account_id, &["chat:read"]).await;
    both_refused(
        &service.post(FILE, input.clone()).await,
        &service.mutate("createSupportTicket", &input, "{ id }").await,
        403,
        "FORBIDDEN",
        "Only a person can file a support ticket",
    );
    let foreign = json!({ "subject": "Help", "body": "me", "account_id": other.account_id });
    both_refused(
        &owner.post(FILE, foreign.clone()).await,
        &owner.mutate("createSupportTicket", &foreign, "{ id }").await,
        404,
        "NOT_FOUND",
        "Account not found",
    );
    both_refused(
        &app.anonymous().post(FILE, input.clone()).await,
        &app.anonymous().mutate("createSupportTicket", &input, "{ id }").await,
        401,
        "UNAUTHORIZED",
        "Authentication required",
    );
    let popout = app.popout(&owner, &["chat:read"]).await;
    popout.post(FILE, input).await.expect(201);
    assert_eq!(app.audited("support_ticket:created").await.len(), 1);
    app.stop().await;
}

#[tokio::test]
async fn create_support_ticket_validates_texts_and_is_limited() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let long = |length: usize| "x".repeat(length);
    for (input, message) in [
        (json!({ "subject": " ", "body": "me" }), "subject must not be empty".to_owned()),
        (
            json!({ "subject": long(201), "body": "me" }),
            "subject must be between 1 and 200 characters".into(),
        ),
        (json!({ "subject": "a\u{0}b", "body": "me" }), "subject must not contain control characters".into()),
        (json!({ "subject": "Help", "body": "" }), "body must not be empty".into()),
        (
            json!({ "subject": "Help", "body": long(10_001) }),
            "body must be between 1 and 10000 characters".into(),
        ),
    ] {
        both_refused(
            &owner.post(FILE, input.clone()).await,
            &owner.mutate("createSupportTicket", &input, "{ id }").await,
            400,
            "VALIDATION_ERROR",
            &message,
        );
    }
    for _ in 0..10 {
        owner.post(FILE, json!({ "subject": "Help", "body": "me" })).await.expect(201);
    }
    let input = json!({ "subject": "Help", "body": "me" });
    both_refused(
        &owner.post(FILE, input.clone()).await,
        &owner.mutate("createSupportTicket", &input, "{ id }").await,
        429,
        "RATE_LIMIT_EXCEEDED",
        "Rate limit exceeded",
    );
    app.stop().await;
}

#[tokio::test]
async fn admin_support_tickets_and_updates_need_permission_and_ticket() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let reader = app.admin_with(&["support:read"]).await;
    let ticket =
        owner.post(FILE, json!({ "subject": "Help", "body": "me" })).await.expect(201)["data"].clone();
    let id = ticket["id"].as_str().unwrap().to_owned();
    let update = |id: &str| {
        format!("mutation {{ adminUpdateSupportTicket(id: \"{id}\", input: {{ status: CLOSED }}) {{ id }} }}")
    };
    both_refused(
        &reader.patch(&format!("{PATH}/{id}"), json!({ "status": "closed" })).await,
        &reader.graphql(&update(&id), json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: support:edit",
    );
    both_refused(
        &owner.get(&format!("{PATH}/{id}")).await,
        &owner.graphql(&format!("{{ adminSupportTicket(id: \"{id}\") {{ id }} }}"), json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: support:read",
    );
    let editor = app.admin_with(&["support:edit", "support:read"]).await;
    let unknown = Uuid::now_v7().to_string();
    both_refused(
        &editor.patch(&format!("{PATH}/{unknown}"), json!({ "status": "closed" })).await,
        &editor.graphql(&update(&unknown), json!({})).await,
        404,
        "NOT_FOUND",
        "Support ticket not found",
    );
    let path = format!("{PATH}/{id}");
    editor.patch(&path, json!({ "status": "lost" })).await.refused_with("VALIDATION_ERROR");
    editor.patch(&path, json!({ "status": null })).await.refused("VALIDATION_ERROR", "status cannot be null");
    assert_eq!(editor.patch(&path, json!({})).await.data()["status"], "open");
    editor.get(&format!("{PATH}?status=lost")).await.refused_with("VALIDATION_ERROR");
    editor.get(&format!("{PATH}/x")).await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert!(app.audited("support_ticket:updated").await.is_empty());
    assert_eq!(ticket["status"], Value::from("open"));
    app.stop().await;
}
