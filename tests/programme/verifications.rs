//! Verification of developers and its review (reference/programme.md#verifications).

use diesel::{QueryableByName, prelude::*, sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::{developer_profiles, developer_verifications};
use uuid::Uuid;

use super::{document, image, notifications, reviewer};

pub const PATH: &str = "/v1/developer/verification";
pub const STAFF: &str = "/v1/admin/developer-verifications";
const VERIFICATION: &str =
    "{ id developerId legalName companyName addressLine1 addressLine2 postalCode city country taxId
    tradeRegisterId documentKey status reviewNotes reviewedBy reviewedAt createdAt updatedAt }";
const DECISION: &str = "{ success newStatus }";

pub fn body() -> Value {
    json!({
        "legal_name": "Ada Secretname", "company_name": "Hidden Works GmbH", "address_line1": "Covert Street 1",
        "address_line2": "Floor 2", "postal_code": "12345", "city": "Berlin", "country": "de",
        "tax_id": "DE123456789", "trade_register_id": "HRB 987654",
    })
}

pub fn with(field: &str, value: Value) -> Value {
    let mut body = body();
    body[field] = value;
    body
}

pub async fn submit(caller: &Caller, body: &Value) -> Answer {
    caller.post(PATH, body.clone()).await
}

pub async fn gql_submit(caller: &Caller, body: &Value) -> Answer {
    caller.mutate("submitDeveloperVerification", body, VERIFICATION).await
}

pub async fn developer(app: &TestApp) -> Person {
    let person = app.owner().await;
    app.developer_profile(person.user_id).await;
    person
}

/// A developer with a pending verification; the id of the verification.
pub async fn submitted(app: &TestApp) -> (Person, Uuid) {
    let person = developer(app).await;
    let id = id_of(&submit(&person, &body()).await.expect(201)["data"]);
    (person, id)
}

pub fn id_of(verification: &Value) -> Uuid {
    verification["id"].as_str().unwrap().parse().unwrap()
}

async fn decide(staff: &Caller, id: Uuid, decision: &str, input: Value) -> Answer {
    staff.post(&format!("{STAFF}/{id}/{decision}"), input).await
}

async fn gql_decide(staff: &Caller, id: Uuid, field: &str, input: &Value) -> Answer {
    staff.mutate_at(field, &[("id", id)], input, DECISION).await
}

#[tokio::test]
async fn submit_developer_verification_seals_the_data_and_masks_numbers() {
    let app = TestApp::start().await;
    let person = developer(&app).await;
    // A verification needs no feature.
    app.override_feature(person.account_id, "feature:extension_development", false).await;
    assert_eq!(person.get(PATH).await.expect(200)["data"], Value::Null);
    let read = format!("{{ developerVerification {VERIFICATION} }}");
    assert_eq!(person.graphql(&read, json!({})).await.field("developerVerification"), Value::Null);
    let given = with("document_key", json!(document(&person).await));
    let made = submit(&person, &given).await.expect(201)["data"].clone();
    for field in ["legal_name", "company_name", "address_line1", "address_line2", "postal_code", "city"] {
        assert_eq!(made[field], given[field], "{field}");
    }
    assert_eq!((&made["country"], &made["status"]), (&json!("DE"), &json!("pending")));
    assert_eq!((&made["tax_id"], &made["trade_register_id"]), (&json!("****6789"), &json!("****7654")));
    assert_eq!(made["document_key"], given["document_key"]);
    assert_eq!(*person.get(PATH).await.data(), made);
    assert_eq!(person.graphql(&read, json!({})).await.field("developerVerification")["id"], made["id"]);

    let entry = app.audited_once("developer:verification_submitted").await;
    assert_eq!((entry.scope.as_str(), &entry.metadata), ("user", &json!({})));
    let sealed: Vec<u8> = developer_verifications::table
        .select(developer_verifications::details)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    for secret in ["Secretname", "Covert Street", "DE123456789"] {
        assert!(!sealed.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret}");
    }
    app.stop().await;
}

