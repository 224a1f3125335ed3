//! Requests for higher limits and their review (reference/developer-limits.md#requests).

use lumio_tests::{Answer, Caller, TestApp, both_refused, eventually, extensions::Studio};
use serde_json::{Value, json};
use uuid::Uuid;

const PATH: &str = "/v1/developer/limit-requests";
const STAFF: &str = "/v1/admin/limit-requests";
const REASON: &str = "We maintain an extension for each of our games.";
const REQUEST: &str =
    "{ id developerId requestedBy scope extensionId limitKey currentValue requestedValue reason status
    reviewNotes reviewedBy reviewedAt createdAt updatedAt }";

fn body(key: &str, value: i64) -> Value {
    json!({ "scope": "developer", "limit_key": key, "requested_value": value, "reason": REASON })
}

async fn made(studio: &Studio, key: &str, value: i64) -> String {
    let answer = studio.person.post(PATH, body(key, value)).await;
    answer.expect(201)["data"]["id"].as_str().unwrap().to_owned()
}

async fn create_over_graphql(caller: &Caller, body: &Value) -> Answer {
    let mut input = body.clone();
    input["scope"] = json!(body["scope"].as_str().unwrap().to_uppercase());
    caller.mutate("createLimitRequest", &input, REQUEST).await
}

async fn review(staff: &Caller, id: &str, action: &str, notes: Option<&str>) -> Answer {
    staff.put(&format!("{STAFF}/{id}"), json!({ "action": action, "notes": notes })).await
}

async fn review_over_graphql(staff: &Caller, id: &str, action: &str, notes: Option<&str>) -> Answer {
    let input = json!({ "action": action.to_uppercase(), "notes": notes });
    staff.mutate_at("adminReviewLimitRequest", &[("id", id.parse().unwrap())], &input, REQUEST).await
}

/// Field of one object by id, over GraphQL.
async fn one(caller: &Caller, field: &str, id: &str, selection: &str) -> Answer {
    let document = format!("query($id: UUID!) {{ {field}(id: $id) {selection} }}");
    caller.graphql(&document, json!({ "id": id })).await
}

fn types(events: &Value) -> Vec<&str> {
    events.as_array().unwrap().iter().map(|event| event["event_type"].as_str().unwrap()).collect()
}

