//! Uploads at the limits of the plan, many at once (reference/media.md#uploads).

use super::*;

#[tokio::test]
async fn create_upload_in_parallel_takes_no_byte_above_the_limit() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let size = i64::try_from(TONE.len()).unwrap();
    limit_storage(&app, owner.account_id, 5 * size + 3, size).await;
    // Each is another content of the same size.
    let contents: Vec<Vec<u8>> = (0..8_u8)
        .map(|n| {
            let mut content = TONE.to_vec();
            content[60] = n;
            content
        })
        .collect();
    let uploads = contents.iter().map(|content| upload(&owner, "a.wav", "alert_sound", content));
    let answers = futures::future::join_all(uploads).await;
    let stored = answers.iter().filter(|answer| answer.status == 201).count();
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.refused("PLAN_LIMIT_REACHED", "Storage limit reached");
    }
    assert_eq!((stored, rows(&app).await.len()), (5, 5));
    assert_eq!(used(&app, owner.account_id).await, 5 * size);
    let objects = removed_objects(&app, owner.account_id).await;
    assert_eq!((objects, unclaimed_count(&app).await), (5, 0), "nothing is left of refused files");
    app.stop().await;
}

#[tokio::test]
async fn create_upload_in_parallel_stores_one_object_of_equal_content() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let size = i64::try_from(TONE.len()).unwrap();
    // There is room for the content once.
    limit_storage(&app, owner.account_id, size, size).await;
    let uploads = (0..8).map(|_| upload(&owner, "a.wav", "alert_sound", TONE));
    for answer in futures::future::join_all(uploads).await {
        assert_eq!(answer.status, 201, "{}", answer.text);
    }
    let rows = rows(&app).await;
    assert_eq!((rows.len(), used(&app, owner.account_id).await), (8, size));
    assert!(rows.iter().all(|row| *row == rows[0]), "{rows:?}");
    assert_eq!(app.state.storage.get(&rows[0].1).await.unwrap().unwrap().as_ref(), TONE);
    assert_eq!((removed_objects(&app, owner.account_id).await, unclaimed_count(&app).await), (1, 0));
    app.stop().await;
}

/// Uploads and deletes the same content repeatedly. The last upload stays.
async fn upload_and_delete(caller: &Caller) {
    for _ in 0..8 {
        let created = upload(caller, "a.png", "other", PNG).await.expect(201)["data"].clone();
        caller.delete(&format!("{PATH}/{}", created["id"].as_str().unwrap())).await.expect(204);
    }
    upload(caller, "a.png", "other", PNG).await.expect(201);
}

#[tokio::test]
async fn create_upload_beside_deletions_of_the_content_leaves_every_row_its_object() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    futures::future::join_all((0..4).map(|_| upload_and_delete(&owner))).await;
    let rows = rows(&app).await;
    assert_eq!((rows.len(), used(&app, owner.account_id).await), (4, i64::try_from(PNG.len()).unwrap()));
    for (_, key) in &rows {
        assert_eq!(app.state.storage.get(key).await.unwrap().unwrap().as_ref(), PNG, "{key}");
    }
    assert!(rows.iter().all(|row| *row == rows[0]), "{rows:?}");
    // Objects that lost their last row wait for the sweep.
    let waiting = usize::try_from(unclaimed_count(&app).await).unwrap();
    assert_eq!(removed_objects(&app, owner.account_id).await, 1 + waiting);
    app.stop().await;
}

#[tokio::test]
async fn create_upload_stops_at_ten_thousand_uploads() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(
        "INSERT INTO uploads (id, account_id, filename, content_type, size_bytes, storage_key, purpose, sha256)
         SELECT gen_random_uuid(), $1, 'a', 'image/png', 1, n::text, 'other', n::text FROM generate_series(1, 9999) AS n",
    )
    .bind::<SqlUuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    upload(&owner, "a.png", "other", PNG).await.expect(201);
    for content in [PNG, TONE] {
        let refused = upload(&owner, "a.png", "other", content).await;
        refused.refused("PLAN_LIMIT_REACHED", "Upload limit reached");
    }
    assert_eq!((removed_objects(&app, owner.account_id).await, unclaimed_count(&app).await), (1, 0));
    let listed = owner.get(&format!("{PATH}?limit=100&page=100")).await;
    assert_eq!(listed.data().as_array().map(Vec::len), Some(100));
    assert_eq!(listed.body["_meta"]["total"], 10_000);
    app.stop().await;
}
