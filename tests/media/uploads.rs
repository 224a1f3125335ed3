//! Uploaded files (reference/media.md#uploads).

mod limits;

use chrono::Duration;
use diesel::{prelude::*, sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use foundation::unclaimed;
use lumio_tests::{Answer, Caller, TestApp, both_refused, is_slow};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::schema::uploads;
use uuid::Uuid;

use super::{
    PNG, TONE, form, limit_storage, memory::Peak, path_of, removed_objects, send, unclaimed_count, used,
};

const PATH: &str = "/v1/uploads";
const FIELDS: &str =
    "{ id accountId filename contentType sizeBytes purpose sha256 createdBy createdAt downloadUrl }";

async fn upload(caller: &Caller, name: &str, purpose: &str, content: &[u8]) -> Answer {
    send(caller, PATH, &[("purpose", None, purpose.as_bytes()), ("file", Some(name), content)]).await
}

async fn gql(caller: &Caller, document: &str, id: &str) -> Answer {
    caller.graphql(document, json!({ "id": id })).await
}

/// An upload without its address, whose end moves with the clock.
fn lasting(upload: &Value) -> Value {
    let mut upload = upload.clone();
    assert!(upload["download_url"].take().is_string(), "{upload}");
    upload
}

async fn rows(app: &TestApp) -> Vec<(Uuid, String)> {
    uploads::table
        .order(uploads::id)
        .select((uploads::account_id, uploads::storage_key))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn create_upload_stores_the_file_and_upload_media_returns_it() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let answer = upload(&owner, "folder/My Pixel.png", "overlay_asset", PNG).await;
    let created = answer.expect(201)["data"].clone();
    let id = created["id"].as_str().unwrap();
    assert_eq!(answer.header("location"), format!("{PATH}/{id}"));
    for (field, expected) in [
        ("account_id", json!(owner.account_id)),
        ("filename", json!("My Pixel.png")),
        ("content_type", json!("image/png")),
        ("size_bytes", json!(PNG.len())),
        ("purpose", json!("overlay_asset")),
        ("sha256", json!(hex::encode(Sha256::digest(PNG)))),
        ("created_by", json!(owner.user_id)),
    ] {
        assert_eq!(created[field], expected, "{field}");
    }
    assert!(created.get("storage_key").is_none());
    assert_eq!(lasting(owner.get(&format!("{PATH}/{id}")).await.data()), lasting(&created));
    assert_eq!(lasting(&owner.get(PATH).await.data()[0]), lasting(&created));
    let graphql = gql(&owner, &format!("query($id: UUID!) {{ upload(id: $id) {FIELDS} }}"), id).await;
    let graphql = graphql.field("upload");
    assert_eq!((&graphql["id"], &graphql["purpose"]), (&created["id"], &json!("OVERLAY_ASSET")));
    assert!(graphql["download_url"].as_str().unwrap().contains(&format!("/v1/media/upload/{id}?exp=")));

    let address = path_of(&app, created["download_url"].as_str().unwrap());
    let served = app.anonymous().request(Method::GET, &address).send().await.unwrap();
    let header = |name: &str| served.headers()[name].to_str().unwrap().to_owned();
    let open = (header("content-type"), header("access-control-allow-origin"));
    assert_eq!(open, ("image/png".into(), "*".into()));
    let cached = header("cache-control");
    let seconds = cached.strip_prefix("private, max-age=").and_then(|rest| rest.strip_suffix(", immutable"));
    let seconds: u64 = seconds.and_then(|seconds| seconds.parse().ok()).unwrap_or_default();
    assert!((3000..=3600).contains(&seconds), "as long as the address is valid: {cached}");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(served.bytes().await.unwrap().as_ref(), PNG);
    let entry = app.audited_once("upload:created").await;
    assert_eq!(entry.account_id, Some(owner.account_id));
    assert_eq!(
        entry.metadata,
        json!({ "filename": "My Pixel.png", "purpose": "overlay_asset", "size_bytes": PNG.len() })
    );
    assert_eq!(unclaimed_count(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn upload_media_serves_ranges_and_refuses_altered_and_ended_addresses() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let created = upload(&owner, "a.png", "other", PNG).await.expect(201)["data"].clone();
    let address = path_of(&app, created["download_url"].as_str().unwrap());
    let anonymous = app.anonymous();
    let tag = format!("\"{}\"", created["sha256"].as_str().unwrap());
    let part = async |range: &str, condition: Option<&str>| {
        let mut request = anonymous.request(Method::GET, &address).header("range", range);
        if let Some(tag) = condition {
            request = request.header("if-range", tag);
        }
        let answer = request.send().await.unwrap();
        let place = answer.headers().get("content-range").map(|value| value.to_str().unwrap().to_owned());
        (answer.status().as_u16(), place, answer.bytes().await.unwrap().to_vec())
    };
    let size = PNG.len();
    assert_eq!(part("bytes=1-3", None).await, (206, Some(format!("bytes 1-3/{size}")), b"PNG".to_vec()));
    assert_eq!(part("bytes=-4", None).await.2, PNG[size - 4..]);
    assert_eq!(part("bytes=1-3", Some(&tag)).await.0, 206);
    assert_eq!(part("bytes=1-3", Some("\"other\"")).await, (200, None, PNG.to_vec()));
    assert_eq!(part("bytes=0-1,3-4", None).await.0, 200);
    for outside in ["bytes=999-", "bytes=-0", &format!("bytes={size}-")] {
        assert_eq!(
            part(outside, None).await,
            (416, Some(format!("bytes */{size}")), Vec::new()),
            "{outside}"
        );
    }
    for ignored in ["bytes=a-b", "lines=0-1"] {
        assert_eq!(part(ignored, None).await, (200, None, PNG.to_vec()), "{ignored}");
    }
    let known = anonymous.send(anonymous.request(Method::GET, &address).header("if-none-match", &tag)).await;
    assert_eq!(known.status, 304);

    let id = created["id"].as_str().unwrap();
    let other = upload(&owner, "b.png", "other", PNG).await.expect(201)["data"].clone();
    let (start, query) = address.split_once('?').unwrap();
    let signature = query.split_once("sig=").unwrap().1;
    let end = app.clock.now().timestamp() + 3600;
    for altered in [
        start.to_owned(),
        format!("{start}?exp={end}"),
        format!("{start}?exp={}&sig={signature}", end + 1),
        format!("{start}?exp={end}&sig={}", signature.replace(['a', '1'], "b")),
        format!("/v1/media/upload/{}?{query}", other["id"].as_str().unwrap()),
        format!("/v1/media/sound/{id}?{query}"),
    ] {
        anonymous.get(&altered).await.refused("FORBIDDEN", "The address is not signed");
    }
    anonymous.get(&format!("{start}?exp=x&sig=y")).await.refused_with("VALIDATION_ERROR");
    app.clock.advance(Duration::seconds(3600));
    anonymous.get(&address).await.refused("FORBIDDEN", "The address has ended");
    app.stop().await;
}

#[tokio::test]
async fn create_upload_knows_types_by_their_content() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mp4 = [&b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom"[..], &[0; 64]].concat();
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script><circle r=\"5\"/></svg>";
    // What follows a picture stays a part of the picture.
    let with_archive = [PNG, b"PK\x03\x04 an archive"].concat();
    for (content, expected) in [
        (PNG, "image/png"),
        (&with_archive, "image/png"),
        (include_bytes!("../fixtures/media/pixel.jpg"), "image/jpeg"),
        (include_bytes!("../fixtures/media/pixel.gif"), "image/gif"),
        (include_bytes!("../fixtures/media/pixel.webp"), "image/webp"),
        (include_bytes!("../fixtures/media/pixel.avif"), "image/avif"),
        (include_bytes!("../fixtures/media/tone.mp3"), "audio/mpeg"),
        (TONE, "audio/wav"),
        (include_bytes!("../fixtures/media/tone.ogg"), "audio/ogg"),
        (include_bytes!("../fixtures/media/tone.flac"), "audio/flac"),
        (&mp4, "video/mp4"),
        (b"wOF2\0\x01\0\0 and more", "font/woff2"),
        (svg, "image/svg+xml"),
    ] {
        let answer = upload(&owner, "archive.zip", "overlay_asset", content).await;
        assert_eq!(answer.expect(201)["data"]["content_type"], expected, "{}", answer.text);
    }
    let image = "file must be an image of 1 to 8192 pixels a side";
    let unreadable = "file must be a complete image: its dimensions cannot be read";
    let wide = |side: u32| [&PNG[..16], &side.to_be_bytes(), &PNG[20..]].concat();
    let unknown = "file must be a PNG, JPEG, GIF, WebP, AVIF or SVG image, an MP4 or WebM video, an MP3, WAV, OGG or FLAC \
                   sound, a WOFF2 font or a PDF";
    for (content, message) in [
        (b"PK\x03\x04 an archive with the name of a picture".to_vec(), unknown),
        (b"<html><script>alert(1)</script></html>".to_vec(), unknown),
        (b"\0".to_vec(), unknown),
        (Vec::new(), "file must not be empty"),
        (b"\x89PNG\r\n\x1a\n".to_vec(), unreadable),
        (wide(8193), image),
        (wide(100_000), image),
        (wide(0), image),
        ([&b"\xff\xfb\x90\x64"[..], &[0; 500]].concat(), "file must be an MP3, WAV, OGG or FLAC sound"),
        (
            b"<svg xmlns=\"http://www.w3.org/2000/svg\">".to_vec(),
            "file must be a well-formed SVG in UTF-8 without entities",
        ),
        (
            [&b"<svg xmlns=\"http://www.w3.org/2000/svg\">"[..], &vec![b' '; 1024 * 1024], b"</svg>"]
                .concat(),
            "file must not be larger than 1048576 bytes as SVG",
        ),
        (b"%PDF-1.7 ".to_vec(), "file must not be a PDF unless purpose is developer_document"),
    ] {
        upload(&owner, "pixel.png", "overlay_asset", &content).await.refused("VALIDATION_ERROR", message);
    }
    assert_eq!(upload(&owner, "a.png", "other", &wide(8192)).await.status, 201);
    assert_eq!(rows(&app).await.len(), 14);
    app.stop().await;
}

#[tokio::test]
async fn create_upload_stores_drawings_without_code() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let hostile = b"<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\">\
        <script>alert(2)</script><image href=\"https://evil.example/a.png\"/><circle r=\"5\" fill=\"red\"/></svg>";
    let created = upload(&owner, "a.svg", "alert_image", hostile).await.expect(201)["data"].clone();
    let served = app.anonymous().get(&path_of(&app, created["download_url"].as_str().unwrap())).await;
    assert_eq!((served.status, served.header("content-type")), (200, "image/svg+xml"));
    assert_eq!(served.header("content-security-policy"), "sandbox; default-src 'none'");
    assert!(served.text.contains("circle") && served.text.contains("red"), "{}", served.text);
    for refused in ["script", "alert", "onload", "evil.example"] {
        assert!(!served.text.contains(refused), "{}", served.text);
    }
    assert_eq!(created["size_bytes"], served.text.len(), "the stored file counts");
    assert_eq!(created["sha256"], hex::encode(Sha256::digest(&served.text)));
    app.stop().await;
}

#[tokio::test]
async fn create_upload_refuses_malformed_forms_and_stores_nothing() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    limit_storage(&app, owner.account_id, 1000, 100).await;
    let purposes =
        "purpose must be one of overlay_asset, alert_image, alert_sound, avatar, developer_document, other";
    let png = ("file", Some("a.png"), PNG);
    let large = [PNG, &[0; 100]].concat();
    for (fields, message) in [
        (vec![("purpose", None, &b"other"[..])], "file is required"),
        (vec![png], "purpose is required"),
        (vec![png, ("purpose", None, b"banner")], purposes),
        (vec![png, ("purpose", None, b"\xff")], "purpose must be UTF-8"),
        (vec![png, png, ("purpose", None, b"other")], "file must be given once"),
        (
            vec![("purpose", None, b"other"), ("file", Some("a.png"), &large)],
            "file must not be larger than 100 bytes",
        ),
        (vec![("x", None, &b""[..]); 17], "The form must have at most 16 fields"),
    ] {
        send(&owner, PATH, &fields).await.refused("VALIDATION_ERROR", message);
    }
    let long = vec![b'x'; 70_000];
    let answer = send(&owner, PATH, &[png, ("other", None, &long)]).await;
    answer.refused("BAD_REQUEST", "Request body too large");
    let (content_type, body) = form(&[("purpose", None, b"other"), png]);
    let cut = owner.post_raw(PATH, &content_type, body[..body.len() / 2].to_vec()).await;
    cut.refused_with("BAD_REQUEST");
    owner.post_raw(PATH, "application/json", "{}").await.refused_with("BAD_REQUEST");
    assert!(rows(&app).await.is_empty());
    assert_eq!((used(&app, owner.account_id).await, unclaimed_count(&app).await), (0, 0));
    app.stop().await;
}

#[tokio::test]
async fn delete_upload_of_shared_content_frees_it_with_the_last_upload() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let first = upload(&owner, "a.png", "other", PNG).await.expect(201)["data"].clone();
    let second = upload(&owner, "b.png", "avatar", PNG).await.expect(201)["data"].clone();
    upload(&other, "c.png", "other", PNG).await.expect(201);
    assert_eq!((&first["sha256"], first["id"] == second["id"]), (&second["sha256"], false));
    let rows = rows(&app).await;
    assert_eq!(rows[0], rows[1], "one object");
    assert_ne!(rows[0].1, rows[2].1, "another account has an object of its own");
    let size = i64::try_from(PNG.len()).unwrap();
    assert_eq!((used(&app, owner.account_id).await, used(&app, other.account_id).await), (size, size));

    // The last owner takes the object away.
    let id = |upload: &Value| upload["id"].as_str().unwrap().to_owned();
    owner.delete(&format!("{PATH}/{}", id(&first))).await.expect(204);
    assert_eq!((used(&app, owner.account_id).await, unclaimed_count(&app).await), (size, 0));
    let address = path_of(&app, second["download_url"].as_str().unwrap());
    assert_eq!(app.anonymous().get(&address).await.status, 200);
    let deleted = gql(&owner, "mutation($id: UUID!) { deleteUpload(id: $id) }", &id(&second)).await;
    assert_eq!(deleted.field("deleteUpload"), json!(true));
    assert_eq!((used(&app, owner.account_id).await, unclaimed_count(&app).await), (0, 1));
    app.anonymous().get(&address).await.refused("NOT_FOUND", "Upload not found");
    let later = app.clock.now() + Duration::days(2);
    let postgres = &app.databases.postgres;
    assert_eq!(unclaimed::sweep(postgres, &app.state.storage, later).await.unwrap(), 1);
    assert!(app.state.storage.get(&rows[0].1).await.unwrap().is_none());
    assert!(app.state.storage.get(&rows[2].1).await.unwrap().is_some());
    assert_eq!(app.audited("upload:deleted").await.len(), 2);
    app.stop().await;
}