async fn value_of(studio: &Studio, key: &str) -> (i64, String) {
    let limits = studio.person.get("/v1/developer/limits").await.data().clone();
    let categories = limits["categories"].as_array().unwrap();
    let mut all = categories.iter().flat_map(|category| category["limits"].as_array().unwrap());
    let limit = all.find(|limit| limit["key"] == key).unwrap();
    (limit["value"].as_i64().unwrap(), limit["source"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn create_limit_request_is_open_and_changes_no_limit() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let created = studio.person.post(PATH, body("max_extensions", 40)).await.expect(201)["data"].clone();
    assert_eq!(
        (&created["status"], &created["current_value"], &created["requested_value"]),
        (&json!("open"), &json!(25), &json!(40))
    );
    assert_eq!(
        (&created["developer_id"], &created["requested_by"], &created["extension_id"]),
        (&json!(studio.profile_id), &json!(studio.person.user_id), &Value::Null)
    );
    assert_eq!(value_of(&studio, "max_extensions").await, (25, "default".to_owned()));
    let id = created["id"].as_str().unwrap();
    let shown = studio.person.get(&format!("{PATH}/{id}")).await;
    assert_eq!(shown.data(), &created);
    let entry = app.audited_once("limit_request:created").await;
    assert_eq!(entry.metadata["limit_key"], "max_extensions");
    let extension = studio.extension("Loud").await;
    let input = json!({ "scope": "extension", "extension_id": extension, "limit_key": "max_secrets",
                        "requested_value": 30, "reason": REASON });
    let twin = create_over_graphql(&studio.person, &input).await.field("createLimitRequest");
    assert_eq!((&twin["extension_id"], &twin["status"]), (&json!(extension), &json!("OPEN")));
}

#[tokio::test]
async fn create_limit_request_refuses_invalid_fields() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let extension = studio.extension("Loud").await;
    let changed = |changes: Value| {
        let mut all = body("max_secrets", 30);
        all.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        all
    };
    for (input, message) in [
        (
            changed(json!({ "limit_key": "max_things" })),
            "Invalid limit_key: it must be a key of the list of limits",
        ),
        (changed(json!({ "scope": "extension" })), "Missing field: extension_id"),
        (
            changed(json!({ "extension_id": extension })),
            "extension_id must be absent for the scope developer",
        ),
        (
            changed(
                json!({ "scope": "extension", "extension_id": extension, "limit_key": "max_extensions" }),
            ),
            "limit_key must be a limit of extensions, not max_extensions",
        ),
        (changed(json!({ "requested_value": 0 })), "requested_value must be between 1 and 100"),
        (changed(json!({ "requested_value": 101 })), "requested_value must be between 1 and 100"),
        (changed(json!({ "requested_value": 20 })), "requested_value must be greater than 20"),
        (changed(json!({ "reason": "x".repeat(19) })), "reason must be between 20 and 2000 characters"),
        (changed(json!({ "reason": "x".repeat(2001) })), "reason must be between 20 and 2000 characters"),
    ] {
        let twin = create_over_graphql(&studio.person, &input).await;
        let rest = studio.person.post(PATH, input).await;
        both_refused(&rest, &twin, 400, "VALIDATION_ERROR", message);
    }
    studio
        .person
        .post(PATH, changed(json!({ "requested_value": 21, "reason": "x".repeat(20) })))
        .await
        .expect(201);
}

#[tokio::test]
async fn create_limit_request_refuses_a_second_open_one_and_foreign_extensions() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    made(&studio, "max_secrets", 30).await;
    let again = body("max_secrets", 31);
    let twin = create_over_graphql(&studio.person, &again).await;
    let message = "A request for this limit is already open";
    both_refused(&studio.person.post(PATH, again).await, &twin, 409, "CONFLICT", message);
    // Another developer, and one extension, have requests of their own.
    made(&other, "max_secrets", 30).await;
    let of = |extension: Uuid| {
        json!({ "scope": "extension", "extension_id": extension, "limit_key": "max_secrets",
                "requested_value": 30, "reason": REASON })
    };
    let extension = studio.extension("Loud").await;
    studio.person.post(PATH, of(extension)).await.expect(201);
    for foreign in [extension, Uuid::now_v7()] {
        let twin = create_over_graphql(&other.person, &of(foreign)).await;
        let rest = other.person.post(PATH, of(foreign)).await;
        both_refused(&rest, &twin, 404, "NOT_FOUND", "Extension not found");
    }
    let person = app.owner().await;
    let twin = create_over_graphql(&person, &body("max_secrets", 30)).await;
    let rest = person.post(PATH, body("max_secrets", 30)).await;
    both_refused(&rest, &twin, 404, "NOT_FOUND", "Developer profile not found");
}

#[tokio::test]
async fn create_limit_request_in_parallel_makes_one() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let tries = (0..4).map(|_| studio.person.post(PATH, body("max_secrets", 30)));
    let answers = futures::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 409).count(), 3);
}

