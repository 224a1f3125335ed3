//! Files that installed extensions upload (reference/extensions.md#uploads).

use api_core::token::TokenKind;
use chrono::Duration;
use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use extension_model::{release_objects, remove_abandoned_uploads};
use foundation::unclaimed;
use lumio_tests::{Answer, Caller, Person, TestApp, extensions::multipart};
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::schema::{account_limits, account_usage, extension_uploads, unclaimed_objects};
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, reviewer};

const PNG: &[u8] = include_bytes!("../fixtures/media/pixel.png");
const GIF: &[u8] = include_bytes!("../fixtures/media/pixel.gif");
const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";

async fn upload(caller: &Caller, extension: Uuid, content: &[u8]) -> Answer {
    let (content_type, body) = multipart(&[("file", content)]);
    caller.post_raw(&format!("/v1/extensions/{extension}/uploads"), &content_type, body).await
}

/// Installs the extension; returns the install's id and a caller with its token.
async fn installed(app: &TestApp, person: &Person, extension: Uuid) -> (Uuid, Caller) {
    let id = id_of(&install(person, extension, &ASKED, &json!({})).await);
    (id, app.surface_token(TokenKind::Extension, person.account_id, &id.to_string(), None).await)
}

fn path_of(app: &TestApp, answer: &Answer) -> String {
    let url = answer.data()["url"].as_str().unwrap();
    let base = app.state.config.http.public_url.as_str().trim_end_matches('/').to_owned();
    url.strip_prefix(&base).unwrap_or_else(|| panic!("{url} is not below {base}")).to_owned()
}

async fn stored(app: &TestApp) -> Vec<(Uuid, String)> {
    extension_uploads::table
        .order(extension_uploads::id)
        .select((extension_uploads::account_id, extension_uploads::storage_key))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

async fn used(app: &TestApp, account: Uuid) -> i64 {
    account_usage::table
        .filter(account_usage::account_id.eq(account).and(account_usage::quota.eq("storage_bytes")))
        .select(account_usage::used)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .optional()
        .unwrap()
        .unwrap_or_default()
}

async fn unclaimed_count(app: &TestApp) -> i64 {
    let mut db = app.databases.postgres.get().await.unwrap();
    unclaimed_objects::table.count().get_result(&mut *db).await.unwrap()
}

/// Removes the objects of the person's account. Returns their number.
async fn removed_objects(app: &TestApp, person: &Person) -> usize {
    app.state.storage.delete_below(&format!("accounts/{}", person.account_id)).await.unwrap()
}

#[tokio::test]
async fn upload_extension_file_stores_content_once_per_account() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let (owner, other) = (app.owner().await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let (_, token) = installed(&app, &owner, extension).await;
    let (_, others) = installed(&app, &other, extension).await;

    let first = upload(&token, extension, PNG).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let sha256 = hex::encode(Sha256::digest(PNG));
    let path = path_of(&app, &first);
    assert_eq!(path, format!("/v1/extensions/{extension}/uploads/{sha256}.png"));
    let again = upload(&token, extension, PNG).await;
    assert_eq!((again.status, again.data()), (200, first.data()));
    let elsewhere = upload(&others, extension, PNG).await;
    assert_eq!((elsewhere.status, elsewhere.data()), (201, first.data()));

    let rows = stored(&app).await;
    let accounts: Vec<Uuid> = rows.iter().map(|row| row.0).collect();
    assert_eq!(accounts, [owner.account_id, other.account_id]);
    for (account, key) in &rows {
        assert!(key.starts_with(&format!("accounts/{account}/extension-uploads/{extension}/")), "{key}");
        assert_eq!(app.state.storage.get(key).await.unwrap().unwrap().as_ref(), PNG);
        assert_eq!(used(&app, *account).await, PNG.len() as i64);
    }
    let audited = app.audited("extension:file_uploaded").await;
    assert_eq!(audited.len(), 2);
    assert_eq!((audited[0].scope.as_str(), audited[0].account_id), ("account", Some(owner.account_id)));

    let served = app.anonymous().request(reqwest::Method::GET, &path).send().await.unwrap();
    let header = |name: &str| served.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        (header("content-type"), header("cache-control"), header("etag"), header("x-content-type-options")),
        (
            "image/png".into(),
            "public, max-age=86400, immutable".into(),
            format!("\"{sha256}\""),
            "nosniff".into()
        )
    );
    assert_eq!(served.bytes().await.unwrap().as_ref(), PNG);
    let request = app.anonymous().request(reqwest::Method::GET, &path);
    let known = app.anonymous().send(request.header("if-none-match", format!("\"{sha256}\""))).await;
    assert_eq!(known.status, 304);
    for missing in [
        format!("/v1/extensions/{extension}/uploads/{sha256}.gif"),
        format!("/v1/extensions/{}/uploads/{sha256}.png", Uuid::nil()),
    ] {
        let answer = app.anonymous().get(&missing).await;
        assert_eq!(answer.status, 404);
        answer.refused("NOT_FOUND", "Upload not found");
    }
}

