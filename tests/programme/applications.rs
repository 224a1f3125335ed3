//! Applications to become a developer and their review (reference/programme.md#applications).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused, world::count};
use serde_json::{Value, json};
use shared::schema::{
    developer_applications, developer_profiles, developer_team_members, developer_team_roles, developer_teams,
};
use uuid::Uuid;

use super::{image, notifications, reviewer};

const PATH: &str = "/v1/developer/application";
const STAFF: &str = "/v1/admin/developer-applications";
const APPLICATION: &str =
    "{ id userId applicationType displayName slug description motivation whatToBuild githubUrl websiteUrl
    experience avatarKey status reviewNotes reviewedBy reviewedAt createdAt updatedAt }";
const DECISION: &str = "{ success newStatus }";

fn body(kind: &str, slug: &str) -> Value {
    json!({
        "application_type": kind, "display_name": "Pixel Works", "slug": slug, "description": "Small overlays.",
        "motivation": "Streamers ask us for them.", "what_to_build": "A goal bar.",
    })
}

fn with(field: &str, value: Value) -> Value {
    let mut body = body("solo", "pixel-works");
    body[field] = value;
    body
}

async fn submit(caller: &Caller, body: &Value) -> Answer {
    caller.post(PATH, body.clone()).await
}

async fn gql_submit(caller: &Caller, body: &Value) -> Answer {
    caller.mutate("submitDeveloperApplication", body, APPLICATION).await
}

/// A person with a pending application; the id of the application.
async fn applicant(app: &TestApp, kind: &str, slug: &str) -> (Person, Uuid) {
    let person = app.owner().await;
    let id = submit(&person, &body(kind, slug)).await.expect(201)["data"]["id"].as_str().unwrap().parse();
    (person, id.unwrap())
}

async fn decide(staff: &Caller, id: Uuid, decision: &str, input: Value) -> Answer {
    staff.post(&format!("{STAFF}/{id}/{decision}"), input).await
}

async fn gql_decide(staff: &Caller, id: Uuid, field: &str, input: &Value) -> Answer {
    staff.mutate_at(field, &[("id", id)], input, DECISION).await
}

#[tokio::test]
async fn submit_developer_application_is_returned_to_its_applicant() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let none = owner.graphql(&format!("{{ developerApplication {APPLICATION} }}"), json!({})).await;
    both_refused(&owner.get(PATH).await, &none, 404, "NOT_FOUND", "No developer application found");
    let avatar = image(&owner).await;
    let mut given = body("solo", "pixel-works");
    given["github_url"] = json!("https://github.com/pixel");
    given["website_url"] = json!("https://pixel.example");
    given["experience"] = json!("Ten years.");
    given["avatar_key"] = json!(avatar);
    let made = submit(&owner, &given).await.expect(201)["data"].clone();
    for (field, value) in given.as_object().unwrap() {
        assert_eq!(made[field], *value, "{field}");
    }
    assert_eq!((&made["status"], &made["user_id"]), (&json!("pending"), &json!(owner.user_id)));
    for field in ["review_notes", "reviewed_by", "reviewed_at"] {
        assert_eq!(made[field], Value::Null, "{field}");
    }
    assert_eq!(*owner.get(PATH).await.data(), made);
    let graphql = owner.graphql(&format!("{{ developerApplication {APPLICATION} }}"), json!({})).await;
    let graphql = graphql.field("developerApplication");
    assert_eq!((&graphql["id"], &graphql["application_type"]), (&made["id"], &json!("SOLO")));
    let entry = app.audited_once("developer:application_submitted").await;
    assert_eq!((entry.scope.as_str(), entry.actor_id), ("user", Some(owner.user_id)));
    assert_eq!(entry.metadata, json!({ "application_type": "solo", "slug": "pixel-works" }));
    app.stop().await;
}

