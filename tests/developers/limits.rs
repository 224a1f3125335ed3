//! Limits of the developer API, each of them exceeded (reference/developers.md#limits-of-developers).

use chrono::Duration;
use diesel::{prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use lumio_tests::{
    TestApp,
    extensions::{SERVER, archive, manifest},
};
use serde_json::{Value, json};
use shared::schema::extension_versions;
use uuid::Uuid;

use super::refused;

const PATH: &str = "/developer/v1/extensions";

#[tokio::test]
async fn developer_api_create_extension_is_limited_per_hour_and_in_total() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    app.begin_a_window(3600);
    for batch in 0..2 {
        for number in 0..10 {
            studio.extension(&format!("E {batch} {number}")).await;
        }
        let answer = studio.key.post(PATH, json!({ "name": "Eleventh" })).await;
        refused(&answer, 429, "rate_limited", "Rate limit exceeded");
        let wait: u64 = answer.header("retry-after").parse().unwrap();
        assert!((1..=3600).contains(&wait));
        // Another key of the same developer shares the limit.
        let other = app.personal_key(&studio.person, &["extension-dev:*"]).await;
        assert_eq!(other.post(PATH, json!({ "name": "Eleventh" })).await.status, 429);
        app.clock.advance(Duration::hours(1));
    }
    for number in 20..25 {
        studio.extension(&format!("E {number}")).await;
    }
    let answer = studio.key.post(PATH, json!({ "name": "E 26" })).await;
    refused(&answer, 422, "validation_error", "A developer can have at most 25 extensions");
}

#[tokio::test]
async fn developer_api_extensions_and_deletes_are_limited_per_minute() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    app.begin_a_window(60);
    for _ in 0..120 {
        studio.key.get(PATH).await.expect(200);
    }
    refused(&studio.key.get(PATH).await, 429, "rate_limited", "Rate limit exceeded");
    other.key.get(PATH).await.expect(200);
    let missing = format!("{PATH}/{}", Uuid::nil());
    for _ in 0..30 {
        assert_eq!(studio.key.delete(&missing).await.status, 404);
    }
    refused(&studio.key.delete(&missing).await, 429, "rate_limited", "Rate limit exceeded");
}

#[tokio::test]
async fn developer_api_submit_version_is_limited_per_hour() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let (id, elsewhere) = (studio.extension("Eager").await, other.extension("Calm").await);
    app.begin_a_window(3600);
    for _ in 0..30 {
        assert_eq!(studio.upload_form(id, &[]).await.status, 422);
    }
    let answer = studio.upload_form(id, &[]).await;
    refused(&answer, 429, "rate_limited", "Rate limit exceeded");
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=3600).contains(&wait));
    assert_eq!(
        other.upload_form(elsewhere, &[]).await.status,
        422,
        "another developer counts for themselves"
    );
    app.clock.advance(Duration::hours(1));
    studio.version(id, "1.0.0", &json!({})).await;
}