#[tokio::test]
async fn extension_upload_serves_drawings_sandboxed() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let (_, token) = installed(&app, &owner, extension).await;
    let path = path_of(&app, &upload(&token, extension, SVG).await);
    let served = app.anonymous().get(&path).await;
    assert_eq!((served.status, served.header("content-type")), (200, "image/svg+xml"));
    assert_eq!(served.header("content-security-policy"), "sandbox; default-src 'none'");
    assert_eq!(served.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn upload_extension_file_needs_the_token_of_the_extension() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let (id, token) = installed(&app, &owner, extension).await;
    let other = greeter(&studio, &reviewer, &json!({})).await;
    let overlay = app.surface_token(TokenKind::Overlay, owner.account_id, &id.to_string(), None).await;
    let elsewhere = app.owner().await;
    let stolen = app.surface_token(TokenKind::Extension, elsewhere.account_id, &id.to_string(), None).await;
    for (caller, extension, status, code, message) in [
        (&app.anonymous(), extension, 401, "UNAUTHORIZED", "Authentication required"),
        (&owner.caller, extension, 403, "FORBIDDEN", "Extension token required"),
        (&studio.key, extension, 403, "FORBIDDEN", "Extension token required"),
        (&app.system_key().await, extension, 403, "FORBIDDEN", "Extension token required"),
        (&overlay, extension, 403, "FORBIDDEN", "Extension token required"),
        (&token, other, 403, "FORBIDDEN", "The token belongs to another extension"),
        (&stolen, extension, 404, "NOT_FOUND", "Extension install not found"),
    ] {
        let answer = upload(caller, extension, PNG).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        answer.refused(code, message);
    }
    assert!(stored(&app).await.is_empty());
}

