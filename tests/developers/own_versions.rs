//! Versions, testers and access grants of a developer's extensions on the main API (specification C B1.2–B1.4, B1.6).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Answer, Caller, Person, TestApp, both_refused,
    extensions::{SERVER, bundle, manifest, multipart},
};
use serde_json::{Value, json};
use shared::db::schema::{extension_approvals, extension_versions, notifications, users};
use uuid::Uuid;

const PATH: &str = "/v1/developer/extensions";
const VERSION: &str = "{ id version status changelog breaking needsEnhancedReview bundleSizeBytes reviewNotes submittedAt approvedAt }";
const REVIEW: [&str; 2] = ["extension-review:read", "extension-review:edit"];

async fn upload(caller: &Caller, extension: Uuid, version: &str, changes: &Value) -> Answer {
    let packed = bundle(&manifest(extension, version, changes), Some(SERVER));
    let fields = [("version", version.as_bytes()), ("changelog", b"New."), ("bundle", packed.as_slice())];
    let (content_type, body) = multipart(&fields);
    caller.post_raw(&format!("{PATH}/{extension}/versions"), &content_type, body).await
}

/// Moves a version; `name` is its id or number.
async fn step(caller: &Caller, extension: Uuid, name: &str, step: &str) -> Answer {
    caller.post(&format!("{PATH}/{extension}/versions/{name}/{step}"), json!({})).await
}

async fn step_over_graphql(caller: &Caller, extension: Uuid, name: &str, field: &str) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $version: String!) {{ {field}(id: $id, version: $version) {VERSION} }}"
    );
    caller.graphql(&document, json!({ "id": extension, "version": name })).await
}

async fn review(reviewer: &Caller, version: &str, decision: &str) -> Answer {
    let body = json!({ "notes": "Too loud." });
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/{decision}"), body).await
}

/// Status of the extension.
async fn status(caller: &Caller, extension: Uuid) -> String {
    let detail = caller.get(&format!("{PATH}/{extension}")).await;
    detail.data()["extension"]["status"].as_str().unwrap().to_owned()
}

