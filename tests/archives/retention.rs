//! End of archives (reference/archives.md#archives).

use archive_model::stored::{self, Outcome};
use chrono::TimeDelta;
use foundation::jobs::{Housekeep, HousekeepingTask};
use lumio_tests::{Person, TestApp, eventually, world};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::id;

use super::{
    execute,
    operations::{make, read, requested},
    path_of,
};

async fn object_of(app: &TestApp, owner: &Person, archive: &Value) -> bool {
    let prefix = format!("accounts/{}/archives/", owner.account_id);
    let sql = format!("account_archives WHERE id = '{}' AND storage_key LIKE '{prefix}%'", text(archive));
    world::count(app, &sql).await == 1
}

fn text(archive: &Value) -> &str {
    archive["id"].as_str().expect("an id")
}

/// Removes the objects of an account's archives and gives their number.
async fn remove_objects(app: &TestApp, owner: &Person) -> usize {
    app.state.storage.delete_below(&format!("accounts/{}/archives", owner.account_id)).await.unwrap()
}

async fn sweep(app: &TestApp) -> usize {
    stored::sweep(&app.databases.postgres, &app.state.storage, app.clock.now()).await.unwrap()
}

#[tokio::test]
async fn sweep_archives_removes_what_is_over_and_gives_up_what_does_not_end() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let archive = requested(&owner, json!({})).await;
    assert!(matches!(make(&app, &archive).await, Outcome::Ready(_)));
    assert!(object_of(&app, &owner, &archive).await);
    assert_eq!(make(&app, &archive).await, Outcome::Gone, "an archive is made once");

    // An export that fails in each run ends with the last one.
    let failing = requested(&other, json!({})).await;
    execute(&app, &format!("UPDATE account_archives SET attempts = 5 WHERE id = '{}'", text(&failing))).await;
    let given_up = "The export failed repeatedly";
    assert_eq!(make(&app, &failing).await, Outcome::Failed(given_up.to_owned()));
    // An export that no worker ends is given up after a day, and another one can be requested.
    let stale = requested(&other, json!({})).await;
    app.clock.advance(TimeDelta::hours(23));
    assert_eq!(sweep(&app).await, 0);
    app.clock.advance(TimeDelta::hours(2));
    assert_eq!(sweep(&app).await, 1);
    let other = app.session(other.user_id, other.account_id).await;
    let failed = read(&other, &stale).await;
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!(given_up)));
    assert_eq!(make(&app, &stale).await, Outcome::Gone, "a late worker writes nothing");
    requested(&other, json!({})).await;

    // Seven days after it was made, an archive ends with its object.
    app.clock.advance(TimeDelta::days(6) - TimeDelta::hours(2));
    sweep(&app).await;
    let owner = app.session(owner.user_id, owner.account_id).await;
    assert_eq!(read(&owner, &archive).await["status"], "ready");
    app.clock.advance(TimeDelta::hours(2));
    let running = world::workers(&app, &[Daemon::Housekeeping]).await;
    let task = Housekeep { task: HousekeepingTask::SweepArchives };
    assert!(app.state.jobs.enqueue(&task, &id::new().to_string()).await.unwrap());
    let path = format!("/v1/accounts/{}/archives/{}", owner.account_id, text(&archive));
    let owner = app.session(owner.user_id, owner.account_id).await;
    eventually("the archive ends", async || owner.get(&path).await.status == 404).await;
    running.stop().await.unwrap();
    owner.get(&path).await.refused("NOT_FOUND", "Archive not found");
    assert_eq!(remove_objects(&app, &owner).await, 0);

    // A sweep ends a number of archives at a time.
    sweep(&app).await;
    let over = format!(
        "INSERT INTO account_archives (id, account_id, status, error, finished_at, expires_at)
         SELECT gen_random_uuid(), '{}', 'failed', 'e', now(), now() - interval '1 day' FROM generate_series(1, 51)",
        owner.account_id
    );
    assert_eq!(execute(&app, &over).await, 51);
    assert_eq!([sweep(&app).await, sweep(&app).await, sweep(&app).await], [50, 1, 0]);
    app.stop().await;
}

#[tokio::test]
async fn erase_chat_subject_data_discards_the_archives_of_every_account() {
    let app = TestApp::start().await;
    let (ready, open, without) = (app.owner().await, app.owner().await, app.owner().await);
    for owner in [&ready, &open] {
        let line = format!(
            "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
                 display_name, text, sent_at)
             VALUES (gen_random_uuid(), '{}', 'twitch', 'm', '4711470001', 'u', 'U', 'hello', now())",
            owner.account_id
        );
        assert_eq!(execute(&app, &line).await, 1);
    }
    let made = requested(&ready, json!({})).await;
    // No row of this account names the person any more, but its archive may.
    let older = requested(&without, json!({})).await;
    for archive in [&made, &older] {
        assert!(matches!(make(&app, archive).await, Outcome::Ready(_)));
    }
    let address = path_of(&read(&ready, &made).await["download_url"]);
    let queued = requested(&open, json!({})).await;

    let staff = app.admin_with(&["admin:privacy-erase"]).await;
    let subject = json!({ "platform": "twitch", "user_id": "4711470001" });
    staff.post("/v1/admin/privacy/chat/erase", subject).await.expect(200);
    for (owner, archive) in [(&ready, &made), (&open, &queued), (&without, &older)] {
        assert_eq!(read(owner, archive).await["status"], "discarded", "{archive}");
    }
    app.anonymous().get(&address).await.refused("NOT_FOUND", "Archive not found");
    assert_eq!(make(&app, &queued).await, Outcome::Gone);
    // The next export of the account has nothing of the person.
    requested(&open, json!({})).await;

    assert!(object_of(&app, &ready, &made).await, "the object goes with the next sweep");
    assert_eq!(sweep(&app).await, 2);
    assert!(!object_of(&app, &ready, &made).await);
    assert_eq!(sweep(&app).await, 0);
    assert_eq!((remove_objects(&app, &ready).await, remove_objects(&app, &without).await), (0, 0));

    // More archives than one statement discards.
    let many = format!(
        "INSERT INTO account_archives (id, account_id, status, storage_key, size_bytes, sha256, finished_at, expires_at)
         SELECT gen_random_uuid(), '{}', 'ready', 'k' || n, 1, '', now(), now() + interval '7 days'
         FROM generate_series(1, 1001) AS n",
        ready.account_id
    );
    assert_eq!(execute(&app, &many).await, 1_001);
    stored::discard(&mut app.databases.postgres.get().await.unwrap(), app.clock.now()).await.unwrap();
    let left = "account_archives WHERE storage_key LIKE 'k%' AND status <> 'discarded'";
    assert_eq!(world::count(&app, left).await, 0);
    app.stop().await;
}