#[tokio::test]
async fn upload_extension_file_enforces_limits_and_stores_nothing_partial() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let (_, token) = installed(&app, &owner, extension).await;
    let path = format!("/v1/extensions/{extension}/uploads");
    let mut largest = PNG.to_vec();
    largest.resize(256 * 1024, 7);
    let mut larger = largest.clone();
    larger.push(7);
    let image = "file must be a PNG, JPEG, GIF, SVG, WebP or AVIF image";
    for (fields, message) in [
        (vec![], "file is required"),
        (vec![("other", b"x".as_slice())], "file is required"),
        (vec![("file", PNG), ("file", PNG)], "file must be given once"),
        (vec![("file", larger.as_slice())], "file must not be larger than 256 KB"),
        (vec![("file", b"".as_slice())], image),
        (vec![("file", b"MZ\x90\0 not an image".as_slice())], image),
        (vec![("file", b"<html><svg/></html>".as_slice())], image),
    ] {
        let (content_type, body) = multipart(&fields);
        let answer = token.post_raw(&path, &content_type, body).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        answer.refused("VALIDATION_ERROR", message);
    }
    let long = vec![b'x'; 70_000];
    let (content_type, body) = multipart(&[("other", &long)]);
    token.post_raw(&path, &content_type, body).await.refused("BAD_REQUEST", "Request body too large");
    let (content_type, body) = multipart(&[("file", PNG)]);
    token.post_raw(&path, &content_type, body[..body.len() / 2].to_vec()).await.refused_with("BAD_REQUEST");
    assert!(stored(&app).await.is_empty());
    assert_eq!(used(&app, owner.account_id).await, 0);

    assert_eq!(upload(&token, extension, &largest).await.status, 201);
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(
        "INSERT INTO extension_uploads (id, extension_id, account_id, filename, content_type, size_bytes, sha256, storage_key)
         SELECT gen_random_uuid(), $1, $2, n || '.png', 'image/png', 1, n::text, 'accounts/x/' || n
         FROM generate_series(1, 49) AS n",
    )
    .bind::<diesel::sql_types::Uuid, _>(extension)
    .bind::<diesel::sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *db)
    .await
    .unwrap();
    let full = upload(&token, extension, PNG).await;
    assert_eq!(full.status, 403);
    full.refused("PLAN_LIMIT_REACHED", "Extension upload limit reached");
    assert_eq!(full.body["details"], json!({ "limit": 50 }));
    assert_eq!(upload(&token, extension, &largest).await.status, 200, "what is there already is answered");

    let other = app.owner().await;
    let (_, others) = installed(&app, &other, extension).await;
    diesel::insert_into(account_limits::table)
        .values((
            account_limits::account_id.eq(other.account_id),
            account_limits::max_storage_bytes.eq(PNG.len() as i64 + 3),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    drop(db);
    assert_eq!(upload(&others, extension, PNG).await.status, 201);
    upload(&others, extension, GIF).await.refused("PLAN_LIMIT_REACHED", "Storage limit reached");
    assert_eq!(used(&app, other.account_id).await, PNG.len() as i64);
    assert_eq!((removed_objects(&app, &other).await, unclaimed_count(&app).await), (1, 0), "no refused file");
}

#[tokio::test]
async fn upload_extension_file_refuses_images_with_long_sides() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let (_, token) = installed(&app, &owner, extension).await;
    let wide = |side: u32| [&PNG[..16], &side.to_be_bytes(), &PNG[20..]].concat();
    // The first frame of a small screen.
    let frame = [&GIF[..24], &u16::MAX.to_le_bytes(), &GIF[26..]].concat();
    let long = "file must be an image of 1 to 8192 pixels a side";
    let unreadable = "file must be a complete image: its dimensions cannot be read";
    for (content, message) in [
        (wide(8193), long),
        (wide(0), long),
        (frame, long),
        (PNG[..20].to_vec(), unreadable),
        (b"GIF89a".to_vec(), unreadable),
        (b"RIFF\0\0\0\0WEBPVP8 ".to_vec(), unreadable),
    ] {
        upload(&token, extension, &content).await.refused("VALIDATION_ERROR", message);
    }
    assert_eq!(upload(&token, extension, &wide(8192)).await.status, 201);
    assert_eq!(upload(&token, extension, GIF).await.status, 201);
    assert_eq!((stored(&app).await.len(), removed_objects(&app, &owner).await), (2, 2));
}

#[tokio::test]
async fn upload_extension_file_in_parallel_stores_one_object_of_equal_content() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let (_, token) = installed(&app, &owner, extension).await;
    let answers = futures::future::join_all((0..8).map(|_| upload(&token, extension, PNG))).await;
    let count = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(201), count(200)), (1, 7));
    let rows = stored(&app).await;
    assert_eq!((rows.len(), used(&app, owner.account_id).await), (1, PNG.len() as i64));
    assert_eq!(app.state.storage.get(&rows[0].1).await.unwrap().unwrap().as_ref(), PNG);
    assert_eq!((removed_objects(&app, &owner).await, unclaimed_count(&app).await), (1, 0));
}

