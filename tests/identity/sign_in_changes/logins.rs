//! Logins that a key linked, until a session confirms or declines them.

use chrono::Duration;
use foundation::{
    crypto::SecretLocation,
    jobs::{Housekeep, HousekeepingTask},
};
use futures::future::join;
use lumio_tests::{TestApp, both_refused};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::id;

use super::{act, act_over, done, link, logins, notices, proof, signs_in, victim, waiting_mails};
use crate::logins::{count, stored};
use lumio_tests::world::{eventually, workers};

#[tokio::test]
async fn run_notification_action_confirms_a_login_linked_by_a_key() {
    let app = TestApp::start().await;
    for over_graphql in [false, true] {
        let victim = victim(&app, if over_graphql { "bob" } else { "ada" }).await;
        let (person, key) = (&victim.person, &victim.key);
        let proof = proof(&app, "second");
        let linked = link(key, &proof).await;
        assert_eq!(linked.status, 201, "{}", linked.text);
        let id = linked.data()["id"].clone();
        assert_eq!(linked.body["_links"]["self"], format!("/v1/login-connections/{}", id.as_str().unwrap()));
        // The session and the key see the same.
        for caller in [&person.caller, key] {
            let listed = logins(caller).await;
            assert_eq!((listed.len(), &listed[1]["id"], &listed[1]["confirmed"]), (2, &id, &json!(false)));
            assert_eq!(listed[0]["confirmed"], true);
        }
        let notice = notices(person).await.remove(0);
        assert_eq!(notice["title"], "Confirm the new sign-in with Kick");
        let name = proof["profile"]["display_name"].as_str().unwrap();
        let message = format!(
            "An API key asks to let the Kick account {name} sign in as you. It cannot unless you confirm it in your \
             notifications within 24 hours. If you did not ask for it, decline it and delete API keys that you do \
             not know."
        );
        assert_eq!(notice["message"], message);
        assert_eq!((&notice["data"]["connectionId"], &notice["data"]["platform"]), (&id, &json!("kick")));
        assert_eq!(
            notice["actions"],
            json!([{ "key": "confirm_login", "label": "Confirm" }, { "key": "decline_login", "label": "Decline" }])
        );
        assert_eq!(waiting_mails(&app, person).await, 1);

        let stranger = app.owner().await;
        act_over(&stranger, &notice, "confirm_login", over_graphql).await.refused_with("NOT_FOUND");
        done(&act_over(person, &notice, "confirm_login", over_graphql).await, over_graphql);
        assert_eq!(signs_in(&app, &proof).await, Some(person.user_id));
        let listed = logins(person).await;
        assert_eq!((listed.len(), &listed[1]["id"], &listed[1]["confirmed"]), (2, &id, &json!(true)));
        assert!(notices(person).await.is_empty());
        act_over(person, &notice, "confirm_login", over_graphql).await.refused_with("NOT_FOUND");

        // Its grant was stored with it.
        let (owner, sealed, ..) = stored(&app, &id).await;
        let row = id.as_str().unwrap();
        let place = SecretLocation { table: "login_connections", column: "access_token", row };
        let token = app.state.keyring.open(place, &sealed).unwrap();
        assert_eq!((owner, token.expose()), (person.user_id, proof["access_token"].as_str().unwrap()));
    }
    assert_eq!(count(&app, "unconfirmed_logins").await, 0);
    assert_eq!(app.audited("connection:connected").await.len(), 4);
}

#[tokio::test]
async fn run_notification_action_declines_a_login_linked_by_a_key() {
    let app = TestApp::start().await;
    let victim = victim(&app, "ada").await;
    let person = &victim.person;
    for over_graphql in [false, true] {
        let proof = proof(&app, "second");
        link(&victim.key, &proof).await.expect(201);
        let notice = notices(person).await.remove(0);
        done(&act_over(person, &notice, "decline_login", over_graphql).await, over_graphql);
        assert_eq!((signs_in(&app, &proof).await, logins(person).await.len()), (None, 1));
        assert!(notices(person).await.is_empty());
    }
    assert_eq!(app.audited("connection:link_declined").await.len(), 2);
}

#[tokio::test]
async fn disconnect_login_connection_declines_a_login_linked_by_a_key() {
    let app = TestApp::start().await;
    let victim = victim(&app, "ada").await;
    let person = &victim.person;
    let linked = link(&victim.key, &proof(&app, "second")).await;
    let path = format!("/v1/login-connections/{}", linked.data()["id"].as_str().unwrap());
    person.delete(&path).await.expect(204);
    person.delete(&path).await.refused("NOT_FOUND", "Login connection not found");
    assert_eq!((logins(person).await.len(), notices(person).await.len()), (1, 0));
    assert_eq!(app.audited("connection:link_declined").await.len(), 1);
    assert!(app.audited("connection:disconnected").await.is_empty());
}