#[tokio::test]
async fn developer_limit_requests_lists_the_own_ones_by_status() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let (first, second) = (made(&studio, "max_secrets", 30).await, made(&studio, "max_extensions", 30).await);
    made(&other, "max_secrets", 30).await;
    let listed = studio.person.get(PATH).await;
    let ids: Vec<&str> =
        listed.data().as_array().unwrap().iter().map(|request| request["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [&second, &first]);
    let document = format!("{{ developerLimitRequests(status: OPEN) {{ items {REQUEST} total }} }}");
    let twin = studio.person.graphql(&document, json!({})).await.field("developerLimitRequests");
    assert_eq!((&twin["total"], &twin["items"][0]["id"]), (&json!(2), &json!(second)));
    assert_eq!(studio.person.get(&format!("{PATH}?status=approved")).await.data(), &json!([]));
    studio.person.get(&format!("{PATH}?status=lost")).await.refused_with("VALIDATION_ERROR");
}

#[tokio::test]
async fn developer_limit_request_is_the_developers_own() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let id = made(&studio, "max_secrets", 30).await;
    let path = format!("{PATH}/{id}");
    let message = "Limit request not found";
    let twin = one(&other.person, "developerLimitRequest", &id, REQUEST).await;
    both_refused(&other.person.get(&path).await, &twin, 404, "NOT_FOUND", message);
    let member = app.member_with(studio.person.account_id, &["chat:read"]).await;
    let lacks = "Missing permission: extension-dev:read";
    let twin = one(&member, "developerLimitRequest", &id, REQUEST).await;
    both_refused(&member.get(&path).await, &twin, 403, "FORBIDDEN", lacks);
    let twin = member.graphql("{ developerLimitRequests { total } }", json!({})).await;
    both_refused(&member.get(PATH).await, &twin, 403, "FORBIDDEN", lacks);
    let twin = create_over_graphql(&member, &body("max_secrets", 30)).await;
    let rest = member.post(PATH, body("max_secrets", 30)).await;
    both_refused(&rest, &twin, 403, "FORBIDDEN", "Missing permission: extension-dev:edit");
}

#[tokio::test]
async fn developer_limit_request_events_are_the_developers_own() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let id = made(&studio, "max_secrets", 30).await;
    let events = format!("{PATH}/{id}/events");
    let twin = one(&other.person, "developerLimitRequestEvents", &id, "{ id }").await;
    both_refused(&other.person.get(&events).await, &twin, 404, "NOT_FOUND", "Limit request not found");
    let member = app.member_with(studio.person.account_id, &["chat:read"]).await;
    let lacks = "Missing permission: extension-dev:read";
    let twin = one(&member, "developerLimitRequestEvents", &id, "{ id }").await;
    both_refused(&member.get(&events).await, &twin, 403, "FORBIDDEN", lacks);
    let listed = studio.person.get(&events).await.data().clone();
    assert_eq!(types(&listed), ["created"]);
    assert_eq!(listed[0]["details"], json!({ "requested_value": 30 }));
    let selection = "{ id requestId eventType actorId details createdAt }";
    let twin = one(&studio.person, "developerLimitRequestEvents", &id, selection).await;
    assert_eq!(twin.field("developerLimitRequestEvents")[0]["actor_id"], json!(studio.person.user_id));
}

#[tokio::test]
async fn admin_limit_request_moves_to_in_review_at_the_first_reading() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, app.admin_with(&["developer-limits:read"]).await);
    let id = made(&studio, "max_secrets", 30).await;
    // The list changes nothing.
    assert_eq!(staff.get(STAFF).await.data()[0]["status"], "open");
    let path = format!("{STAFF}/{id}");
    assert_eq!(staff.get(&path).await.data()["status"], "in_review");
    assert_eq!(
        one(&staff, "adminLimitRequest", &id, REQUEST).await.field("adminLimitRequest")["status"],
        "IN_REVIEW"
    );
    let events = staff.get(&format!("{path}/events")).await;
    assert_eq!(types(events.data()), ["created", "in_review"]);
    assert_eq!(events.data()[1]["actor_id"], json!(staff.user_id));
    assert_eq!(app.audited_once("limit_request:review_started").await.scope, "system");
}