#[tokio::test]
async fn uploads_are_deleted_thirty_days_after_the_last_install() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let (id, token) = installed(&app, &owner, extension).await;
    let path = path_of(&app, &upload(&token, extension, PNG).await);
    let key = stored(&app).await[0].1.clone();
    let (postgres, storage) = (&app.databases.postgres, &app.state.storage);
    let now = app.clock.now();
    let days = |days| now + Duration::days(days);
    let remove = async |now| {
        remove_abandoned_uploads(&mut postgres.get().await.unwrap(), now - Duration::days(30), now, 100)
            .await
            .unwrap()
    };

    assert_eq!(owner.delete(&format!("/v1/extension-installs/{id}")).await.status, 204);
    assert_eq!(app.anonymous().get(&path).await.status, 200, "kept for thirty days");
    let (again, _) = installed(&app, &owner, extension).await;
    assert_eq!(remove(days(31)).await, 0, "installed again, it stays");
    assert_eq!(owner.delete(&format!("/v1/extension-installs/{again}")).await.status, 204);
    assert_eq!(remove(days(29)).await, 0);
    assert_eq!(remove(days(31)).await, 1);
    assert_eq!((stored(&app).await.len(), used(&app, owner.account_id).await), (0, 0));
    assert_eq!(app.anonymous().get(&path).await.status, 404);

    assert!(storage.get(&key).await.unwrap().is_some());
    assert_eq!(unclaimed::sweep(postgres, storage, days(31)).await.unwrap(), 0, "a day later");
    assert_eq!(unclaimed::sweep(postgres, storage, days(33)).await.unwrap(), 1);
    assert!(storage.get(&key).await.unwrap().is_none());
}

#[tokio::test]
async fn uploads_without_a_row_are_swept() {
    let app = TestApp::start().await;
    let (studio, owner) = (app.studio().await, app.owner().await);
    let (kept, gone) = (studio.extension("Kept").await, studio.extension("Gone").await);
    for extension in [kept, gone] {
        studio.version(extension, "1.0.0", &json!({})).await;
    }
    let (postgres, storage, now) = (&app.databases.postgres, &app.state.storage, app.clock.now());
    let keys = async |extension: Uuid| -> Vec<String> {
        use shared::schema::{extension_files, extension_versions};
        extension_files::table
            .inner_join(extension_versions::table)
            .filter(extension_versions::extension_id.eq(extension))
            .order(extension_files::file_path)
            .select(extension_files::storage_key)
            .load(&mut *postgres.get().await.unwrap())
            .await
            .unwrap()
    };
    let (of_kept, of_gone) = (keys(kept).await, keys(gone).await);
    assert_eq!(of_kept[1], of_gone[1], "equal files share an object");
    assert_eq!(unclaimed_count(&app).await, 0, "what rows name is claimed");

    // An upload that failed before it wrote its row left this object.
    let orphan = format!("accounts/{}/orphan.png", owner.account_id);
    unclaimed::record(&mut postgres.get().await.unwrap(), std::slice::from_ref(&orphan), now).await.unwrap();
    storage.put(&orphan, bytes::Bytes::from_static(b"x")).await.unwrap();
    assert_eq!(studio.key.delete(&format!("/developer/v1/extensions/{gone}")).await.status, 204);
    assert_eq!(unclaimed::sweep(postgres, storage, now).await.unwrap(), 0, "too young");
    let removed = unclaimed::sweep(postgres, storage, now + Duration::days(1)).await.unwrap();
    assert_eq!(removed, 2, "the orphan and the manifest that only the deleted version had");
    assert!(storage.get(&orphan).await.unwrap().is_none());
    assert!(storage.get(&of_gone[0]).await.unwrap().is_none());
    for key in &of_kept {
        assert!(storage.get(key).await.unwrap().is_some(), "{key}");
    }
    assert_eq!(unclaimed_count(&app).await, 0, "every note was looked at");
}

#[tokio::test]
async fn uploads_of_a_deleted_extension_are_released() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let (_, token) = installed(&app, &owner, extension).await;
    assert_eq!(upload(&token, extension, PNG).await.status, 201);
    let mut db = app.databases.postgres.get().await.unwrap();
    release_objects(&mut db, extension, app.clock.now()).await.unwrap();
    drop(db);
    assert_eq!((stored(&app).await.len(), used(&app, owner.account_id).await), (0, 0));
}