/// Inserts approved versions from `1.0.1` to `1.0.{count}`; returns their ids, oldest first.
async fn approved(app: &TestApp, extension: Uuid, count: i32) -> Vec<Uuid> {
    #[derive(diesel::QueryableByName)]
    struct Row {
        #[diesel(sql_type = sql_types::Uuid)]
        id: Uuid,
    }
    let rows: Vec<Row> = sql_query(
        "INSERT INTO extension_versions (id, extension_id, version, status, manifest, bundle_size_bytes, approved_at)
         SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, '1.0.' || n, 'approved', $2, 1, now()
         FROM generate_series(1, $3) AS n RETURNING id",
    )
    .bind::<sql_types::Uuid, _>(extension)
    .bind::<sql_types::Jsonb, _>(manifest(extension, "1.0.0", &json!({})))
    .bind::<sql_types::Integer, _>(count)
    .load(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    let mut ids: Vec<Uuid> = rows.into_iter().map(|row| row.id).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn developer_api_submit_version_keeps_the_hundred_newest_and_the_current() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Old").await;
    let versions = approved(&app, id, 102).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query("UPDATE extensions SET current_version_id = $2, status = 'approved' WHERE id = $1")
        .bind::<sql_types::Uuid, _>(id)
        .bind::<sql_types::Uuid, _>(versions[1])
        .execute(&mut *db)
        .await
        .unwrap();
    drop(db);
    studio.version(id, "2.0.0", &json!({})).await;
    let archived: Vec<Uuid> = extension_versions::table
        .filter(extension_versions::extension_id.eq(id).and(extension_versions::status.eq("archived")))
        .order(extension_versions::id)
        .select(extension_versions::id)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(archived, [versions[0], versions[2]]);
}

#[tokio::test]
async fn developer_api_submit_version_is_refused_beyond_500_versions() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Full").await;
    approved(&app, id, 500).await;
    let answer = studio.upload(id, "2.0.0", b"").await;
    refused(&answer, 422, "validation_error", "An extension can have at most 500 versions");
}

#[tokio::test]
async fn developer_api_submit_version_refuses_oversized_parts_by_name() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Heavy").await;
    let layered = json!({ "category": "widget", "bot_module": null, "server": false, "targets": ["layer"], "permissions": [] });
    let text = |changes: &Value| {
        let mut all = layered.clone();
        all.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        manifest(id, "1.0.0", &all).to_string()
    };
    let plain = text(&json!({}));
    // Random bytes do not compress.
    let noise = |bytes: usize| -> Vec<u8> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()
        };
        std::iter::repeat_with(&mut next).flatten().take(bytes).collect()
    };
    const MIB: usize = 1024 * 1024;
    let (code, assets, sound) = (noise(5 * MIB + MIB / 2), noise(20 * MIB + 1), noise(10 * MIB + 1));
    let listed = text(&json!({ "sounds": [{ "key": "a", "file": "sounds/a.mp3", "label": "A" }] }));
    let tagged: Vec<u8> = b"ID3".iter().copied().chain(sound.iter().copied()).collect();
    for (files, field, message) in [
        (
            vec![("lumio.config.json", plain.as_bytes()), ("layer.js", code.as_slice())],
            "layer.js",
            "layer.js is larger than 5 MB gzipped",
        ),
        (
            vec![
                ("lumio.config.json", plain.as_bytes()),
                ("layer.js", b"1".as_slice()),
                ("assets/a.bin", &assets),
            ],
            "assets",
            "static assets are larger than 20 MB together",
        ),
        (
            vec![
                ("lumio.config.json", listed.as_bytes()),
                ("layer.js", b"1".as_slice()),
                ("sounds/a.mp3", &tagged),
            ],
            "sounds/a.mp3",
            "sounds/a.mp3 is larger than 10 MB",
        ),
        (
            vec![
                ("lumio.config.json", listed.as_bytes()),
                ("layer.js", b"1".as_slice()),
                ("sounds/a.mp3", b"MZ\x90\0 no sound"),
            ],
            "sounds/a.mp3",
            "sounds/a.mp3 must be MP3, WAV, OGG, WebM, M4A, AAC or FLAC",
        ),
        (
            vec![
                ("lumio.config.json", plain.as_bytes()),
                ("layer.js", b"1".as_slice()),
                ("server.js", SERVER.as_bytes()),
            ],
            "server.js",
            "server.js needs `server: true` in the manifest",
        ),
    ] {
        let answer = studio.upload(id, "1.0.0", &archive(&files)).await;
        refused(&answer, 422, "validation_error", message);
        let fields = answer.body["error"]["fields"].as_array().unwrap();
        assert!(fields.contains(&json!({ "field": field, "message": message })), "{}", answer.text);
    }
    let versions: i64 = extension_versions::table
        .filter(extension_versions::extension_id.eq(id))
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(versions, 0);
}