#[tokio::test]
async fn uploads_are_listed_by_purpose_and_page() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (name, purpose) in [("a", "avatar"), ("b", "other"), ("c", "avatar")] {
        upload(&owner, name, purpose, PNG).await.expect(201);
        app.clock.advance(Duration::seconds(1));
    }
    let names = |answer: &Answer| -> Vec<String> {
        let list = answer.data().as_array().unwrap();
        list.iter().map(|upload| upload["filename"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&owner.get(PATH).await), ["c", "b", "a"]);
    assert_eq!(names(&owner.get(&format!("{PATH}?purpose=avatar")).await), ["c", "a"]);
    assert_eq!(names(&owner.get(&format!("{PATH}?page=2&limit=2")).await), ["a"]);
    let document = "{ uploads(purpose: AVATAR, limit: 1) { items { filename } total pages } }";
    let page = owner.graphql(document, json!({})).await.field("uploads");
    assert_eq!(page, json!({ "items": [{ "filename": "c" }], "total": 2, "pages": 2 }));
    for query in ["purpose=banner", "limit=101", "page=0"] {
        owner.get(&format!("{PATH}?{query}")).await.refused_with("VALIDATION_ERROR");
    }
    app.stop().await;
}

#[tokio::test]
async fn upload_of_a_developer_document_is_for_the_owner_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member =
        app.member_with(owner.account_id, &["uploads:read", "uploads:create", "uploads:delete"]).await;
    let pdf = b"%PDF-1.7 a document";
    let refused = upload(&member, "a.pdf", "developer_document", pdf).await;
    refused.refused("FORBIDDEN", "Only the owner may store documents of a developer");
    let created = upload(&owner, "a.pdf", "developer_document", pdf).await.expect(201)["data"].clone();
    let path = format!("{PATH}/{}", created["id"].as_str().unwrap());
    assert_eq!(lasting(&owner.get(PATH).await.data()[0]), lasting(&created));
    assert_eq!(*member.get(PATH).await.data(), json!([]));
    member.get(&path).await.refused("NOT_FOUND", "Upload not found");
    member.delete(&path).await.refused("NOT_FOUND", "Upload not found");
    let served = app.anonymous().get(&path_of(&app, created["download_url"].as_str().unwrap())).await;
    assert_eq!((served.status, served.header("content-disposition")), (200, "attachment"));
    app.stop().await;
}