#[tokio::test]
async fn submit_developer_application_refuses_invalid_fields() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let long = |length: usize| json!("x".repeat(length));
    for (field, value, message) in [
        ("application_type", json!("duo"), "application_type must be 'solo' or 'team'"),
        ("slug", json!("ab"), "Slug must be between 3 and 50 characters"),
        ("slug", long(51), "Slug must be between 3 and 50 characters"),
        ("slug", json!("1abc"), "Slug must start with a lowercase letter"),
        ("slug", json!("Pixel"), "Slug must start with a lowercase letter"),
        ("slug", json!("pixel_works"), "Slug must contain only lowercase letters, digits, and hyphens"),
        ("display_name", json!(" "), "display_name must not be empty"),
        ("display_name", long(61), "display_name must be between 1 and 60 characters"),
        ("description", long(2001), "description must be between 1 and 2000 characters"),
        ("motivation", json!(""), "motivation must not be empty"),
        ("what_to_build", long(5001), "what_to_build must be between 1 and 5000 characters"),
        ("experience", long(5001), "experience must be between 1 and 5000 characters"),
        ("github_url", json!("http://github.com/x"), "github_url must be an https address"),
        ("website_url", json!("nothing"), "website_url must be an https address"),
        ("website_url", long(501), "website_url must be between 1 and 500 characters"),
    ] {
        let body = with(field, value);
        let (rest, graphql) = (submit(&owner, &body).await, gql_submit(&owner, &body).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
        assert_eq!(rest.body["details"]["fields"][0]["field"], field, "{}", rest.text);
    }
    submit(&owner, &json!({})).await.refused_with("VALIDATION_ERROR");
    app.stop().await;
}

#[tokio::test]
async fn submit_developer_application_refuses_developers_second_ones_and_taken_slugs() {
    let app = TestApp::start().await;
    let (developer, owner) = (app.owner().await, app.owner().await);
    app.developer_profile(developer.user_id).await;
    let given = body("solo", "pixel-works");
    let both = (submit(&developer, &given).await, gql_submit(&developer, &given).await);
    both_refused(&both.0, &both.1, 409, "CONFLICT", "You already have a developer profile");
    let (first, _) = applicant(&app, "team", "pixel-works").await;
    let both =
        (submit(&first, &body("solo", "other")).await, gql_submit(&first, &body("solo", "other")).await);
    both_refused(&both.0, &both.1, 409, "CONFLICT", "You already have a pending application");
    let both = (submit(&owner, &given).await, gql_submit(&owner, &given).await);
    both_refused(&both.0, &both.1, 409, "CONFLICT", "Slug is already taken");
    let foreign = with("avatar_key", json!(image(&first).await));
    let both = (submit(&owner, &foreign).await, gql_submit(&owner, &foreign).await);
    both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Upload not found");
    app.stop().await;
}

#[tokio::test]
async fn submit_developer_application_in_parallel_gives_a_slug_once() {
    let app = TestApp::start().await;
    let mut people = Vec::new();
    for _ in 0..4 {
        people.push(app.owner().await);
    }
    let given = body("solo", "pixel-works");
    let tries = people.iter().flat_map(|person| [submit(person, &given), submit(person, &given)]);
    let answers = futures::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 409).count(), 7);
    app.stop().await;
}

#[tokio::test]
async fn developer_application_is_for_people() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let given = body("solo", "pixel-works");
    for caller in [app.popout(&owner, &[]).await, app.service_key(owner.account_id, &[]).await] {
        let read = caller.graphql("{ developerApplication { id } }", json!({})).await;
        assert_eq!((caller.get(PATH).await.status, read.error().0.as_str()), (403, "FORBIDDEN"));
        let graphql = gql_submit(&caller, &given).await;
        assert_eq!((submit(&caller, &given).await.status, graphql.error().0.as_str()), (403, "FORBIDDEN"));
    }
    assert_eq!(app.anonymous().get(PATH).await.status, 401);
    let key = app.personal_key(&owner, &["chat:read"]).await;
    submit(&key, &given).await.expect(201);
    app.stop().await;
}

