//! E-mail addresses that a key requested.

use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::{Value, json};

use super::{act, act_over, done, notices, victim, waiting_mails};
use lumio_tests::world::address;

async fn emails(caller: &Caller) -> (Value, Value) {
    let rest = caller.get("/v1/users/me").await.data().clone();
    let graphql = caller.graphql("{ me { email pendingEmail } }", json!({})).await.field("me");
    assert_eq!((&graphql["email"], &graphql["pending_email"]), (&rest["email"], &rest["pending_email"]));
    (rest["email"].clone(), rest["pending_email"].clone())
}

async fn ask(caller: &Caller, email: &str, over_graphql: bool) -> Value {
    let input = json!({ "email": email });
    if over_graphql {
        return caller.mutate("updateMe", &input, "{ email pendingEmail }").await.field("updateMe");
    }
    caller.patch("/v1/users/me", input).await.data().clone()
}

#[tokio::test]
async fn update_me_by_a_key_changes_the_address_once_a_session_confirms() {
    let app = TestApp::start().await;
    app.begin_a_window(3600);
    let victim = victim(&app, "ada").await;
    let (person, key) = (&victim.person, &victim.key);
    address(&app, person.user_id, "ada@example.org").await;
    let old = json!("ada@example.org");
    for over_graphql in [false, true] {
        let answer = ask(key, "thief@example.net", over_graphql).await;
        assert_eq!((&answer["email"], &answer["pending_email"]), (&old, &json!("thief@example.net")));
        for caller in [&person.caller, key] {
            assert_eq!(emails(caller).await, (old.clone(), json!("thief@example.net")));
        }
        let notice = notices(person).await.remove(0);
        assert_eq!(notice["title"], "Confirm the new e-mail address");
        assert_eq!(notice["data"], json!({ "email": "thief@example.net" }));
        assert_eq!(
            notice["actions"],
            json!([{ "key": "confirm_email", "label": "Confirm" }, { "key": "decline_email", "label": "Decline" }])
        );
        for action in ["confirm_email", "decline_email"] {
            let [rest, graphql] = act(key, &notice, action).await;
            both_refused(&rest, &graphql, 403, "FORBIDDEN", super::REFUSED);
        }
        done(&act_over(person, &notice, "decline_email", over_graphql).await, over_graphql);
        assert_eq!(emails(person).await, (old.clone(), Value::Null));
        assert!(notices(person).await.is_empty());
    }
    assert_eq!((waiting_mails(&app, person).await, app.audited("user:email_declined").await.len()), (2, 2));

    ask(key, "ada@example.com", false).await;
    let notice = notices(person).await.remove(0);
    done(&act_over(person, &notice, "confirm_email", true).await, true);
    assert_eq!(emails(person).await, (json!("ada@example.com"), Value::Null));
    assert!(notices(person).await.is_empty());
    assert_eq!(app.audited("user:email_requested").await.len(), 3);
    let confirmed = app.audited_once("user:email_confirmed").await;
    assert_eq!((confirmed.scope.as_str(), confirmed.actor_id), ("user", Some(person.user_id)));
}

#[tokio::test]
async fn update_me_by_a_key_lets_only_the_latest_address_be_confirmed() {
    let app = TestApp::start().await;
    app.begin_a_window(3600);
    let victim = victim(&app, "ada").await;
    let (person, key) = (&victim.person, &victim.key);
    ask(key, "first@example.org", false).await;
    let first = notices(person).await.remove(0);
    ask(key, "second@example.org", false).await;
    // Other changes by a key take effect at once.
    let answer =
        key.patch("/v1/users/me", json!({ "email": "second@example.org", "display_name": "A" })).await;
    assert_eq!(answer.data()["display_name"], "A");
    let [second] = notices(person).await.try_into().unwrap();
    assert_eq!(second["data"]["email"], "second@example.org");
    let [rest, graphql] = act(person, &first, "confirm_email").await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Notification not found");

    // A session that sets an address ends the pending request.
    let answer = ask(person, "own@example.org", false).await;
    assert_eq!((&answer["email"], &answer["pending_email"]), (&json!("own@example.org"), &Value::Null));
    assert!(notices(person).await.is_empty());
    let [rest, graphql] = act(person, &second, "confirm_email").await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Notification not found");
    // Requesting the current address does nothing.
    ask(key, "own@example.org", true).await;
    assert_eq!(emails(person).await, (json!("own@example.org"), Value::Null));
    assert!(notices(person).await.is_empty());
    assert_eq!(waiting_mails(&app, person).await, 2);

    // The fifth request in an hour is the last, because each request mails the person.
    ask(key, "third@example.org", true).await;
    let input = json!({ "email": "fourth@example.org" });
    let graphql = key.mutate("updateMe", &input, "{ email }").await;
    let rest = key.patch("/v1/users/me", input).await;
    both_refused(&rest, &graphql, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    person.patch("/v1/users/me", json!({ "email": null })).await.expect(200);
    assert_eq!(emails(person).await, (Value::Null, Value::Null));
}