#[tokio::test]
async fn uploads_need_permission_and_feature_and_are_hidden_from_other_accounts() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let reader = app.member_with(owner.account_id, &["uploads:read"]).await;
    let editor = app.member_with(owner.account_id, &["uploads:create", "uploads:delete"]).await;
    let created = upload(&editor, "a.png", "other", PNG).await.expect(201)["data"].clone();
    let id = created["id"].as_str().unwrap();
    let path = format!("{PATH}/{id}");
    let read = format!("query($id: UUID!) {{ upload(id: $id) {FIELDS} }}");
    let delete = "mutation($id: UUID!) { deleteUpload(id: $id) }";
    assert_eq!(reader.get(&path).await.status, 200);
    let lacks = "Missing permission: uploads:";
    upload(&reader, "a.png", "other", PNG).await.refused("FORBIDDEN", &format!("{lacks}create"));
    let (rest, graphql) = (editor.get(&path).await, gql(&editor, &read, id).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("{lacks}read"));
    let list = editor.graphql("{ uploads { total } }", json!({})).await;
    both_refused(&editor.get(PATH).await, &list, 403, "FORBIDDEN", &format!("{lacks}read"));
    let (rest, graphql) = (reader.delete(&path).await, gql(&reader, delete, id).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("{lacks}delete"));
    let (rest, graphql) = (stranger.get(&path).await, gql(&stranger, &read, id).await);
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Upload not found");
    let (rest, graphql) = (stranger.delete(&path).await, gql(&stranger, delete, id).await);
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Upload not found");
    app.override_feature(owner.account_id, "feature:uploads", false).await;
    let (rest, graphql) = (owner.get(&path).await, gql(&owner, &read, id).await);
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:uploads");
    app.stop().await;
}

