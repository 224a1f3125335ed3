//! Storage of an account, which uploads, sounds and files of extensions share, and files that do not
//! arrive as a whole (reference/media.md#files).

use std::{fs, io, os::unix::fs::symlink, time::Duration};

use api_core::token::TokenKind;
use bytes::Bytes;
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use futures::{StreamExt, future::join_all, stream};
use lumio_tests::{
    TestApp,
    world::{count, install},
};
use reqwest::{Body, Method};
use shared::schema::extension_installs;
use tempfile::TempDir;
use url::Url;
use uuid::Uuid;

use super::{PNG, TONE, form, limit_storage, removed_objects, send, unclaimed_count, used};

const UPLOADS: &str = "/v1/uploads";
const SOUNDS: &str = "/v1/sounds";
const MIB: i64 = 1024 * 1024;
/// Time in which the first half of a file arrives.
const ARRIVAL_TIME: Duration = Duration::from_millis(200);
/// Bytes of a PNG up to its sides.
const PNG_HEADER: usize = 24;
/// More files than an account may send at a time.
const MANY: usize = 5;

/// Bytes of the rows of an account.
async fn stored(app: &TestApp, account: Uuid) -> i64 {
    #[derive(QueryableByName)]
    struct Sum {
        #[diesel(sql_type = BigInt)]
        bytes: i64,
    }
    let sql = "SELECT sum(size_bytes)::bigint AS bytes FROM (
            SELECT size_bytes FROM uploads WHERE account_id = $1
            UNION ALL SELECT size_bytes FROM sounds WHERE account_id = $1
            UNION ALL SELECT size_bytes FROM extension_uploads WHERE account_id = $1) AS files";
    let mut db = app.databases.postgres.get().await.unwrap();
    let sum: Sum = sql_query(sql).bind::<SqlUuid, _>(account).get_result(&mut *db).await.unwrap();
    sum.bytes
}

#[tokio::test]
async fn storage_is_the_sum_of_uploads_sounds_and_files_of_extensions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let installed = install(&app, &owner, &[]).await;
    let extension: Uuid = extension_installs::table
        .find(installed)
        .select(extension_installs::extension_id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let token = app.surface_token(TokenKind::Extension, owner.account_id, &installed.to_string(), None).await;
    let size = i64::try_from(TONE.len()).unwrap();
    limit_storage(&app, owner.account_id, 7 * size + 3, size).await;
    let of_extension = format!("/v1/extensions/{extension}/uploads");
    let targets = [(&owner.caller, UPLOADS), (&owner.caller, SOUNDS), (&token, of_extension.as_str())];
    // Each is another content of the same size; extensions store images.
    let contents: Vec<Vec<u8>> = (0..12_u8)
        .map(|n| {
            let mut content = TONE.to_vec();
            if n % 3 == 2 {
                content[..PNG_HEADER].copy_from_slice(&PNG[..PNG_HEADER]);
            }
            content[60] = n;
            content
        })
        .collect();
    let forms: Vec<_> = contents
        .iter()
        .map(|content| {
            [("purpose", None, b"alert_sound".as_slice()), ("file", Some("a.wav"), content.as_slice())]
        })
        .collect();
    let sent = forms.iter().zip(targets.iter().cycle());
    let answers = join_all(sent.map(|(form, (caller, path))| send(caller, path, form))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 7);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.refused("PLAN_LIMIT_REACHED", "Storage limit reached");
    }
    let (used, stored) = (used(&app, owner.account_id).await, stored(&app, owner.account_id).await);
    assert_eq!((used, stored), (7 * size, 7 * size));
    let objects = removed_objects(&app, owner.account_id).await;
    assert_eq!((objects, unclaimed_count(&app).await), (7, 0), "nothing is left of refused files");
    app.stop().await;
}

#[tokio::test]
async fn storage_keeps_nothing_of_files_that_are_cut_off() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let fields = [("purpose", None, b"other".as_slice()), ("file", Some("a.wav"), TONE)];
    let (content_type, body) = form(&fields);
    for path in [UPLOADS, SOUNDS] {
        for _ in 0..MANY {
            let half = Bytes::copy_from_slice(&body[..body.len() / 2]);
            let end = async {
                tokio::time::sleep(ARRIVAL_TIME).await;
                Err(io::Error::other("the client is gone"))
            };
            let parts = stream::iter([Ok::<_, io::Error>(half)]).chain(stream::once(end));
            let request = owner.request(Method::POST, path).header("content-type", content_type.as_str());
            let sent = request.body(Body::wrap_stream(parts)).send().await;
            assert!(sent.is_err(), "{path}: {sent:?}");
        }
    }
    // What was cut off holds no permit.
    for path in [UPLOADS, SOUNDS] {
        send(&owner, path, &fields).await.expect(201);
    }
    assert_eq!((count(&app, "uploads").await, count(&app, "sounds").await), (1, 1));
    let both = 2 * i64::try_from(TONE.len()).unwrap();
    assert_eq!((used(&app, owner.account_id).await, unclaimed_count(&app).await), (both, 0));
    app.stop().await;
}

#[tokio::test]
async fn storage_leaves_objects_of_failed_requests_to_the_sweep() {
    let folder = TempDir::new().unwrap();
    let url = Url::from_directory_path(folder.path()).unwrap();
    let app = TestApp::builder().with("LUMIO_STORAGE_URL", url).start().await;
    let owner = app.owner().await;
    // In a folder that leads nowhere nothing can be written, and every object is already deleted.
    let of_account = folder.path().join(format!("accounts/{}", owner.account_id));
    fs::create_dir_all(&of_account).unwrap();
    for name in ["uploads", "sounds"] {
        symlink("nowhere", of_account.join(name)).unwrap();
    }
    let fields = [("purpose", None, b"other".as_slice()), ("file", Some("a.wav"), TONE)];
    for (unclaimed, path) in (1..).zip([UPLOADS, SOUNDS]) {
        send(&owner, path, &fields).await.expect(500);
        assert_eq!(unclaimed_count(&app).await, unclaimed, "{path}");
    }
    assert_eq!((count(&app, "uploads").await, count(&app, "sounds").await), (0, 0));
    assert_eq!(used(&app, owner.account_id).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn sounds_have_the_limits_of_each_plan() {
    let app = TestApp::start().await;
    for (plan, number, file, storage) in [
        ("free", 10, 2 * MIB, 20 * MIB),
        ("pro", 100, 10 * MIB, 500 * MIB),
        ("enterprise", 1000, 25 * MIB, 5 * 1024 * MIB),
    ] {
        let owner = app.owner_on(plan).await;
        let listed = owner.get(SOUNDS).await.data().clone();
        for (field, expected) in
            [("max_sounds", number), ("max_sound_file_size", file), ("max_sound_storage_bytes", storage)]
        {
            assert_eq!(listed[field], expected, "{plan} {field}");
        }
    }
    app.stop().await;
}