#[tokio::test]
async fn admin_developer_applications_list_by_status() {
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (first, id) = applicant(&app, "solo", "first-one").await;
    let (_, second) = applicant(&app, "team", "second-one").await;
    decide(&staff, id, "reject", json!({ "notes": "Too short." })).await.expect(200);
    let all = staff.get(STAFF).await.data().clone();
    assert_eq!((&all["total"], &all["items"][0]["id"]), (&json!(2), &json!(second)));
    let rejected = staff.get(&format!("{STAFF}?status=rejected&limit=1")).await.data().clone();
    let item = &rejected["items"][0];
    assert_eq!((&rejected["total"], &item["user_id"]), (&json!(1), &json!(first.user_id)));
    assert_eq!((&item["slug"], &item["status"]), (&json!("first-one"), &json!("rejected")));
    assert!(item["user_display_name"].is_string() && item.get("motivation").is_none());
    let document = "{ adminDeveloperApplications(status: PENDING) {
        items { id userId applicationType displayName slug status createdAt userDisplayName userAvatarUrl } total } }";
    let graphql = staff.graphql(document, json!({})).await.field("adminDeveloperApplications");
    assert_eq!((&graphql["items"][0]["id"], &graphql["total"]), (&json!(second), &json!(1)));
    staff.get(&format!("{STAFF}?status=lost")).await.refused_with("VALIDATION_ERROR");
    staff
        .get(&format!("{STAFF}?limit=101"))
        .await
        .refused("VALIDATION_ERROR", "limit must be between 1 and 100");
    app.stop().await;
}

#[tokio::test]
async fn admin_developer_application_is_read_by_staff_with_the_permission() {
    let app = TestApp::start().await;
    let (staff, other) = (reviewer(&app).await, app.admin_with(&["support:read"]).await);
    let (_, id) = applicant(&app, "solo", "pixel-works").await;
    let path = format!("{STAFF}/{id}");
    assert_eq!(staff.get(&path).await.data()["motivation"], "Streamers ask us for them.");
    let document = format!("query($id: UUID!) {{ adminDeveloperApplication(id: $id) {APPLICATION} }}");
    let graphql = staff.graphql(&document, json!({ "id": id })).await;
    assert_eq!(graphql.field("adminDeveloperApplication")["slug"], "pixel-works");
    let lacks = "Missing permission: developer-verification:read";
    let graphql = other.graphql(&document, json!({ "id": id })).await;
    both_refused(&other.get(&path).await, &graphql, 403, "FORBIDDEN", lacks);
    let list = other.graphql("{ adminDeveloperApplications { total } }", json!({})).await;
    both_refused(&other.get(STAFF).await, &list, 403, "FORBIDDEN", lacks);
    let unknown = Uuid::now_v7();
    let graphql = staff.graphql(&document, json!({ "id": unknown })).await;
    let rest = staff.get(&format!("{STAFF}/{unknown}")).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Developer application not found");
    app.stop().await;
}

#[tokio::test]
async fn admin_approve_developer_application_makes_a_developer() {
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (person, id) = applicant(&app, "solo", "pixel-works").await;
    let approved = decide(&staff, id, "approve", json!({ "notes": "Welcome." })).await;
    assert_eq!(approved.expect(200)["data"], json!({ "success": true, "new_status": "approved" }));
    let stored = person.get(PATH).await.data().clone();
    assert_eq!((&stored["status"], &stored["review_notes"]), (&json!("approved"), &json!("Welcome.")));
    assert_eq!(stored["reviewed_by"], json!(staff.user_id));
    assert!(stored["reviewed_at"].is_string());
    let profile = person.get("/v1/developer/profile").await.data().clone();
    assert_eq!((&profile["slug"], &profile["display_name"]), (&json!("pixel-works"), &json!("Pixel Works")));
    assert_eq!(profile["verified"], false);
    let notified = notifications(&person).await;
    assert_eq!((notified.len(), &notified[0]["type"]), (1, &json!("developer_application")));
    assert_eq!(notified[0]["message"], "Your application as Pixel Works was approved. Notes: Welcome.");
    assert_eq!(notified[0]["data"], json!({ "applicationId": id, "decision": "approved" }));
    let entry = app.audited_once("developer:application_approved").await;
    assert_eq!((entry.scope.as_str(), entry.actor_id), ("system", Some(staff.user_id)));
    assert_eq!(entry.metadata["user_id"], json!(person.user_id));
    for decision in ["approve", "reject"] {
        let again = decide(&staff, id, decision, json!({ "notes": "x" })).await;
        again.refused("CONFLICT", "Application is not pending");
    }
    let graphql = gql_decide(&staff, id, "adminApproveDeveloperApplication", &json!({})).await;
    graphql.refused("CONFLICT", "Application is not pending");
    app.stop().await;
}