async fn named(app: &TestApp, person: &Person, username: &str) {
    diesel::update(users::table.find(person.user_id))
        .set(users::username.eq(username))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

async fn told(app: &TestApp, person: &Person) -> Vec<String> {
    notifications::table
        .filter(notifications::user_id.eq(person.user_id))
        .order(notifications::id)
        .select(notifications::message)
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_version_is_uploaded_by_the_same_rules_as_at_the_developer_api() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (person, extension) = (&studio.person, studio.extension("Greeter").await);
    let uploaded = upload(person, extension, "1.0.0", &json!({})).await;
    assert_eq!(uploaded.status, 202, "{}", uploaded.text);
    let data = uploaded.data();
    assert_eq!(data.as_object().unwrap().len(), 10);
    assert_eq!(
        (&data["version"], &data["status"], &data["changelog"], &data["approved_at"]),
        (&json!("1.0.0"), &json!("pending"), &json!("New."), &Value::Null)
    );
    assert_eq!(status(person, extension).await, "in_review");
    let audited = app.audited_once("extension:version_submitted").await;
    assert_eq!(audited.actor_id, Some(person.user_id));

    let again = upload(person, extension, "1.0.0", &json!({})).await;
    assert_eq!(again.status, 409);
    again.refused("CONFLICT", "Version already exists");
    let wrong = upload(person, extension, "1.1.0", &json!({ "permissions": ["obs:control"] })).await;
    assert_eq!(wrong.status, 400);
    wrong.refused("VALIDATION_ERROR", "Invalid permission: obs:control");
    let fields = wrong.body["details"]["fields"].as_array().unwrap().clone();
    let unknown = json!({ "field": "permissions[0]", "message": "Invalid permission: obs:control" });
    assert_eq!(fields[0], unknown);
    // The allowed ones are told once.
    assert_eq!((fields.len(), &fields[1]["field"]), (2, &json!("permissions")));
    let reviewer = app.admin_with(&REVIEW).await;
    review(&reviewer, data["id"].as_str().unwrap(), "publish").await.data();
    let older = upload(person, extension, "0.9.0", &json!({})).await;
    older.refused("CONFLICT", "Version must be greater than 1.0.0");
    sql_query(
        "INSERT INTO extension_versions (id, extension_id, version, manifest, bundle_size_bytes, status)
         SELECT gen_random_uuid(), $1, '0.0.' || n, '{}', 0, 'rejected' FROM generate_series(1, 499) AS n",
    )
    .bind::<diesel::sql_types::Uuid, _>(extension)
    .execute(&mut *app.state.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    let full = upload(person, extension, "2.0.0", &json!({})).await;
    assert_eq!(full.status, 403);
    full.refused("PLAN_LIMIT_REACHED", "An extension can have at most 500 versions");
    let key = app.personal_key(person, &["extension-dev:read"]).await;
    let weak = upload(&key, extension, "3.0.0", &json!({})).await;
    weak.refused("FORBIDDEN", "This credential does not carry extension-dev:publish");
}

#[tokio::test]
async fn the_developer_moves_versions_as_the_state_machine_allows() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
    let (person, extension) = (&studio.person, studio.extension("Greeter").await);
    let id = studio.version(extension, "1.0.0", &json!({ "permissions": ["chat:read", "chat:ban"] })).await;
    let name = id.to_string();
    review(&reviewer, &name, "publish").await.data();
    let approvals = async || -> i64 {
        let of = extension_approvals::table.filter(extension_approvals::version_id.eq(id)).count();
        of.get_result(&mut *app.state.databases.postgres.get().await.unwrap()).await.unwrap()
    };
    assert_eq!(approvals().await, 1, "one of two");

    for (route, field, message) in [
        ("submit", "submitExtensionVersion", "A version that is pending cannot be submitted"),
        (
            "request-publication",
            "requestExtensionPublication",
            "A version that is pending cannot be requested for publication",
        ),
        ("abandon", "abandonExtensionVersion", "A version that is pending cannot be abandoned"),
    ] {
        both_refused(
            &step(person, extension, "1.0.0", route).await,
            &step_over_graphql(person, extension, &name, field).await,
            409,
            "CONFLICT",
            message,
        );
    }
    assert_eq!(step(person, extension, "1.0.0", "withdraw").await.data()["status"], "draft");
    both_refused(
        &step(person, extension, "1.0.0", "withdraw").await,
        &step_over_graphql(person, extension, "1.0.0", "withdrawExtensionVersion").await,
        409,
        "CONFLICT",
        "A version that is draft cannot be withdrawn",
    );
    let again = step_over_graphql(person, extension, &name, "submitExtensionVersion").await;
    assert_eq!(again.field("submitExtensionVersion")["status"], "PENDING");
    assert_eq!((approvals().await, status(person, extension).await.as_str()), (0, "in_review"));

    review(&reviewer, &name, "approve-testing").await.data();
    assert_eq!(status(person, extension).await, "testing");
    assert_eq!(step(person, extension, &name, "abandon").await.data()["status"], "draft");
    step(person, extension, &name, "submit").await.data();
    review(&reviewer, &name, "approve-testing").await.data();
    let asked = step_over_graphql(person, extension, "1.0.0", "requestExtensionPublication").await;
    assert_eq!(asked.field("requestExtensionPublication")["status"], "PENDING_PUBLISH");
    assert_eq!(status(person, extension).await, "pending_publish");
    review(&reviewer, &name, "reject").await.data();
    assert_eq!(status(person, extension).await, "rejected");
    let detail = person.get(&format!("{PATH}/{extension}")).await.data()["versions"][0].clone();
    assert_eq!((&detail["status"], &detail["review_notes"]), (&json!("rejected"), &json!("Too loud.")));

    for (entries, times) in [
        (app.audited("extension:version_withdrawn").await, 1),
        (app.audited("extension:version_resubmitted").await, 2),
        (app.audited("extension:version_abandoned").await, 1),
        (app.audited("extension:version_publication_requested").await, 1),
    ] {
        assert_eq!(entries.len(), times, "{entries:?}");
        assert_eq!(entries[0].metadata, json!({ "extension_id": extension, "version": "1.0.0" }));
    }
    for missing in ["9.9.9", &Uuid::nil().to_string()] {
        both_refused(
            &step(person, extension, missing, "withdraw").await,
            &step_over_graphql(person, extension, missing, "withdrawExtensionVersion").await,
            404,
            "NOT_FOUND",
            "Extension version not found",
        );
    }
}

#[tokio::test]
async fn a_version_that_stops_running_is_announced() {
    for is_rejected in [false, true] {
        let app = TestApp::start().await;
        let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
        let (person, extension) = (&studio.person, studio.extension("Greeter").await);
        let version = studio.version(extension, "1.0.0", &json!({})).await;
        let body = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
        person.post("/v1/extension-installs", body).await.expect(201);
        let mut channel = app.state.redis.pubsub().await.unwrap();
        channel.subscribe(app.state.redis.key(format!("bot_modules:{}", person.account_id))).await.unwrap();
        if is_rejected {
            review(&reviewer, &version.to_string(), "reject").await.data();
        } else {
            step(person, extension, "1.0.0", "withdraw").await.data();
        }
        let mut messages = channel.on_message();
        let heard = futures::StreamExt::next(&mut messages);
        let message = tokio::time::timeout(lumio_tests::DEADLINE, heard).await.unwrap().unwrap();
        let frame: Value = serde_json::from_slice(message.get_payload_bytes()).unwrap();
        assert_eq!(frame, json!({ "type": "refresh" }));
    }
}

#[tokio::test]
async fn a_draft_that_was_overtaken_is_not_submitted() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
    let (person, extension) = (&studio.person, studio.extension("Greeter").await);
    studio.version(extension, "1.0.0", &json!({})).await;
    step(person, extension, "1.0.0", "withdraw").await.data();
    let newer = studio.version(extension, "2.0.0", &json!({})).await;
    review(&reviewer, &newer.to_string(), "publish").await.data();
    both_refused(
        &step(person, extension, "1.0.0", "submit").await,
        &step_over_graphql(person, extension, "1.0.0", "submitExtensionVersion").await,
        409,
        "CONFLICT",
        "Version must be greater than 2.0.0",
    );
    let kept: String = extension_versions::table
        .filter(extension_versions::version.eq("1.0.0").and(extension_versions::extension_id.eq(extension)))
        .select(extension_versions::status)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(kept, "draft");
}

