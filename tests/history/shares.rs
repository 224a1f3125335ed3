//! Shared links and the reports that they show (reference/history.md#shared-links).

use api_core::Timestamp;
use chrono::Duration;
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Answer, Caller, PUBLIC_URL, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::stream_shared_links;
use uuid::Uuid;

use super::{
    scene::{Planted, hours_ago, id_of, link, link_path, links_path, lowered, text},
    shared_reports::{REFUSED, expire, open},
};

const LINK: &str =
    "{ id reportId createdBy createdAt expiresAt hasPassword allowExport viewCount lastViewedAt status }";
const CREATED: &str = "{ id reportId createdBy createdAt expiresAt hasPassword allowExport viewCount lastViewedAt status token url }";
const LINK_NOT_FOUND: &str = "Shared link not found";

async fn gql_create(caller: &Caller, report: Uuid, input: &Value) -> Answer {
    caller.mutate_at("createSharedLink", &[("reportId", report)], input, CREATED).await
}

async fn gql_links(caller: &Caller, report: Uuid) -> Answer {
    let document = format!("query($id: UUID!) {{ sharedLinks(reportId: $id) {LINK} }}");
    caller.graphql(&document, json!({ "id": report })).await
}

async fn gql_extend(caller: &Caller, id: Uuid, input: &Value) -> Answer {
    caller.mutate_at("extendSharedLink", &[("id", id)], input, LINK).await
}

async fn gql_revoke(caller: &Caller, id: Uuid) -> Answer {
    caller.graphql("mutation($id: UUID!) { revokeSharedLink(id: $id) }", json!({ "id": id })).await
}

/// A created link as the list shows it.
fn listed(created: &Value) -> Value {
    let mut link = created.clone();
    let fields = link.as_object_mut().expect("a link");
    assert!(fields.remove("token").is_some() && fields.remove("url").is_some());
    link
}

#[tokio::test]
async fn create_shared_link_returns_token_and_address_once() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let report = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let body = json!({ "duration_secs": 604_800, "password": "sponsors only", "allow_export": true });
    let answer = owner.post(&links_path(report), body).await;
    let created = answer.expect(201)["data"].clone();
    let (id, token) = (id_of(&created), text(&created["token"]).to_owned());
    assert_eq!(answer.header("location"), link_path(id));
    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert!(token.len() == 43 && !token.contains(['+', '/', '=']), "{token}");
    let created_at = Timestamp::parse(text(&created["created_at"])).unwrap();
    let expires_at = Timestamp::from(*created_at + Duration::days(7));
    let expected = json!({
        "id": id, "report_id": report, "created_by": owner.user_id, "created_at": created_at,
        "expires_at": expires_at, "has_password": true, "allow_export": true, "view_count": 0,
        "last_viewed_at": null, "status": "active", "token": token,
        "url": format!("{PUBLIC_URL}/v1/history/shared/{id}/page#token={token}"),
    });
    assert_eq!(created, expected);
    let stored: (Vec<u8>, Option<String>) = stream_shared_links::table
        .find(id)
        .select((stream_shared_links::token_hash, stream_shared_links::password_hash))
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(stored.0, api_core::token::hash(&token));
    let hash = stored.1.expect("a hash");
    assert!(hash.starts_with("$argon2id$") && !hash.contains("sponsors"), "{hash}");

    let key = app.service_key(owner.account_id, &["history:share"]).await;
    let input = json!({ "duration_secs": 3600, "allow_export": false });
    let second = lowered(gql_create(&key, report, &input).await.field("createSharedLink"));
    assert_eq!((&second["created_by"], &second["has_password"]), (&Value::Null, &json!(false)));
    let popout = app.popout(&owner, &["history:share"]).await;
    let third = popout.post(&links_path(report), input).await.expect(201)["data"].clone();
    assert_eq!(third["created_by"], json!(owner.user_id));

    let entries = app.audited("history_share:created").await;
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0].resource_id, Some(id.to_string()));
    let metadata = json!({
        "report_id": report, "expires_at": expires_at, "has_password": true, "allow_export": true,
    });
    assert_eq!(entries[0].metadata, metadata);
    app.stop().await;
}

