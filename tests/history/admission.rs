//! Admission of work that anonymous callers cause, and reports that end while they are sent
//! (reference/limits.md#concurrent-work-of-a-process).

use std::collections::BTreeSet;

use diesel_async::SimpleAsyncConnection;
use futures::{StreamExt, future::join_all, stream::FuturesUnordered};
use lumio_tests::{TestApp, eventually};
use reqwest::Method;
use serde_json::json;

use super::{
    scene::{Planted, hours_ago, id_of, link, link_path, links_path, report_path, samples, text},
    shared_reports::{REFUSED, shared_path},
    stage::select,
};

#[tokio::test]
async fn export_shared_report_makes_two_documents_of_an_address_and_none_of_a_revoked_link() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let start = hours_ago(&app, 3);
    let report = Planted::of(owner.account_id, start).plant(&app).await;
    samples(&app, owner.account_id, "twitch", (start, start + chrono::Duration::hours(1))).await;
    let created = link(&owner, report, None, true).await;
    let token = text(&created["token"]);
    let anonymous = app.anonymous();
    // Documents wait for the samples.
    let mut holder = app.databases.timescaledb.get().await.unwrap();
    let lock = "BEGIN; LOCK TABLE stream_samples IN ACCESS EXCLUSIVE MODE";
    holder.batch_execute(lock).await.unwrap();
    let pdf = format!("{}/export?format=pdf", shared_path(token));
    let mut documents: FuturesUnordered<_> = (0..3).map(|_| anonymous.get(&pdf)).collect();
    let refused = documents.next().await.expect("an answer");
    assert_eq!((refused.status, refused.header("retry-after")), (429, "5"));
    refused.refused("RATE_LIMIT_EXCEEDED", "Too many documents at once");
    // Samples that are not selected are not read.
    let shown = "query($token: String!) { sharedReport(token: $token) { allowExport report { id } } }";
    let shown = anonymous.graphql(shown, json!({ "token": token })).await.field("sharedReport");
    assert_eq!(shown, json!({ "allow_export": true, "report": { "id": report } }));
    // The members' documents have permits of their own, and stay.
    let own = format!("{}/export?format=pdf", report_path(report));
    let (own, ()) = tokio::join!(owner.get(&own), async {
        owner.delete(&link_path(id_of(&created))).await.expect(204);
        holder.batch_execute("COMMIT").await.unwrap();
    });
    assert_eq!((own.status, own.header("content-type")), (200, "application/pdf"));
    while let Some(answer) = documents.next().await {
        assert_eq!(answer.status, 401);
        answer.refused("UNAUTHORIZED", REFUSED);
    }

    // The samples of a deleted report are no end of the file.
    holder.batch_execute(lock).await.unwrap();
    let path = format!("{}/export?format=json", report_path(report));
    let response = owner.request(Method::GET, &path).send().await.expect("an answer");
    assert_eq!(response.status(), 200);
    owner.delete(&report_path(report)).await.expect(204);
    holder.batch_execute("DELETE FROM stream_samples; COMMIT").await.unwrap();
    assert!(response.bytes().await.is_err(), "the file ends before its end");
    drop(holder);
    app.stop().await;
}

#[tokio::test]
async fn shared_report_and_create_shared_link_answer_while_an_address_sends_unknown_tokens() {
    let app = TestApp::builder().with("LUMIO_TRUSTED_PROXY_HOPS", 1).start().await;
    let owner = app.owner().await;
    let report = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let secret = "open sesame";
    let path = shared_path(text(&link(&owner, report, Some(secret), true).await["token"]));
    let anonymous = app.anonymous();
    let from =
        |path: &str, address: &str| anonymous.request(Method::GET, path).header("x-forwarded-for", address);
    let flood = (0..80).map(|n| anonymous.send(from(&shared_path(&format!("unknown-{n}")), "203.0.113.7")));
    let reading = from(&path, "203.0.113.8").header("x-share-password", secret);
    let new = json!({ "duration_secs": 3600, "password": secret, "allow_export": false });
    let new_path = links_path(report);
    // They arrive together at the check of the password.
    let mut holder = app.databases.postgres.get().await.unwrap();
    let lock = "BEGIN; LOCK TABLE stream_shared_links IN ACCESS EXCLUSIVE MODE";
    holder.batch_execute(lock).await.unwrap();
    let waiting = "SELECT to_jsonb(count(*)) AS row FROM pg_locks
        WHERE NOT granted AND relation = 'stream_shared_links'::regclass
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let (flood, shown, created, ()) =
        tokio::join!(join_all(flood), anonymous.send(reading), owner.post(&new_path, new), async {
            let database = &app.databases.postgres;
            eventually("requests wait for the table", async || select(database, waiting).await[0] != 0).await;
            holder.batch_execute("COMMIT").await.unwrap();
        });
    drop(holder);
    shown.expect(200);
    created.expect(201);
    let errors: BTreeSet<_> = flood.iter().map(|answer| (answer.status, answer.error().1)).collect();
    let expected = [(401, REFUSED.to_owned()), (429, "Too many requests at once".to_owned())];
    assert_eq!(errors, BTreeSet::from(expected));
    app.stop().await;
}