#[tokio::test]
async fn admin_approve_developer_application_makes_the_team_of_a_team() {
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (person, id) = applicant(&app, "team", "pixel-works").await;
    let approved = gql_decide(&staff, id, "adminApproveDeveloperApplication", &json!({})).await;
    assert_eq!(approved.field("adminApproveDeveloperApplication")["new_status"], "APPROVED");
    let mut db = app.databases.postgres.get().await.unwrap();
    let (team, owner, name): (Uuid, Uuid, String) = developer_teams::table
        .filter(developer_teams::slug.eq("pixel-works"))
        .select((developer_teams::id, developer_teams::owner_id, developer_teams::name))
        .first(&mut *db)
        .await
        .unwrap();
    assert_eq!((owner, name.as_str()), (person.user_id, "Pixel Works"));
    let roles: Vec<String> = developer_team_roles::table
        .filter(developer_team_roles::team_id.eq(team))
        .order(developer_team_roles::slug)
        .select(developer_team_roles::slug)
        .load(&mut *db)
        .await
        .unwrap();
    assert_eq!(roles, ["team-admin", "team-member", "team-owner"]);
    let members: i64 = developer_team_members::table
        .filter(developer_team_members::user_id.eq(person.user_id))
        .count()
        .get_result(&mut *db)
        .await
        .unwrap();
    assert_eq!(members, 1);
    drop(db);
    // The slug is that of the team; the person has one of their own.
    let slug = person.get("/v1/developer/profile").await.data()["slug"].clone();
    assert!(slug.as_str().unwrap().starts_with("developer-"), "{slug}");
    let entry = app.audited_once("developer:application_approved").await;
    assert_eq!(entry.metadata["team_id"], json!(team));
    app.stop().await;
}

#[tokio::test]
async fn admin_approve_developer_application_of_a_team_changes_everything_or_nothing() {
    const REFUSAL: [&str; 2] = [
        "CREATE FUNCTION refuse_roles() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$",
        "CREATE TRIGGER refuse_roles BEFORE INSERT ON developer_team_roles
         FOR EACH ROW EXECUTE FUNCTION refuse_roles()",
    ];
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (person, id) = applicant(&app, "team", "pixel-works").await;
    let run = async |sql: &str| {
        let mut db = app.databases.postgres.get().await.unwrap();
        sql_query(sql).execute(&mut *db).await.unwrap()
    };
    for sql in REFUSAL {
        run(sql).await;
    }
    assert_eq!(decide(&staff, id, "approve", json!({})).await.status, 500);
    let stored = person.get(PATH).await.data().clone();
    assert_eq!((&stored["status"], &stored["reviewed_by"]), (&json!("pending"), &Value::Null));
    for table in ["developer_profiles", "developer_teams", "developer_team_roles", "developer_team_members"] {
        assert_eq!(count(&app, table).await, 0, "{table}");
    }
    assert!(app.audited("developer:application_approved").await.is_empty());
    assert!(notifications(&person).await.is_empty());
    run("DROP TRIGGER refuse_roles ON developer_team_roles").await;

    // Nor does a slug that was taken meanwhile change anything.
    let owner = app.owner().await;
    app.developer_profile(owner.user_id).await;
    assert_eq!(run("UPDATE developer_profiles SET slug = 'pixel-works'").await, 1);
    let both = (
        decide(&staff, id, "approve", json!({})).await,
        gql_decide(&staff, id, "adminApproveDeveloperApplication", &json!({})).await,
    );
    both_refused(&both.0, &both.1, 409, "CONFLICT", "Slug is already taken");
    assert_eq!(person.get(PATH).await.data()["status"], "pending");
    assert_eq!(run("UPDATE developer_profiles SET slug = 'elsewhere'").await, 1);
    decide(&staff, id, "approve", json!({})).await.expect(200);
    assert_eq!(count(&app, "developer_team_roles").await, 3);
    app.stop().await;
}