#[tokio::test]
async fn testers_are_invited_by_name_told_and_removed() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (person, extension) = (&studio.person, studio.extension("Greeter").await);
    let (one, two) = (app.owner().await, app.owner().await);
    named(&app, &one, "Tester-One").await;
    named(&app, &two, "twin").await;
    named(&app, &app.owner().await, "TWIN").await;
    let path = format!("{PATH}/{extension}/testers");
    let tester = "{ userId username displayName avatarUrl createdAt }";
    let input = json!({ "username": " tester-one " });
    let invited = person.post(&path, input.clone()).await;
    assert_eq!(invited.status, 201, "{}", invited.text);
    assert_eq!(
        (&invited.data()["user_id"], &invited.data()["username"]),
        (&json!(one.user_id), &json!("Tester-One"))
    );
    assert_eq!(told(&app, &one).await, ["You may install the versions of Greeter that are in testing."]);
    for (username, status, code, message) in [
        ("tester-one", 409, "CONFLICT", "This person is a tester already"),
        ("twin", 409, "CONFLICT", "Several people have this username"),
        ("nobody-at-all", 404, "NOT_FOUND", "User not found"),
        (" ", 400, "VALIDATION_ERROR", "username must not be empty"),
    ] {
        let input = json!({ "username": username });
        both_refused(
            &person.post(&path, input.clone()).await,
            &person.mutate_at("inviteExtensionTester", &[("id", extension)], &input, tester).await,
            status,
            code,
            message,
        );
    }
    let listed = person.get(&path).await;
    let document = format!("query($id: UUID!) {{ extensionTesters(id: $id) {tester} }}");
    let twin = person.graphql(&document, json!({ "id": extension })).await;
    assert_eq!((&twin.field("extensionTesters"), listed.data()), (listed.data(), &json!([invited.data()])));

    let remove = "mutation($id: UUID!, $userId: UUID!) { removeExtensionTester(id: $id, userId: $userId) }";
    assert_eq!(person.delete(&format!("{path}/{}", one.user_id)).await.status, 204);
    both_refused(
        &person.delete(&format!("{path}/{}", one.user_id)).await,
        &person.graphql(remove, json!({ "id": extension, "userId": one.user_id })).await,
        404,
        "NOT_FOUND",
        "Tester not found",
    );
    app.audited_once("extension:tester_invited").await;
    app.audited_once("extension:tester_removed").await;
    let popout = app.popout(person, &["extension-dev:edit"]).await;
    both_refused(
        &popout.post(&path, input.clone()).await,
        &popout.mutate_at("inviteExtensionTester", &[("id", extension)], &input, tester).await,
        403,
        "FORBIDDEN",
        "First-party session required",
    );
}