#[tokio::test]
async fn submit_developer_verification_refuses_invalid_fields() {
    let app = TestApp::start().await;
    let person = developer(&app).await;
    let long = |length: usize| json!("x".repeat(length));
    for (field, value, message) in [
        ("legal_name", json!(""), "Legal name is required"),
        ("legal_name", Value::Null, "Legal name is required"),
        ("address_line1", json!(" "), "Address line 1 is required"),
        ("postal_code", Value::Null, "Postal code is required"),
        ("city", json!(""), "City is required"),
        ("country", json!(""), "Country is required"),
        ("country", json!("DEU"), "Country must be a 2-letter ISO code"),
        ("country", json!("D1"), "Country must be a 2-letter ISO code"),
        ("country", json!("ZZ"), "Country must be a 2-letter ISO code"),
        ("legal_name", long(201), "legal_name must be between 1 and 200 characters"),
        ("company_name", long(201), "company_name must be between 1 and 200 characters"),
        ("postal_code", long(51), "postal_code must be between 1 and 50 characters"),
        ("tax_id", long(51), "tax_id must be between 1 and 50 characters"),
        ("trade_register_id", long(51), "trade_register_id must be between 1 and 50 characters"),
    ] {
        let body = with(field, value);
        let (rest, graphql) = (submit(&person, &body).await, gql_submit(&person, &body).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
        assert_eq!(rest.body["details"]["fields"][0]["field"], field, "{}", rest.text);
    }
    submit(&person, &json!({})).await.refused("VALIDATION_ERROR", "Legal name is required");
    app.stop().await;
}

#[tokio::test]
async fn submit_developer_verification_needs_a_developer_and_an_own_document() {
    let app = TestApp::start().await;
    let (person, stranger) = (developer(&app).await, developer(&app).await);
    let unprivileged = app.owner().await;
    let both = (submit(&unprivileged, &body()).await, gql_submit(&unprivileged, &body()).await);
    let message = "You must be an approved developer to submit verification";
    both_refused(&both.0, &both.1, 403, "FORBIDDEN", message);
    for key in [document(&stranger).await, image(&person).await, Uuid::now_v7().to_string()] {
        let given = with("document_key", json!(key));
        let both = (submit(&person, &given).await, gql_submit(&person, &given).await);
        both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Upload not found");
    }
    let popout = app.popout(&person, &[]).await;
    let both = (submit(&popout, &body()).await, gql_submit(&popout, &body()).await);
    assert_eq!((both.0.status, both.1.error().0.as_str()), (403, "FORBIDDEN"));
    assert_eq!(popout.get(PATH).await.status, 403);
    app.stop().await;
}

#[tokio::test]
async fn submit_developer_verification_replaces_the_verdict_until_it_is_verified() {
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (person, id) = submitted(&app).await;
    let first = person.get(PATH).await.data().clone();
    let again = submit(&person, &with("city", json!("Hamburg"))).await.expect(201)["data"].clone();
    assert_eq!((&again["city"], &again["created_at"]), (&json!("Hamburg"), &first["created_at"]));
    assert_ne!(again["id"], json!(id));
    let id = id_of(&again);
    decide(&staff, id, "reject", json!({ "notes": "Unreadable." })).await.expect(200);
    let rejected = person.get(PATH).await.data().clone();
    assert_eq!((&rejected["status"], &rejected["review_notes"]), (&json!("rejected"), &json!("Unreadable.")));
    assert_eq!(rejected["reviewed_by"], json!(staff.user_id));
    let pending = submit(&person, &body()).await.expect(201)["data"].clone();
    assert_eq!(pending["status"], "pending");
    for field in ["review_notes", "reviewed_by", "reviewed_at"] {
        assert_eq!(pending[field], Value::Null, "{field}");
    }
    decide(&staff, id_of(&pending), "approve", json!({})).await.expect(200);
    let both = (submit(&person, &body()).await, gql_submit(&person, &body()).await);
    both_refused(&both.0, &both.1, 409, "CONFLICT", "Your developer verification is already approved");
    assert_eq!(person.get(PATH).await.data()["status"], "verified");
    app.stop().await;
}

#[tokio::test]
async fn admin_developer_verifications_show_the_data_in_the_single_one_only() {
    let app = TestApp::start().await;
    let (staff, other) = (reviewer(&app).await, app.admin_with(&["support:read"]).await);
    let person = developer(&app).await;
    let given = with("document_key", json!(document(&person).await));
    let id = submit(&person, &given).await.expect(201)["data"]["id"].as_str().unwrap().to_owned();
    submitted(&app).await;
    let listed = staff.get(&format!("{STAFF}?status=pending")).await;
    assert_eq!((&listed.body["_meta"]["total"], &listed.data()[1]["id"]), (&json!(2), &json!(id)));
    assert!(!listed.text.contains("Secretname") && !listed.text.contains("Covert"), "{}", listed.text);
    let document = "{ adminDeveloperVerifications(status: VERIFIED) {
        items { id developerId userId developerName developerSlug status reviewedBy reviewedAt createdAt updatedAt }
        total } }";
    let graphql = staff.graphql(document, json!({})).await.field("adminDeveloperVerifications");
    assert_eq!(graphql, json!({ "items": [], "total": 0 }));
    staff.get(&format!("{STAFF}?status=lost")).await.refused_with("VALIDATION_ERROR");

    let path = format!("{STAFF}/{id}");
    let one = staff.get(&path).await.data().clone();
    assert_eq!((&one["legal_name"], &one["tax_id"]), (&given["legal_name"], &given["tax_id"]));
    assert_eq!((&one["user_id"], &one["document_key"]), (&json!(person.user_id), &given["document_key"]));
    let address = one["document_url"].as_str().expect("an address");
    let base = app.state.config.http.public_url.as_str().trim_end_matches('/').to_owned();
    let served = app.anonymous().get(address.strip_prefix(&base).unwrap()).await;
    assert_eq!(served.status, 200, "{}", served.text);

    let read = "query($id: UUID!) { adminDeveloperVerification(id: $id) { id legalName documentUrl } }";
    let graphql = staff.graphql(read, json!({ "id": id })).await.field("adminDeveloperVerification");
    assert_eq!(graphql["legal_name"], given["legal_name"]);
    let lacks = "Missing permission: developer-verification:read";
    let graphql = other.graphql(read, json!({ "id": id })).await;
    both_refused(&other.get(&path).await, &graphql, 403, "FORBIDDEN", lacks);
    let list = other.graphql("{ adminDeveloperVerifications { total } }", json!({})).await;
    both_refused(&other.get(STAFF).await, &list, 403, "FORBIDDEN", lacks);
    app.stop().await;
}