#[tokio::test]
async fn create_upload_of_a_large_file_takes_little_memory() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mebibytes = if is_slow() { 500 } else { 200 };
    let size = mebibytes * 1024 * 1024;
    limit_storage(&app, owner.account_id, size, size).await;
    let head = [&b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom"[..], &[0; 64]].concat();
    let (content_type, frame) = form(&[("purpose", None, b"other"), ("file", Some("a.mp4"), b"FILE")]);
    let place = frame.windows(4).position(|window| window == b"FILE").unwrap();
    let (before, after) = (frame[..place].to_vec(), frame[place + 4..].to_vec());
    let block = bytes::Bytes::from(vec![7; 1024 * 1024]);
    let rest = usize::try_from(size).unwrap() / block.len() - 1;
    let parts = [before.into(), head.into()]
        .into_iter()
        .chain(std::iter::repeat_n(block, rest))
        .chain([after.into()]);
    let body = reqwest::Body::wrap_stream(futures::stream::iter(parts.map(Ok::<_, std::io::Error>)));
    let peak = Peak::begin();
    let answer = owner.post_raw(PATH, &content_type, body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let grown = peak.grown();
    // The client and its buffers are in this process too.
    assert!(grown < 48 * 1024, "{grown} KiB more than before");
    app.stop().await;
}
