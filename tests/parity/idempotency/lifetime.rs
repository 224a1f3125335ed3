//! End of stored answers: a day, the account, the person, and a chatter whom they name.

use chrono::Duration;
use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use foundation::jobs::{EraseAccount, Housekeep, HousekeepingTask};
use lumio_tests::{
    TestApp, eventually,
    world::{count, workers},
};
use lumio_worker::Daemon;
use serde_json::{Value, json};

use super::{NOT_REPEATABLE, is_conflict, is_executed, is_repetition, post_with_key, stage::stored};

const TICKETS: &str = "/v1/support/tickets";

fn ticket() -> Value {
    json!({ "subject": "Chat stays empty", "body": "Since this morning." })
}

#[tokio::test]
async fn lifetime_of_an_answer_is_a_day() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let again = async || {
        // A session ends before the answer does.
        let session = app.session(owner.user_id, owner.account_id).await;
        post_with_key(&session, TICKETS, "k", &ticket()).await
    };
    let first = again().await;
    is_executed(&first, 201);
    app.clock.advance(Duration::minutes(24 * 60 - 1));
    is_repetition(&first, &again().await);
    app.clock.advance(Duration::minutes(2));
    let next = again().await;
    is_executed(&next, 201);
    is_repetition(&next, &again().await);
    assert_eq!((count(&app, "support_tickets").await, stored(&app, "true").await), (2, 1));

    app.clock.advance(Duration::hours(24));
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    let job = Housekeep { task: HousekeepingTask::ForgetHandled };
    assert!(app.state.jobs.enqueue(&job, "forget").await.unwrap());
    eventually("the row is deleted", async || stored(&app, "true").await == 0).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn lifetime_of_an_answer_ends_with_its_account_and_with_its_person() {
    let app = TestApp::start().await;
    let (staff, owner, other) = (app.system_admin().await, app.owner().await, app.owner().await);
    let member = app.member_as(other.account_id, "viewer").await;
    for person in [&owner, &other, &member] {
        is_executed(&post_with_key(person, TICKETS, "k", &ticket()).await, 201);
    }
    let of_account = format!("account_id = '{}'", owner.account_id);
    let dissolved = json!({ "confirm_name": "Test account" });
    owner.post(&format!("/v1/accounts/{}/dissolve", owner.account_id), dissolved).await.expect(200);
    assert_eq!((stored(&app, &of_account).await, stored(&app, "true").await), (0, 2));
    // The answer of a request that was in progress.
    let late = "INSERT INTO idempotent_requests (id, request, account_id, operation, fingerprint, started_at, created_at)
        VALUES (gen_random_uuid(), gen_random_uuid(), $1, 'late', sha256('late'), now(), now())";
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(late).bind::<SqlUuid, _>(owner.account_id).execute(&mut *db).await.unwrap();
    drop(db);
    let job = EraseAccount {
        account_id: owner.account_id,
        channels: Vec::new(),
        resource_logs: Vec::new(),
        is_repeat: true,
    };
    assert!(app.state.jobs.enqueue(&job, "late").await.unwrap());
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    eventually("the late row is deleted", async || stored(&app, &of_account).await == 0).await;
    running.stop().await.unwrap();

    staff.delete(&format!("/v1/admin/users/{}", member.user_id)).await.expect(204);
    assert_eq!(stored(&app, &format!("user_id = '{}'", member.user_id)).await, 0);
    assert_eq!(stored(&app, "true").await, 1, "that of the other person stays");
    app.stop().await;
}

#[tokio::test]
async fn lifetime_of_an_answer_ends_with_the_chatter_whom_it_names() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let staff = app.admin_with(&["admin:privacy-erase"]).await;
    let note = async |chatter: &str| {
        let path = format!("/v1/chat/users/twitch/{chatter}/notes");
        post_with_key(&owner, &path, "k", &json!({ "body": "Friendly." })).await
    };
    is_executed(&note("4711470001").await, 201);
    let kept = post_with_key(&owner, TICKETS, "k", &ticket()).await;
    is_executed(&kept, 201);
    let subject = json!({ "platform": "twitch", "user_id": "4711470001" });
    staff.post("/v1/admin/privacy/chat/erase", subject).await.expect(200);
    is_conflict(&note("4711470001").await, NOT_REPEATABLE);
    is_repetition(&kept, &post_with_key(&owner, TICKETS, "k", &ticket()).await);
    assert_eq!(count(&app, "user_notes").await, 0, "the erased note is not written again");
    let named = "strpos(concat(answer::text, headers::text), '4711470001') > 0";
    assert_eq!((stored(&app, named).await, stored(&app, "true").await), (0, 2));
    app.stop().await;
}