#[tokio::test]
async fn admin_developer_verification_refuses_an_unknown_id() {
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let unknown = Uuid::now_v7();
    let read = "query($id: UUID!) { adminDeveloperVerification(id: $id) { id } }";
    let graphql = staff.graphql(read, json!({ "id": unknown })).await;
    let rest = staff.get(&format!("{STAFF}/{unknown}")).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Developer verification not found");
    app.stop().await;
}

#[tokio::test]
async fn admin_approve_developer_verification_verifies_the_developer() {
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (person, id) = submitted(&app).await;
    let approved = decide(&staff, id, "approve", json!({ "notes": "Fine." })).await;
    assert_eq!(approved.expect(200)["data"], json!({ "success": true, "new_status": "verified" }));
    let verified: bool = developer_profiles::table
        .filter(developer_profiles::user_id.eq(person.user_id))
        .select(developer_profiles::verified)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert!(verified);
    let notified = notifications(&person).await;
    assert_eq!((notified.len(), &notified[0]["type"]), (1, &json!("developer_verification")));
    assert_eq!(notified[0]["message"], "Your verification as a developer is now verified. Notes: Fine.");
    let entry = app.audited_once("developer:verification_approved").await;
    assert_eq!((entry.scope.as_str(), entry.actor_id), ("system", Some(staff.user_id)));
    let both = (
        decide(&staff, id, "approve", json!({})).await,
        gql_decide(&staff, id, "adminApproveDeveloperVerification", &json!({})).await,
    );
    both_refused(&both.0, &both.1, 409, "CONFLICT", "Verification is not pending");
    app.stop().await;
}

