//! Attempts to take a user over with a key of one scope.

use lumio_tests::{TestApp, both_refused};
use serde_json::json;

use super::{REFUSED, act, link, logins, notices, proof, signs_in, victim, waiting_mails};
use crate::{logins::link_over_graphql, refresh};

#[tokio::test]
async fn takeover_of_a_user_by_a_key_is_prevented() {
    let app = TestApp::start().await;
    let victim = victim(&app, "ada").await;
    let (person, key) = (&victim.person, &victim.key);
    let other_key = app.personal_key(person, &["chat:read"]).await;
    let thief = proof(&app, "thief");

    let linked = link(key, &thief).await;
    assert_eq!((linked.status, &linked.data()["confirmed"]), (201, &json!(false)), "{}", linked.text);
    let id = linked.data()["id"].as_str().unwrap().to_owned();
    assert_eq!(signs_in(&app, &thief).await, None);
    let notice = notices(person).await.remove(0);
    let primary = json!({ "login_connection_id": id });
    let assigned = json!({ "login_connection_id": id, "provider": "kick" });
    for key in [key, &other_key] {
        // A pending login cannot be used.
        key.put("/v1/accounts/primary-connection", primary.clone()).await.refused_with("NOT_FOUND");
        key.post("/v1/accounts/login-assignments", assigned.clone()).await.refused_with("NOT_FOUND");
        key.put(&format!("/v1/login-connections/{id}/reconnect-flag"), json!({}))
            .await
            .refused_with("NOT_FOUND");
        // No key confirms or deletes the notification.
        for action in ["confirm_login", "decline_login"] {
            let [rest, graphql] = act(key, &notice, action).await;
            both_refused(&rest, &graphql, 403, "FORBIDDEN", REFUSED);
        }
        let path = format!("/v1/notifications/{}", notice["id"].as_str().unwrap());
        let document = "mutation($id: UUID!) { deleteNotification(id: $id) }";
        let graphql = key.graphql(document, json!({ "id": notice["id"] })).await;
        both_refused(&key.delete(&path).await, &graphql, 403, "FORBIDDEN", REFUSED);
        // No key locks its user out.
        for login in [id.clone(), victim.login.to_string()] {
            let document = "mutation($id: UUID!) { disconnectLoginConnection(loginConnectionId: $id) }";
            let graphql = key.graphql(document, json!({ "id": login })).await;
            let rest = key.delete(&format!("/v1/login-connections/{login}")).await;
            both_refused(&rest, &graphql, 403, "FORBIDDEN", REFUSED);
        }
        let document = "mutation($id: UUID!) { revokeSession(id: $id) }";
        let graphql = key.graphql(document, json!({ "id": person.session_id })).await;
        let rest = key.delete(&format!("/v1/users/me/sessions/{}", person.session_id)).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", REFUSED);
        key.delete("/v1/users/me/sessions").await.expect(204);
        assert!(key.graphql("mutation { revokeOtherSessions }", json!({})).await.body["errors"].is_null());
        let graphql = key.mutate("updateMe", &json!({ "email": null }), "{ email }").await;
        let rest = key.patch("/v1/users/me", json!({ "email": null })).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", REFUSED);
    }
    // A popout of the person reaches none of these operations either.
    let popout = app.popout(person, &["account:read"]).await;
    let [rest, graphql] = act(&popout, &notice, "confirm_login").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", REFUSED);

    assert_eq!(signs_in(&app, &thief).await, None);
    assert_eq!(logins(person).await.len(), 2);
    refresh(&app, &victim.refresh_token).await.expect(200);
    assert!(app.audited("session:revoked").await.is_empty());
    // A sign-in with the identity creates another user.
    let own = app.anonymous().post("/v1/auth/token", thief).await;
    assert_eq!(own.data()["is_new_user"], true);
    assert_ne!(own.data()["user_id"], json!(person.user_id));
}

#[tokio::test]
async fn link_login_provider_by_a_key_limits_mails_and_blocks_no_session() {
    let app = TestApp::start().await;
    app.begin_a_window(60);
    let victim = victim(&app, "ada").await;
    let (person, key) = (&victim.person, &victim.key);
    let proofs: Vec<_> = (0..6).map(|n| proof(&app, &format!("other{n}"))).collect();
    for proof in &proofs[..5] {
        link(key, proof).await.expect(201);
        // A repeated request keeps its expiry and notifies once.
        let again = link_over_graphql(key, proof).await.field("linkLoginProvider");
        assert_eq!(again["provider"], "kick");
        assert_eq!(link(key, proof).await.status, 200);
    }
    let graphql = link_over_graphql(key, &proofs[5]).await;
    let message = "At most 5 logins wait for confirmation at a time";
    both_refused(&link(key, &proofs[5]).await, &graphql, 409, "CONFLICT", message);
    assert_eq!((waiting_mails(&app, person).await, notices(person).await.len()), (5, 5));
    assert_eq!(app.audited("connection:link_requested").await.len(), 5);
    link(person, &proofs[5]).await.expect(201);
    assert_eq!(signs_in(&app, &proofs[5]).await, Some(person.user_id));
}