#[tokio::test]
async fn five_testers_are_the_most_on_free_and_twenty_on_others() {
    let app = TestApp::start().await;
    for (plan, most) in [("free", 5), ("pro", 20)] {
        let person = app.owner_on(plan).await;
        app.override_every_feature(person.account_id, true).await;
        app.developer_profile(person.user_id).await;
        let created = person.post(PATH, json!({ "name": format!("On {plan}") })).await.data().clone();
        let path = format!("{PATH}/{}/testers", created["id"].as_str().unwrap());
        for n in 0..=most {
            let username = format!("{plan}-tester-{n}");
            app.user(&username).await;
            let answer = person.post(&path, json!({ "username": username })).await;
            if n < most {
                assert_eq!(answer.status, 201, "{}", answer.text);
            } else {
                assert_eq!(answer.status, 403);
                answer.refused("PLAN_LIMIT_REACHED", "Tester limit reached");
                assert_eq!(answer.body["details"], json!({ "limit": most }));
            }
        }
        assert_eq!(person.get(&path).await.data().as_array().unwrap().len(), most);
    }
}

#[tokio::test]
async fn accounts_are_granted_access_to_private_extensions_and_lose_it() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, app.admin_with(&REVIEW).await, app.owner().await);
    let (person, extension) = (&studio.person, studio.extension("Private").await);
    let version = studio.version(extension, "1.0.0", &json!({})).await;
    review(&reviewer, &version.to_string(), "publish").await.data();
    let path = format!("{PATH}/{extension}/access");
    let grant = "{ accountId accountName grantedBy createdAt }";
    let install = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
    owner.post("/v1/extension-installs", install.clone()).await.refused("NOT_FOUND", "Extension not found");

    let input = json!({ "account_id": owner.account_id });
    let granted = person.post(&path, input.clone()).await;
    assert_eq!(granted.status, 201, "{}", granted.text);
    assert_eq!(
        (&granted.data()["account_name"], &granted.data()["granted_by"]),
        (&json!("Test account"), &json!(person.user_id))
    );
    assert_eq!(told(&app, &owner).await, ["Test account may now install Private."]);
    both_refused(
        &person.post(&path, input.clone()).await,
        &person.mutate_at("grantExtensionAccess", &[("id", extension)], &input, grant).await,
        409,
        "CONFLICT",
        "The account has access already",
    );
    let unknown = json!({ "account_id": Uuid::now_v7() });
    both_refused(
        &person.post(&path, unknown.clone()).await,
        &person.mutate_at("grantExtensionAccess", &[("id", extension)], &unknown, grant).await,
        404,
        "NOT_FOUND",
        "Account not found",
    );
    let listed = person.get(&path).await;
    let document = format!("query($id: UUID!) {{ extensionAccessGrants(id: $id) {grant} }}");
    let twin = person.graphql(&document, json!({ "id": extension })).await;
    assert_eq!(
        (&twin.field("extensionAccessGrants"), listed.data()),
        (listed.data(), &json!([granted.data()]))
    );
    let installed = owner.post("/v1/extension-installs", install.clone()).await.data()["id"].clone();

    let revoke =
        "mutation($id: UUID!, $accountId: UUID!) { revokeExtensionAccess(id: $id, accountId: $accountId) }";
    let variables = json!({ "id": extension, "accountId": owner.account_id });
    assert_eq!(person.graphql(revoke, variables.clone()).await.field("revokeExtensionAccess"), json!(true));
    both_refused(
        &person.delete(&format!("{path}/{}", owner.account_id)).await,
        &person.graphql(revoke, variables).await,
        404,
        "NOT_FOUND",
        "Access grant not found",
    );
    let path_of_install = format!("/v1/extension-installs/{}", installed.as_str().unwrap());
    assert_eq!(owner.get(&path_of_install).await.status, 200, "what is installed stays");
    assert_eq!(owner.delete(&path_of_install).await.status, 204);
    owner.post("/v1/extension-installs", install).await.refused("NOT_FOUND", "Extension not found");
    app.audited_once("extension:access_granted").await;
    app.audited_once("extension:access_revoked").await;

    sql_query(
        "INSERT INTO accounts (id, name, slug, owner_id, plan_id)
         SELECT gen_random_uuid(), 'Many', 'many-' || n, owner_id, plan_id FROM accounts, generate_series(1, 100) AS n
         WHERE accounts.id = $1",
    )
    .bind::<diesel::sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.state.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    sql_query(
        "INSERT INTO extension_access_grants (extension_id, account_id) SELECT $1, id FROM accounts WHERE name = 'Many'",
    )
    .bind::<diesel::sql_types::Uuid, _>(extension)
    .execute(&mut *app.state.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    both_refused(
        &person.post(&path, input.clone()).await,
        &person.mutate_at("grantExtensionAccess", &[("id", extension)], &input, grant).await,
        403,
        "PLAN_LIMIT_REACHED",
        "Access grant limit reached",
    );
}