#[tokio::test]
async fn admin_approve_developer_verification_refuses_data_that_was_replaced_meanwhile() {
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (person, seen) = submitted(&app).await;
    staff.get(&format!("{STAFF}/{seen}")).await.expect(200);
    let replaced = submit(&person, &with("legal_name", json!("Bob Other"))).await.expect(201)["data"].clone();
    for (decision, field) in
        [("approve", "adminApproveDeveloperVerification"), ("reject", "adminRejectDeveloperVerification")]
    {
        let notes = json!({ "notes": "Notes." });
        let both = (
            decide(&staff, seen, decision, notes.clone()).await,
            gql_decide(&staff, seen, field, &notes).await,
        );
        both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Developer verification not found");
    }
    assert_eq!(person.get(PATH).await.data()["status"], "pending");
    decide(&staff, id_of(&replaced), "approve", json!({})).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn admin_approve_developer_verification_in_parallel_decides_once() {
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (person, id) = submitted(&app).await;
    let tries = ["approve", "reject", "approve", "reject"]
        .map(|decision| decide(&staff, id, decision, json!({ "notes": "Notes." })));
    let answers = futures::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 409).count(), 3);
    assert_eq!(notifications(&person).await.len(), 1);
    app.stop().await;
}

#[tokio::test]
async fn admin_reject_developer_verification_needs_notes_permission_and_a_verification() {
    let app = TestApp::start().await;
    let (staff, reader) = (reviewer(&app).await, app.admin_with(&["developer-verification:read"]).await);
    let (_, id) = submitted(&app).await;
    let field = "adminRejectDeveloperVerification";
    let both =
        (decide(&staff, id, "reject", json!({})).await, gql_decide(&staff, id, field, &json!({})).await);
    both_refused(&both.0, &both.1, 400, "VALIDATION_ERROR", "Review notes are required");
    let given = json!({ "notes": "Notes." });
    for (decision, field) in [("approve", "adminApproveDeveloperVerification"), ("reject", field)] {
        let both = (
            decide(&reader, id, decision, given.clone()).await,
            gql_decide(&reader, id, field, &given).await,
        );
        both_refused(&both.0, &both.1, 403, "FORBIDDEN", "Missing permission: developer-verification:edit");
        let unknown = Uuid::now_v7();
        let both = (
            decide(&staff, unknown, decision, given.clone()).await,
            gql_decide(&staff, unknown, field, &given).await,
        );
        both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Developer verification not found");
    }
    let rejected = gql_decide(&staff, id, field, &given).await.field(field);
    assert_eq!(rejected, json!({ "success": true, "new_status": "REJECTED" }));
    assert_eq!(app.audited_once("developer:verification_rejected").await.scope, "system");
    app.stop().await;
}

#[tokio::test]
async fn developer_verification_is_in_no_audit_entry_and_no_notification() {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Text)]
        text: String,
    }
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (person, id) = submitted(&app).await;
    decide(&staff, id, "reject", json!({ "notes": "Notes." })).await.expect(200);
    let id = id_of(&submit(&person, &body()).await.expect(201)["data"]);
    decide(&staff, id, "approve", json!({})).await.expect(200);
    let texts: Vec<Found> = sql_query(
        "SELECT audit_log::text AS text FROM audit_log UNION ALL SELECT notifications::text FROM notifications
         UNION ALL SELECT mails::text FROM mails UNION ALL SELECT outbox::text FROM outbox",
    )
    .load(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    assert!(texts.len() > 4);
    for Found { text } in texts {
        assert!(!text.contains("Secretname") && !text.contains("123456789"), "{text}");
    }
    app.stop().await;
}