#[tokio::test]
async fn admin_review_limit_request_raises_the_limit_and_notifies_the_developer() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, app.admin_with(&["developer-limits:edit"]).await);
    let id = made(&studio, "max_secrets", 30).await;
    let approved = review(&staff, &id, "approve", Some("Welcome")).await.expect(200)["data"].clone();
    assert_eq!(
        (&approved["status"], &approved["review_notes"], &approved["reviewed_by"]),
        (&json!("approved"), &json!("Welcome"), &json!(staff.user_id))
    );
    assert_eq!(value_of(&studio, "max_secrets").await, (30, "developer_override".to_owned()));
    let entry = app.audited_once("limit_request:approved").await;
    assert_eq!((entry.scope.as_str(), &entry.metadata["requested_value"]), ("system", &json!(30)));
    let events = studio.person.get(&format!("{PATH}/{id}/events")).await;
    assert_eq!(types(events.data()), ["created", "approved"]);
    assert_eq!(events.data()[1]["details"], json!({ "notes": "Welcome", "value": 30 }));
    let notices = studio.person.get("/v1/notifications").await;
    let notice = &notices.data()["items"][0];
    assert_eq!(
        (&notice["type"], &notice["data"]["decision"], &notice["data"]["limitKey"]),
        (&json!("limit_request"), &json!("approved"), &json!("max_secrets"))
    );
    // A decision frees the key for another request, and stays.
    made(&studio, "max_secrets", 40).await;
    let message = "Limit request was decided about already";
    for action in ["approve", "reject", "start_review"] {
        let twin = review_over_graphql(&staff, &id, action, Some("Again")).await;
        let rest = review(&staff, &id, action, Some("Again")).await;
        both_refused(&rest, &twin, 409, "CONFLICT", message);
    }
}

#[tokio::test]
async fn admin_review_limit_request_is_in_force_in_every_process() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, app.admin_with(&["developer-limits:edit"]).await);
    let (_state, second) = app.second_server().await;
    let elsewhere = studio.person.at(format!("http://{}", second.address));
    let path = format!("/v1/developer/extensions/{}/secrets", studio.extension("Full").await);
    let put = async |caller: &Caller, number: i64| {
        caller.put(&format!("{path}/K{number}"), json!({ "value": "v" })).await
    };
    for number in 1..=20 {
        put(&studio.person.caller, number).await.expect(204);
    }
    put(&elsewhere, 21).await.refused_with("PLAN_LIMIT_REACHED");
    let id = made(&studio, "max_secrets", 21).await;
    review(&staff, &id, "approve", None).await.expect(200);
    eventually("the limit is raised", async || put(&elsewhere, 21).await.status == 204).await;
    put(&elsewhere, 22).await.refused_with("PLAN_LIMIT_REACHED");
    second.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn admin_review_limit_request_rejects_with_notes_only() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, app.admin_with(&["developer-limits:edit"]).await);
    let id = made(&studio, "max_secrets", 30).await;
    for notes in [None, Some("  ")] {
        let twin = review_over_graphql(&staff, &id, "reject", notes).await;
        let rest = review(&staff, &id, "reject", notes).await;
        both_refused(&rest, &twin, 400, "VALIDATION_ERROR", "Review notes are required");
    }
    let long = "x".repeat(2001);
    let rest = review(&staff, &id, "reject", Some(&long)).await;
    rest.refused("VALIDATION_ERROR", "notes must be between 1 and 2000 characters");
    let rejected = review_over_graphql(&staff, &id, "reject", Some("Not now")).await;
    assert_eq!(rejected.field("adminReviewLimitRequest")["status"], "REJECTED");
    assert_eq!(value_of(&studio, "max_secrets").await, (20, "default".to_owned()));
    app.audited_once("limit_request:rejected").await;
}

#[tokio::test]
async fn admin_review_limit_request_starts_a_review_and_adds_comments() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, app.admin_with(&["developer-limits:edit"]).await);
    let id = made(&studio, "max_secrets", 30).await;
    assert_eq!(review(&staff, &id, "start_review", None).await.data()["status"], "in_review");
    // A second start changes nothing; notes are a comment.
    review(&staff, &id, "start_review", None).await.expect(200);
    review(&staff, &id, "start_review", Some("Which secrets?")).await.expect(200);
    let events = studio.person.get(&format!("{PATH}/{id}/events")).await;
    assert_eq!(types(events.data()), ["created", "in_review", "comment"]);
    assert_eq!(events.data()[2]["details"], json!({ "notes": "Which secrets?" }));
    app.audited_once("limit_request:review_started").await;
    app.audited_once("limit_request:commented").await;
}

