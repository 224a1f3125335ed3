//! Testers and access grants of a developer's extensions on the main API (reference/developers.md#main-api).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp, both_refused};
use serde_json::json;
use shared::schema::{notifications, users};
use uuid::Uuid;

use super::own_versions::{REVIEW, review};

const PATH: &str = "/v1/developer/extensions";

async fn named(app: &TestApp, person: &Person, username: &str) {
    diesel::update(users::table.find(person.user_id))
        .set(users::username.eq(username))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

async fn notification_messages(app: &TestApp, person: &Person) -> Vec<String> {
    notifications::table
        .filter(notifications::user_id.eq(person.user_id))
        .order(notifications::id)
        .select(notifications::message)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn extension_testers_are_invited_by_name_and_notified() {
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
    assert_eq!(
        notification_messages(&app, &one).await,
        ["You may install the versions of Greeter that are in testing."]
    );
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

    app.audited_once("extension:tester_invited").await;
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
async fn remove_extension_tester_removes_a_tester_once() {
    let app = TestApp::start().await;
    let (studio, other, tester) = (app.studio().await, app.studio().await, app.owner().await);
    let (person, extension) = (&studio.person, studio.extension("Greeter").await);
    named(&app, &tester, "tester-one").await;
    let path = format!("{PATH}/{extension}/testers");
    let invite = json!({ "username": "tester-one" });
    person.post(&path, invite.clone()).await.expect(201);
    let document = "mutation($id: UUID!, $userId: UUID!) { removeExtensionTester(id: $id, userId: $userId) }";
    let variables = json!({ "id": extension, "userId": tester.user_id });
    let remove = async |caller: &Caller| {
        let rest = caller.delete(&format!("{path}/{}", tester.user_id)).await;
        (rest, caller.graphql(document, variables.clone()).await)
    };
    let (rest, graphql) = remove(&other.person).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Extension not found");
    let weak = app.personal_key(person, &["extension-dev:read"]).await;
    let (rest, graphql) = remove(&weak).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "This credential does not carry extension-dev:edit");

    // The first call removes the tester, and the second finds none.
    let (rest, graphql) = remove(person).await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "Tester not found");
    assert_eq!(person.get(&path).await.data(), &json!([]));
    let (rest, graphql) = remove(person).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Tester not found");
    app.audited_once("extension:tester_removed").await;
    person.post(&path, invite).await.expect(201);
    let removed = person.graphql(document, variables.clone()).await;
    assert_eq!(removed.field("removeExtensionTester"), json!(true));
    assert_eq!(person.get(&path).await.data(), &json!([]));
}

#[tokio::test]
async fn invite_extension_tester_is_limited_by_the_plan() {
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
async fn grant_extension_access_lets_an_account_install_a_private_extension() {
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
    assert_eq!(notification_messages(&app, &owner).await, ["Test account may now install Private."]);
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
    owner.post("/v1/extension-installs", install).await.expect(201);
    app.audited_once("extension:access_granted").await;

    sql_query(
        "INSERT INTO accounts (id, name, slug, owner_id, plan_id)
         SELECT gen_random_uuid(), 'Many', 'many-' || n, owner_id, plan_id FROM accounts, generate_series(1, 100) AS n
         WHERE accounts.id = $1",
    )
    .bind::<diesel::sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    sql_query(
        "INSERT INTO extension_access_grants (extension_id, account_id) SELECT $1, id FROM accounts WHERE name = 'Many'",
    )
    .bind::<diesel::sql_types::Uuid, _>(extension)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    let input = json!({ "account_id": app.owner().await.account_id });
    both_refused(
        &person.post(&path, input.clone()).await,
        &person.mutate_at("grantExtensionAccess", &[("id", extension)], &input, grant).await,
        403,
        "PLAN_LIMIT_REACHED",
        "Access grant limit reached",
    );
}

#[tokio::test]
async fn extension_access_grants_lists_the_oldest_grant_first() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let (person, extension) = (&studio.person, studio.extension("Private").await);
    let path = format!("{PATH}/{extension}/access");
    let mut granted = Vec::new();
    for owner in [app.owner().await, app.owner().await] {
        let input = json!({ "account_id": owner.account_id });
        granted.push(person.post(&path, input).await.expect(201)["data"].clone());
        app.clock.advance(chrono::Duration::seconds(5));
    }
    let list = async |caller: &Caller| {
        let document = "query($id: UUID!) { extensionAccessGrants(id: $id)
            { accountId accountName grantedBy createdAt } }";
        (caller.get(&path).await, caller.graphql(document, json!({ "id": extension })).await)
    };
    let (rest, graphql) = list(person).await;
    assert_eq!(rest.data(), &json!(granted));
    assert_eq!(graphql.field("extensionAccessGrants"), json!(granted));
    let (rest, graphql) = list(&other.person).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Extension not found");
    let weak = app.personal_key(person, &["extension-dev:edit"]).await;
    let (rest, graphql) = list(&weak).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "This credential does not carry extension-dev:read");
}

#[tokio::test]
async fn revoke_extension_access_refuses_new_installs_and_keeps_existing_ones() {
    let app = TestApp::start().await;
    let (studio, other, owner) = (app.studio().await, app.studio().await, app.owner().await);
    let reviewer = app.admin_with(&REVIEW).await;
    let (person, extension) = (&studio.person, studio.extension("Private").await);
    let version = studio.version(extension, "1.0.0", &json!({})).await;
    review(&reviewer, &version.to_string(), "publish").await.data();
    let path = format!("{PATH}/{extension}/access");
    person.post(&path, json!({ "account_id": owner.account_id })).await.expect(201);
    let install = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
    let installed = owner.post("/v1/extension-installs", install.clone()).await.data()["id"].clone();
    let document =
        "mutation($id: UUID!, $accountId: UUID!) { revokeExtensionAccess(id: $id, accountId: $accountId) }";
    let variables = json!({ "id": extension, "accountId": owner.account_id });
    let revoke = async |caller: &Caller| {
        let rest = caller.delete(&format!("{path}/{}", owner.account_id)).await;
        (rest, caller.graphql(document, variables.clone()).await)
    };
    let (rest, graphql) = revoke(&other.person).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Extension not found");
    let weak = app.personal_key(person, &["extension-dev:read"]).await;
    let (rest, graphql) = revoke(&weak).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "This credential does not carry extension-dev:edit");

    let revoked = person.graphql(document, variables.clone()).await;
    assert_eq!(revoked.field("revokeExtensionAccess"), json!(true));
    let (rest, graphql) = revoke(person).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Access grant not found");
    app.audited_once("extension:access_revoked").await;
    let path_of_install = format!("/v1/extension-installs/{}", installed.as_str().unwrap());
    owner.get(&path_of_install).await.expect(200);
    owner.delete(&path_of_install).await.expect(204);
    owner.post("/v1/extension-installs", install).await.refused("NOT_FOUND", "Extension not found");
}