#[tokio::test]
async fn create_shared_link_refuses_bad_input_and_callers_without_the_right() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let report = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let durations = "Invalid duration_secs: must be one of 3600, 21600, 86400, 604800, 2592000";
    let length = "password must be between 4 and 128 characters";
    let with = |duration: i64, password: Option<String>| json!({ "duration_secs": duration, "password": password, "allow_export": false });
    for (input, message) in [
        (with(3599, None), durations),
        (with(0, None), durations),
        (with(3600, Some("abc".into())), length),
        (with(3600, Some("x".repeat(129))), length),
        (with(3600, Some("  abc  ".into())), length),
        (with(3600, Some("ab\ncd".into())), "password must not contain control characters"),
    ] {
        let rest = owner.post(&links_path(report), input.clone()).await;
        both_refused(&rest, &gql_create(&owner, report, &input).await, 400, "VALIDATION_ERROR", message);
    }
    let missing = owner.post(&links_path(report), json!({ "duration_secs": 3600 })).await;
    missing.refused("VALIDATION_ERROR", "Missing field: allow_export");
    for length in [4, 128] {
        let password = "é".repeat(length);
        let created = link(&owner, report, Some(&password), false).await;
        open(&app.anonymous(), text(&created["token"]), Some(&password)).await.expect(200);
    }

    let input = with(3600, None);
    for (caller, report) in [(&stranger, report), (&owner, Uuid::now_v7())] {
        let rest = caller.post(&links_path(report), input.clone()).await;
        let gql = gql_create(caller, report, &input).await;
        both_refused(&rest, &gql, 404, "NOT_FOUND", "Stream report not found");
    }
    let moderator = app.member_as(owner.account_id, "moderator").await;
    let lacks = "Missing permission: history:share";
    let rest = moderator.post(&links_path(report), input.clone()).await;
    both_refused(&rest, &gql_create(&moderator, report, &input).await, 403, "FORBIDDEN", lacks);

    // A caller without exports grants none.
    let sharer = app.service_key(owner.account_id, &["history:read", "history:share"]).await;
    let exporting = json!({ "duration_secs": 3600, "allow_export": true });
    let lacks = "Missing permission: history:export";
    let rest = sharer.post(&links_path(report), exporting.clone()).await;
    both_refused(&rest, &gql_create(&sharer, report, &exporting).await, 403, "FORBIDDEN", lacks);
    let made = id_of(&link(&owner, report, None, true).await);
    let longer = json!({ "duration_secs": 86_400 });
    let rest = sharer.patch(&link_path(made), longer.clone()).await;
    both_refused(&rest, &gql_extend(&sharer, made, &longer).await, 403, "FORBIDDEN", lacks);
    app.stop().await;
}

#[tokio::test]
async fn create_shared_link_stops_at_twenty_active_links_of_a_report() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let report = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let other = Planted::of(owner.account_id, hours_ago(&app, 1)).plant(&app).await;
    let input = json!({ "duration_secs": 3600, "allow_export": false });
    let (path, by_all) = (links_path(report), (0..30).map(|_| input.clone()));
    let answers = join_all(by_all.map(|input| owner.post(&path, input))).await;
    let created: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 201).collect();
    assert_eq!(created.len(), 20);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.refused("CONFLICT", "Shared link limit reached");
    }
    let rest = owner.post(&path, input.clone()).await;
    let gql = gql_create(&owner, report, &input).await;
    both_refused(&rest, &gql, 409, "CONFLICT", "Shared link limit reached");
    link(&owner, other, None, false).await;

    // Links that have ended make room.
    let ids: Vec<Uuid> = created.iter().map(|answer| id_of(answer.data())).collect();
    owner.delete(&link_path(ids[0])).await.expect(204);
    expire(&app, ids[1]).await;
    for _ in 0..2 {
        link(&owner, report, None, false).await;
    }
    owner.post(&path, input.clone()).await.refused("CONFLICT", "Shared link limit reached");

    // Of those that have ended the newest 80 stay.
    let past = app.clock.now() - Duration::days(1);
    let rows: Vec<_> = (0..100_i64)
        .map(|n| {
            (
                stream_shared_links::id.eq(Uuid::now_v7()),
                stream_shared_links::account_id.eq(owner.account_id),
                stream_shared_links::report_id.eq(report),
                stream_shared_links::token_hash.eq(n.to_be_bytes().to_vec()),
                stream_shared_links::allow_export.eq(false),
                stream_shared_links::created_at.eq(past - Duration::minutes(n)),
                stream_shared_links::expires_at.eq(past),
            )
        })
        .collect();
    insert_into(stream_shared_links::table)
        .values(rows)
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    owner.delete(&link_path(ids[2])).await.expect(204);
    link(&owner, report, None, false).await;
    let listed = owner.get(&path).await.data().clone();
    let listed = listed.as_array().expect("a list");
    let count = |status: &str| listed.iter().filter(|link| link["status"] == status).count();
    assert_eq!((listed.len(), count("active"), count("revoked"), count("expired")), (100, 20, 2, 78));
    app.stop().await;
}

#[tokio::test]
async fn shared_links_lists_the_links_of_a_report_newest_first_without_their_tokens() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let report = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let other = Planted::of(owner.account_id, hours_ago(&app, 1)).plant(&app).await;
    assert_eq!(*owner.get(&links_path(report)).await.data(), json!([]));
    link(&owner, other, None, false).await;
    let mut expected = Vec::new();
    for (password, allow_export) in [(None, true), (Some("open sesame"), false), (None, false)] {
        expected.insert(0, listed(&link(&owner, report, password, allow_export).await));
    }
    expire(&app, id_of(&expected[0])).await;
    owner.delete(&link_path(id_of(&expected[1]))).await.expect(204);
    let rest = owner.get(&links_path(report)).await;
    expected[0]["expires_at"] = rest.data()[0]["expires_at"].clone();
    expected[0]["status"] = json!("expired");
    expected[1]["status"] = json!("revoked");
    assert_eq!(*rest.data(), json!(expected));
    let key = app.service_key(owner.account_id, &["history:share"]).await;
    assert_eq!(lowered(gql_links(&key, report).await.field("sharedLinks")), json!(expected));

    for (caller, report) in [(&stranger, report), (&owner, Uuid::now_v7())] {
        let (rest, gql) = (caller.get(&links_path(report)).await, gql_links(caller, report).await);
        both_refused(&rest, &gql, 404, "NOT_FOUND", "Stream report not found");
    }
    let moderator = app.member_as(owner.account_id, "moderator").await;
    let (rest, gql) = (moderator.get(&links_path(report)).await, gql_links(&moderator, report).await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: history:share");
    app.stop().await;
}