#[tokio::test]
async fn admin_review_limit_request_in_parallel_decides_once() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, app.admin_with(&["developer-limits:edit"]).await);
    let id = made(&studio, "max_secrets", 30).await;
    let tries = ["approve", "reject", "approve"].map(|action| review(&staff, &id, action, Some("Decided")));
    let answers = futures::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
}

#[tokio::test]
async fn admin_limit_requests_filters_by_status() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["developer-limits:read", "developer-limits:edit"]).await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let (id, _) = (made(&studio, "max_secrets", 30).await, made(&other, "max_secrets", 30).await);
    review(&staff, &id, "approve", None).await.expect(200);
    assert_eq!(staff.get(STAFF).await.body["_meta"]["total"], 2);
    assert_eq!(staff.get(&format!("{STAFF}?status=approved")).await.data()[0]["id"], json!(id));
    let document = "{ adminLimitRequests(status: OPEN) { total } }";
    let twin = staff.graphql(document, json!({})).await.field("adminLimitRequests");
    assert_eq!(twin["total"], 1);
}

#[tokio::test]
async fn admin_developer_limit_requests_lists_those_of_one_developer() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["developer-limits:read"]).await;
    let (studio, other) = (app.studio().await, app.studio().await);
    made(&studio, "max_secrets", 30).await;
    made(&other, "max_secrets", 30).await;
    let of = |developer: Uuid| format!("/v1/admin/developers/{developer}/limit-requests");
    let listed = staff.get(&of(other.profile_id)).await;
    assert_eq!(listed.data()[0]["developer_id"], json!(other.profile_id));
    let nothing = format!("{}?status=approved", of(other.profile_id));
    assert_eq!(staff.get(&nothing).await.data(), &json!([]));
    let unknown = Uuid::now_v7();
    let twin = one(&staff, "adminDeveloperLimitRequests", &unknown.to_string(), "{ total }").await;
    both_refused(&staff.get(&of(unknown)).await, &twin, 404, "NOT_FOUND", "Developer not found");
}

#[tokio::test]
async fn admin_limit_request_events_and_the_others_need_the_permission_and_a_request() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["developer-limits:read", "developer-limits:edit"]).await;
    let (studio, other) = (app.studio().await, app.admin_with(&["support:read"]).await);
    let id = made(&studio, "max_secrets", 30).await;
    let unknown = Uuid::now_v7().to_string();
    for (path, field, selection) in
        [("", "adminLimitRequest", REQUEST), ("/events", "adminLimitRequestEvents", "{ id }")]
    {
        let twin = one(&other, field, &id, selection).await;
        let lacks = "Missing permission: developer-limits:read";
        both_refused(&other.get(&format!("{STAFF}/{id}{path}")).await, &twin, 403, "FORBIDDEN", lacks);
        let twin = one(&staff, field, &unknown, selection).await;
        let rest = staff.get(&format!("{STAFF}/{unknown}{path}")).await;
        both_refused(&rest, &twin, 404, "NOT_FOUND", "Limit request not found");
    }
    let lacks = "Missing permission: developer-limits:read";
    let twin = other.graphql("{ adminLimitRequests { total } }", json!({})).await;
    both_refused(&other.get(STAFF).await, &twin, 403, "FORBIDDEN", lacks);
    let developer = studio.profile_id;
    let twin = one(&other, "adminDeveloperLimitRequests", &developer.to_string(), "{ total }").await;
    let rest = other.get(&format!("/v1/admin/developers/{developer}/limit-requests")).await;
    both_refused(&rest, &twin, 403, "FORBIDDEN", lacks);
    let twin = review_over_graphql(&other, &id, "approve", None).await;
    let rest = review(&other, &id, "approve", None).await;
    both_refused(&rest, &twin, 403, "FORBIDDEN", "Missing permission: developer-limits:edit");
    let twin = review_over_graphql(&staff, &unknown, "approve", None).await;
    let rest = review(&staff, &unknown, "approve", None).await;
    both_refused(&rest, &twin, 404, "NOT_FOUND", "Limit request not found");
}
