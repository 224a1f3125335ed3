//! Linking of login providers (reference/credentials.md#linking).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp, both_refused};
use platforms_stand_in::{NewToken, Platform, User};
use serde_json::{Value, json};
use shared::schema::{login_assignments, login_connections, outbox};
use uuid::Uuid;

use super::{
    logins::{PROVIDERS, count, link_over_graphql, stored},
    not_first_party, sign_in, sign_in_with, signed_in, text,
};

pub(super) async fn flag(app: &TestApp, id: &Value) {
    let id: Uuid = id.as_str().unwrap().parse().unwrap();
    diesel::update(login_connections::table.find(id))
        .set(login_connections::reconnect_required.eq(true))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Assigns a login connection to the person in an account.
async fn assign(app: &TestApp, person: &Person, id: &Value, platform: &str) {
    let login: Uuid = id.as_str().unwrap().parse().unwrap();
    diesel::insert_into(login_assignments::table)
        .values((
            login_assignments::id.eq(Uuid::now_v7()),
            login_assignments::account_id.eq(person.account_id),
            login_assignments::user_id.eq(person.user_id),
            login_assignments::login_connection_id.eq(login),
            login_assignments::platform.eq(platform),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Events of a type in the outbox.
async fn published(app: &TestApp, event_type: &str) -> Vec<Value> {
    let payloads: Vec<Value> = outbox::table
        .filter(outbox::queue.eq("live_events"))
        .order(outbox::id.asc())
        .select(outbox::payload)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    payloads
        .into_iter()
        .map(|payload| payload["event"].clone())
        .filter(|event| event["event_type"] == event_type)
        .collect()
}

#[tokio::test]
async fn link_login_provider_adds_an_identity_that_signs_in() {
    let app = TestApp::start().await;
    let first = sign_in(&app, "ada").await;
    let caller = signed_in(&app, &first);
    for (n, (provider, platform)) in PROVIDERS.into_iter().enumerate() {
        let (user, access_token) = app.platforms.create_user(platform, "other");
        let input = sign_in_with(provider, &user, &access_token);
        let (linked, is_rest) = if n % 2 == 0 {
            let answer = caller.post("/v1/auth/link", input.clone()).await;
            assert_eq!(answer.status, 201, "{provider}: {}", answer.text);
            let address = format!("/v1/login-connections/{}", text(answer.data(), "/id"));
            assert_eq!(answer.body["_links"], json!({ "self": address }));
            (answer.data().clone(), true)
        } else {
            (link_over_graphql(&caller, &input).await.field("linkLoginProvider"), false)
        };
        assert_eq!(linked["provider"], platform.slug(), "{is_rest}");
        assert_eq!(linked["provider_user_id"], user.id.as_str());
        assert_eq!((&linked["reconnect_required"], &linked["is_primary_for"]), (&json!(false), &json!([])));
        assert_eq!(linked["confirmed"], true);
        let again = app.anonymous().post("/v1/auth/token", input).await;
        assert_eq!(again.data()["user_id"], first.data()["user_id"], "{provider}");
        assert_eq!(again.data()["is_new_user"], false);
    }
    let logins = caller.get("/v1/users/me/login-connections").await;
    assert_eq!(logins.data().as_array().unwrap().len(), 6);
    assert_eq!(count(&app, "users").await, 1);
    let connected = app.audited("connection:connected").await;
    assert_eq!(connected.len(), 6);
    assert!(connected.iter().all(|entry| entry.scope == "user"));
    assert_eq!(connected[1].metadata, json!({ "provider": "twitch" }));
}

#[tokio::test]
async fn link_login_provider_notifies_in_the_list_and_by_mail() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (user, access_token) = app.platforms.create_user(Platform::Kick, "other");
    let input = sign_in_with("kick", &user, &access_token);
    let linked = owner.post("/v1/auth/link", input.clone()).await;
    let listed = owner.get("/v1/notifications").await;
    let notice = &listed.data()["items"][0];
    assert_eq!(
        (&notice["type"], &notice["title"], &notice["message"]),
        (
            &json!("login_linked"),
            &json!("New sign-in with Kick"),
            &json!(
                "The Kick account other can sign in as you from now on. If you did not add it, remove it from your \
                 logins and delete API keys that you do not know."
            )
        )
    );
    assert_eq!(notice["data"], json!({ "connectionId": linked.data()["id"], "platform": "kick" }));
    assert_eq!(notice["actions"], json!([]));
    assert_eq!(count(&app, "mails").await, 1);

    // Linking it again and signing in add no notification.
    assert_eq!(owner.post("/v1/auth/link", input).await.status, 200);
    assert_eq!((count(&app, "mails").await, count(&app, "notifications").await), (1, 1));
    app.stop().await;
}

#[tokio::test]
async fn link_login_provider_again_renews_the_grant_and_clears_the_flag() {
    let app = TestApp::start().await;
    let answer = sign_in(&app, "ada").await;
    let caller = signed_in(&app, &answer);
    let user_id: Uuid = text(answer.data(), "/user_id").parse().unwrap();
    let (user, _) = app.platforms.create_user(Platform::Trovo, "other");
    let token_of = |user: &User| {
        app.platforms.issue_token(NewToken {
            platform: Platform::Trovo,
            user_id: Some(user.id.clone()),
            client_id: None,
            scopes: None,
            expires_in_secs: None,
        })
    };
    let link = async |over_graphql: bool| {
        let input = sign_in_with("trovo", &user, &token_of(&user));
        if over_graphql {
            return (200, link_over_graphql(&caller, &input).await.field("linkLoginProvider"));
        }
        let answer = caller.post("/v1/auth/link", input).await;
        (answer.status, answer.data().clone())
    };
    let (status, first) = link(false).await;
    assert_eq!(status, 201);
    let before = stored(&app, &first["id"]).await;
    let other = app.owner().await;
    app.join(other.account_id, user_id, "viewer").await;
    let member = app.session(user_id, other.account_id).await;
    assign(&app, &member, &first["id"], "trovo").await;

    for over_graphql in [false, true] {
        flag(&app, &first["id"]).await;
        let (status, again) = link(over_graphql).await;
        assert_eq!((status, &again["id"]), (200, &first["id"]));
        assert_eq!(again["reconnect_required"], false);
    }
    let after = stored(&app, &first["id"]).await;
    assert_ne!(after.1, before.1, "a new grant is stored");
    assert_eq!((after.2, after.3), (before.2 + 2, false));
    assert_eq!(app.audited("connection:reconnected").await.len(), 2);
    assert!(app.audited("connection:updated").await.is_empty());
    let events = published(&app, "connections:updated").await;
    assert_eq!(events.len(), 2);
    assert_eq!(events[0]["channel"], format!("account:{}", other.account_id));
    let data = json!({ "kind": "login", "platform": "trovo", "action": "reconnected" });
    assert_eq!(events[0]["data"], data);

    let (status, _) = link(false).await;
    assert_eq!(status, 200);
    app.audited_once("connection:updated").await;
}

#[tokio::test]
async fn link_login_provider_refuses_an_identity_of_another_user() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "bob");
    let input = sign_in_with("twitch", &user, &access_token);
    let bob = app.anonymous().post("/v1/auth/token", input.clone()).await;
    let logins = signed_in(&app, &bob).get("/v1/users/me/login-connections").await;
    let before = stored(&app, &logins.data()[0]["id"]).await;
    let ada = signed_in(&app, &sign_in(&app, "ada").await);
    let rest = ada.post("/v1/auth/link", input.clone()).await;
    let graphql = link_over_graphql(&ada, &input).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "This login belongs to another user");
    assert_eq!(stored(&app, &logins.data()[0]["id"]).await, before);
    assert_eq!(app.audited("connection:connected").await.len(), 2);
}

#[tokio::test]
async fn link_login_provider_is_first_party_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = sign_in_with("twitch", &user, &access_token);
    for caller in not_first_party(&app, &owner).await {
        let rest = caller.post("/v1/auth/link", input.clone()).await;
        let graphql = link_over_graphql(&caller, &input).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
    }
    let anonymous = app.anonymous();
    let rest = anonymous.post("/v1/auth/link", input.clone()).await;
    let graphql = link_over_graphql(&anonymous, &input).await;
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    assert_eq!(count(&app, "login_connections").await, 0);
    let key = app.personal_key(&owner, &[]).await;
    let linked = key.post("/v1/auth/link", input).await;
    assert_eq!((linked.status, &linked.data()["confirmed"]), (201, &json!(false)));
    assert_eq!(count(&app, "login_connections").await, 0);
}