#[tokio::test]
async fn run_notification_action_confirms_no_login_after_a_day() {
    let app = TestApp::start().await;
    let victim = victim(&app, "ada").await;
    let (person, proof) = (&victim.person, proof(&app, "second"));
    link(&victim.key, &proof).await.expect(201);
    let notice = notices(person).await.remove(0);
    app.clock.advance(Duration::hours(24));
    let person = app.session(person.user_id, person.account_id).await;
    assert_eq!((logins(&person).await.len(), count(&app, "unconfirmed_logins").await), (1, 1));
    let [rest, graphql] = act(&person, &notice, "confirm_login").await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Login does not wait for confirmation");
    assert_eq!(signs_in(&app, &proof).await, None);

    // Linking it again starts a new request.
    let again = link(&victim.key, &proof).await;
    assert_eq!(again.status, 201, "{}", again.text);
    assert_eq!(notices(&person).await.len(), 1);
    app.clock.advance(Duration::hours(24) + Duration::seconds(1));
    let forget = Housekeep { task: HousekeepingTask::ForgetHandled };
    assert!(app.state.jobs.enqueue(&forget, &id::new().to_string()).await.unwrap());
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    eventually("the row goes", async || count(&app, "unconfirmed_logins").await == 0).await;
    running.stop().await.unwrap();
    let person = app.session(person.user_id, person.account_id).await;
    let notice = notices(&person).await.remove(0);
    let [rest, graphql] = act(&person, &notice, "confirm_login").await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Login does not wait for confirmation");
    done(&act_over(&person, &notice, "decline_login", false).await, false);
    assert!(notices(&person).await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn link_login_provider_by_a_key_reserves_no_identity() {
    let app = TestApp::start().await;
    let (ada, bob) = (victim(&app, "ada").await, victim(&app, "bob").await);
    let (by_sign_in, by_link, twice) = (proof(&app, "one"), proof(&app, "two"), proof(&app, "three"));
    for proof in [&by_sign_in, &by_link, &twice] {
        link(&ada.key, proof).await.expect(201);
    }
    let of = |notices: &[Value], name: &str| -> Value {
        let found = notices.iter().find(|notice| notice["message"].as_str().unwrap().contains(name));
        found.unwrap().clone()
    };
    let asked = notices(&ada.person).await;
    let others = "This login belongs to another user";

    // The owner of the identity signs in and becomes a user of their own.
    let owner = app.anonymous().post("/v1/auth/token", by_sign_in.clone()).await;
    assert_eq!((&owner.data()["is_new_user"], owner.status), (&json!(true), 200));
    let [rest, graphql] = act(&ada.person, &of(&asked, "account one"), "confirm_login").await;
    both_refused(&rest, &graphql, 409, "CONFLICT", others);

    // Another user links it.
    link(&bob.person, &by_link).await.expect(201);
    let [rest, graphql] = act(&ada.person, &of(&asked, "account two"), "confirm_login").await;
    both_refused(&rest, &graphql, 409, "CONFLICT", others);
    assert_eq!(signs_in(&app, &by_link).await, Some(bob.person.user_id));

    // Two requests wait for the same identity and are confirmed in parallel.
    link(&bob.key, &twice).await.expect(201);
    let bobs = of(&notices(&bob.person).await, "account three");
    let adas = of(&asked, "account three");
    let (one, other) = join(
        act_over(&ada.person, &adas, "confirm_login", false),
        act_over(&bob.person, &bobs, "confirm_login", true),
    )
    .await;
    let confirmed = [one.status == 200, other.body["errors"].is_null()];
    assert_eq!(
        confirmed.iter().filter(|is_confirmed| **is_confirmed).count(),
        1,
        "{} {}",
        one.text,
        other.text
    );
    let winner = if confirmed[0] { &ada.person } else { &bob.person };
    assert_eq!(signs_in(&app, &twice).await, Some(winner.user_id));
    // A key cannot request an identity of another user.
    link(&ada.key, &by_link).await.refused("CONFLICT", others);
}

#[tokio::test]
async fn link_login_provider_by_a_session_confirms_a_waiting_login() {
    let app = TestApp::start().await;
    let victim = victim(&app, "ada").await;
    let (person, proof) = (&victim.person, proof(&app, "second"));
    link(&victim.key, &proof).await.expect(201);
    let linked = link(person, &proof).await;
    assert_eq!((linked.status, &linked.data()["confirmed"]), (201, &json!(true)));
    assert_eq!((logins(person).await.len(), count(&app, "unconfirmed_logins").await), (2, 0));
    let notices_left = notices(person).await;
    assert_eq!((notices_left.len(), &notices_left[0]["actions"]), (1, &json!([])));
    // A key that links a confirmed login renews its grant, as a sign-in with the same proof does.
    let again = link(&victim.key, &proof).await;
    assert_eq!((again.status, &again.data()["confirmed"]), (200, &json!(true)));
}