#[tokio::test]
async fn extend_shared_link_sets_the_end_of_active_links_from_now_on() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let report = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let created = link(&owner, report, None, false).await;
    let (id, token) = (id_of(&created), text(&created["token"]));
    app.clock.advance(Duration::minutes(5));
    let input = json!({ "duration_secs": 86_400 });
    let extended = owner.patch(&link_path(id), input.clone()).await.data().clone();
    let now = app.clock.now();
    let expires_at = *Timestamp::parse(text(&extended["expires_at"])).unwrap();
    let left = expires_at - now;
    assert!(left <= Duration::days(1) && left > Duration::hours(23), "{left}");
    let mut expected = listed(&created);
    expected["expires_at"] = extended["expires_at"].clone();
    assert_eq!(extended, expected);
    // It may also end earlier.
    let shorter = json!({ "duration_secs": 3600 });
    let gql = gql_extend(&owner, id, &shorter).await.field("extendSharedLink");
    assert!(*Timestamp::parse(text(&gql["expires_at"])).unwrap() < expires_at);
    open(&app.anonymous(), token, None).await.expect(200);

    let message = "Invalid duration_secs: must be one of 3600, 21600, 86400, 604800, 2592000";
    let wrong = json!({ "duration_secs": 60 });
    let rest = owner.patch(&link_path(id), wrong.clone()).await;
    both_refused(&rest, &gql_extend(&owner, id, &wrong).await, 400, "VALIDATION_ERROR", message);
    for (caller, id) in [(&stranger, id), (&owner, Uuid::now_v7())] {
        let (rest, gql) =
            (caller.patch(&link_path(id), input.clone()).await, gql_extend(caller, id, &input).await);
        both_refused(&rest, &gql, 404, "NOT_FOUND", LINK_NOT_FOUND);
    }
    let moderator = app.member_as(owner.account_id, "moderator").await;
    let rest = moderator.patch(&link_path(id), input.clone()).await;
    let lacks = "Missing permission: history:share";
    both_refused(&rest, &gql_extend(&moderator, id, &input).await, 403, "FORBIDDEN", lacks);
    let entries = app.audited("history_share:extended").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].resource_id, Some(id.to_string()));
    assert_eq!(entries[0].metadata["expires_at"], extended["expires_at"]);

    expire(&app, id).await;
    let rest = owner.patch(&link_path(id), input.clone()).await;
    let ended = "Shared link is not active";
    both_refused(&rest, &gql_extend(&owner, id, &input).await, 409, "CONFLICT", ended);
    app.stop().await;
}

#[tokio::test]
async fn revoke_shared_link_ends_active_links() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let report = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let (first, second) =
        (link(&owner, report, None, false).await, link(&owner, report, Some("open sesame"), false).await);
    let (id, other) = (id_of(&first), id_of(&second));
    for (caller, id) in [(&stranger, id), (&owner, Uuid::now_v7())] {
        let (rest, gql) = (caller.delete(&link_path(id)).await, gql_revoke(caller, id).await);
        both_refused(&rest, &gql, 404, "NOT_FOUND", LINK_NOT_FOUND);
    }
    let moderator = app.member_as(owner.account_id, "moderator").await;
    let (rest, gql) = (moderator.delete(&link_path(id)).await, gql_revoke(&moderator, id).await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: history:share");
    open(&app.anonymous(), text(&first["token"]), None).await.expect(200);
    owner.delete(&link_path(id)).await.expect(204);
    assert_eq!(gql_revoke(&owner, other).await.field("revokeSharedLink"), json!(true));
    for (link, password) in [(&first, None), (&second, Some("open sesame"))] {
        open(&app.anonymous(), text(&link["token"]), password).await.refused("UNAUTHORIZED", REFUSED);
    }
    let (rest, gql) = (owner.delete(&link_path(id)).await, gql_revoke(&owner, id).await);
    both_refused(&rest, &gql, 409, "CONFLICT", "Shared link is not active");
    let entries = app.audited("history_share:revoked").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(
        (entries[0].resource_id.clone(), entries[0].actor_id),
        (Some(id.to_string()), Some(owner.user_id))
    );

    app.override_feature(owner.account_id, "feature:stream_history", false).await;
    let off = "Feature is disabled: feature:stream_history";
    let (rest, gql) = (owner.delete(&link_path(id)).await, gql_revoke(&owner, id).await);
    both_refused(&rest, &gql, 403, "FEATURE_DISABLED", off);
    app.stop().await;
}
