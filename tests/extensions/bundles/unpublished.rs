//! Files of versions that are not published, for callers with access (reference/extensions.md#bundle-files).

use api_core::token::TokenKind;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, both_refused};
use serde_json::json;
use shared::schema::{extension_versions, users};
use uuid::Uuid;

use super::{PUBLIC, file, files_over_graphql, layered, publish, varies};
use crate::{ASKED, id_of, install, reviewer};

#[tokio::test]
async fn extension_bundle_file_of_an_unpublished_version_needs_access() {
    let app = TestApp::start().await;
    let (studio, other, reviewer) = (app.studio().await, app.studio().await, reviewer(&app).await);
    let extension = studio.extension("Draft").await;
    let version = layered(&studio, extension, "1.0.0", "draft").await;
    let installed = id_of(&install(&studio.person, extension, &ASKED, &json!({})).await);
    let elsewhere = other.extension("Other").await;
    other.version(elsewhere, "1.0.0", &json!({})).await;
    let foreign = id_of(&install(&other.person, elsewhere, &ASKED, &json!({})).await);
    let path = file(extension, "1.0.0", "layer.js");
    let token = async |person: &lumio_tests::Person, install: Uuid| {
        app.surface_token(TokenKind::Extension, person.account_id, &install.to_string(), None).await
    };
    let allowed = [
        studio.person.caller.clone(),
        studio.key.clone(),
        app.personal_key(&studio.person, &["extension-dev:read"]).await,
        token(&studio.person, installed).await,
        app.system_key().await,
    ];
    for caller in &allowed {
        for path in [&path, &file(extension, "1.0.0", "bundle.js")] {
            let served = caller.get(path).await;
            assert_eq!((served.status, served.text.as_str()), (200, "export default 'draft';"));
            assert_eq!(served.header("cache-control"), "private, no-store");
            assert!(varies(&served).contains("authorization, cookie"), "{}", varies(&served));
        }
        let listed = caller.get(&format!("/v1/extensions/{extension}/versions/1.0.0/files")).await;
        assert_eq!(listed.data().as_array().unwrap().len(), 8);
    }
    let refused = [
        app.anonymous(),
        other.person.caller.clone(),
        app.personal_key(&studio.person, &["chat:read"]).await,
        app.service_key(studio.person.account_id, &["extension-dev:read"]).await,
        app.popout(&studio.person, &["extension-dev:read"]).await,
        token(&other.person, foreign).await,
        app.surface_token(TokenKind::Overlay, studio.person.account_id, &installed.to_string(), None).await,
    ];
    for caller in &refused {
        for path in [path.clone(), file(extension, "1.0.0", "bundle.js")] {
            let answer = caller.get(&path).await;
            assert_eq!(answer.status, 404, "{}", answer.text);
            answer.refused("NOT_FOUND", "Bundle file not found");
        }
        both_refused(
            &caller.get(&format!("/v1/extensions/{extension}/versions/1.0.0/files")).await,
            &files_over_graphql(caller, extension, "1.0.0").await,
            404,
            "NOT_FOUND",
            "Bundle file not found",
        );
    }

    // Testers see a version only while it is in testing.
    let tester = app.owner().await;
    let named = json!({ "username": format!("tester-{}", extension.simple()) });
    diesel::update(users::table.find(tester.user_id))
        .set(users::username.eq(named["username"].as_str().unwrap()))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let invited = studio.person.post(&format!("/v1/developer/extensions/{extension}/testers"), named).await;
    invited.expect(201);
    assert_eq!(tester.get(&path).await.status, 404);
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/approve-testing"), json!({})).await.data();
    assert_eq!(tester.get(&path).await.status, 200);
    studio
        .person
        .post(&format!("/v1/developer/extensions/{extension}/versions/1.0.0/abandon"), json!({}))
        .await
        .data();
    assert_eq!(tester.get(&path).await.status, 404);

    // A version revoked for security is served to no caller.
    diesel::update(extension_versions::table.find(version))
        .set(extension_versions::status.eq("revoked"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    for caller in &allowed {
        assert_eq!(caller.get(&path).await.status, 404);
    }
}

#[tokio::test]
async fn extension_bundle_file_serves_the_newest_version_in_dev_mode() {
    let app = TestApp::start().await;
    let (studio, reviewer, other) = (app.studio().await, reviewer(&app).await, app.studio().await);
    let extension = studio.public_extension("Layered").await;
    publish(&reviewer, layered(&studio, extension, "1.0.0", "one").await).await;
    layered(&studio, extension, "1.1.0", "next").await;
    let path = file(extension, "1.0.0", "layer.js");
    assert_eq!(studio.person.get(&path).await.text, "export default 'one';");
    for person in [&studio.person, &other.person] {
        person.patch("/v1/users/me", json!({ "extension_dev_mode": true })).await.data();
    }
    let served = studio.person.get(&path).await;
    assert_eq!(
        (served.text.as_str(), served.header("cache-control")),
        ("export default 'next';", "private, no-store")
    );
    for caller in [&app.anonymous(), &other.person.caller] {
        let served = caller.get(&path).await;
        assert_eq!((served.text.as_str(), served.header("cache-control")), ("export default 'one';", PUBLIC));
    }
}