#[tokio::test]
async fn admin_approve_developer_application_in_parallel_decides_once() {
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (person, id) = applicant(&app, "team", "pixel-works").await;
    let tries = ["approve", "reject", "approve", "reject"]
        .map(|decision| decide(&staff, id, decision, json!({ "notes": "Notes." })));
    let answers = futures::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 409).count(), 3);
    assert_eq!(notifications(&person).await.len(), 1);
    app.stop().await;
}

#[tokio::test]
async fn admin_reject_developer_application_needs_notes_and_frees_the_slug() {
    let app = TestApp::start().await;
    let staff = reviewer(&app).await;
    let (person, id) = applicant(&app, "solo", "pixel-works").await;
    let field = "adminRejectDeveloperApplication";
    for given in [json!({}), json!({ "notes": "  " })] {
        let both =
            (decide(&staff, id, "reject", given.clone()).await, gql_decide(&staff, id, field, &given).await);
        both_refused(&both.0, &both.1, 400, "VALIDATION_ERROR", "Review notes are required");
    }
    let long = json!({ "notes": "x".repeat(2001) });
    let both = (decide(&staff, id, "reject", long.clone()).await, gql_decide(&staff, id, field, &long).await);
    both_refused(&both.0, &both.1, 400, "VALIDATION_ERROR", "notes must be between 1 and 2000 characters");
    let rejected = gql_decide(&staff, id, field, &json!({ "notes": "Too short." })).await;
    assert_eq!(rejected.field(field), json!({ "success": true, "new_status": "REJECTED" }));
    assert_eq!(notifications(&person).await[0]["title"], "Developer application rejected");
    assert_eq!(app.audited_once("developer:application_rejected").await.scope, "system");
    let again = submit(&person, &body("solo", "pixel-works")).await.expect(201)["data"].clone();
    assert_eq!(*person.get(PATH).await.data(), again, "the latest one is returned");
    app.stop().await;
}

#[tokio::test]
async fn admin_reject_developer_application_needs_the_permission_and_an_application() {
    let app = TestApp::start().await;
    let (staff, reader) = (reviewer(&app).await, app.admin_with(&["developer-verification:read"]).await);
    let (_, id) = applicant(&app, "solo", "pixel-works").await;
    let given = json!({ "notes": "Notes." });
    for (decision, field) in
        [("approve", "adminApproveDeveloperApplication"), ("reject", "adminRejectDeveloperApplication")]
    {
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
        both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Developer application not found");
    }
    app.stop().await;
}

#[tokio::test]
async fn developer_application_ends_with_its_person() {
    let app = TestApp::start().await;
    let (staff, admin) = (reviewer(&app).await, app.system_admin().await);
    let (person, id) = applicant(&app, "solo", "pixel-works").await;
    decide(&staff, id, "approve", json!({})).await.expect(200);
    assert_eq!(admin.delete(&format!("/v1/admin/users/{}", person.user_id)).await.status, 204);
    let mut db = app.databases.postgres.get().await.unwrap();
    let applications: i64 = developer_applications::table.count().get_result(&mut *db).await.unwrap();
    let profiles: i64 = developer_profiles::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!((applications, profiles), (0, 0));
    drop(db);
    app.stop().await;
}
