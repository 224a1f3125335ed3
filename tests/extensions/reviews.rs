//! Reviews of extensions (specification C B4).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::db::schema::{extension_reviews, extensions};
use uuid::Uuid;

use super::{ASKED, greeter, install, reviewer};

const REVIEW: &str = "{ id extensionId rating title body author { id displayName avatarUrl } developerReply createdAt updatedAt }";

async fn review(caller: &Caller, extension: Uuid, body: Value) -> Answer {
    caller.post(&format!("/v1/extensions/{extension}/reviews"), body).await
}

async fn review_over_graphql(caller: &Caller, extension: Uuid, input: &Value) -> Answer {
    caller.mutate_at("createExtensionReview", &[("id", extension)], input, REVIEW).await
}

async fn reviews_over_graphql(caller: &Caller, extension: Uuid, arguments: &str) -> Answer {
    let document = format!(
        "query($id: UUID!) {{ extensionReviews(id: $id{arguments}) {{ items {REVIEW} total page limit pages }} }}"
    );
    caller.graphql(&document, json!({ "id": extension })).await
}

/// Average and number of ratings.
async fn rated(app: &TestApp, extension: Uuid) -> (f64, i32) {
    extensions::table
        .find(extension)
        .select((extensions::rating_avg, extensions::rating_count))
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn each_person_reviews_once_and_the_rating_follows() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, reviewer(&app).await);
    let (one, two) = (app.owner().await, app.owner().await);
    let extension = greeter(&studio, &staff, &json!({})).await;
    for person in [&one, &two] {
        install(person, extension, &ASKED, &json!({})).await.expect(201);
    }
    let body = json!({ "rating": 5, "title": " Great ", "body": "Line one\nline two" });
    let first = review(&one, extension, body.clone()).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let data = first.data().clone();
    assert_eq!(data.as_object().unwrap().len(), 9);
    assert_eq!(
        (&data["rating"], &data["title"], &data["body"], &data["developer_reply"]),
        (&json!(5), &json!("Great"), &json!("Line one\nline two"), &Value::Null)
    );
    assert_eq!(data["author"], json!({ "id": one.user_id, "display_name": "owner", "avatar_url": null }));
    let path = format!("/v1/extensions/{extension}/reviews/{}", data["id"].as_str().unwrap());
    assert_eq!(first.body["_links"]["self"], path);
    assert_eq!(rated(&app, extension).await, (5.0, 1));
    both_refused(
        &review(&one, extension, body.clone()).await,
        &review_over_graphql(&one, extension, &body).await,
        409,
        "CONFLICT",
        "You have already reviewed this extension",
    );
    let second = review_over_graphql(&two, extension, &json!({ "rating": 2 })).await;
    assert_eq!(second.field("createExtensionReview")["title"], "");
    assert_eq!(rated(&app, extension).await, (3.5, 2));
    assert_eq!(app.audited("extension:reviewed").await.len(), 2);

    let changed = one.patch(&path, json!({ "rating": 4 })).await.data().clone();
    assert_eq!((&changed["rating"], &changed["title"]), (&json!(4), &json!("Great")));
    assert_eq!(rated(&app, extension).await, (3.0, 2));
    app.audited_once("extension:review_updated").await;

    let listed = two.get(&format!("/v1/extensions/{extension}/reviews?limit=1")).await;
    assert_eq!(listed.body["_meta"], json!({ "total": 2, "page": 1, "limit": 1, "pages": 2 }));
    assert_eq!((&listed.data()[0]["rating"], listed.data().as_array().unwrap().len()), (&json!(2), 1));
    let graphql = reviews_over_graphql(&two, extension, ", limit: 1").await.field("extensionReviews");
    assert_eq!((&graphql["items"], &graphql["total"]), (listed.data(), &json!(2)));
    let detail = two.get(&format!("/v1/extensions/{extension}")).await.data()["reviews"].clone();
    assert_eq!((&detail["rating_avg"], &detail["rating_count"]), (&json!(3.0), &json!(2)));
    assert_eq!(detail["ratings"][1], json!({ "rating": 4, "count": 1 }));

    assert_eq!(one.delete(&path).await.status, 204);
    assert_eq!(rated(&app, extension).await, (2.0, 1));
    app.audited_once("extension:review_deleted").await;
    review(&one, extension, json!({ "rating": 1 })).await.expect(201);
    diesel::delete(extension_reviews::table.filter(extension_reviews::user_id.eq(two.user_id)))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(rated(&app, extension).await, (1.0, 1), "whichever way a review goes");
}

#[tokio::test]
async fn only_people_of_installer_accounts_review() {
    let app = TestApp::start().await;
    let (studio, staff, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &staff, &json!({})).await;
    let private = studio.extension("Private").await;
    let input = json!({ "rating": 5 });
    both_refused(
        &review(&owner, extension, input.clone()).await,
        &review_over_graphql(&owner, extension, &input).await,
        403,
        "FORBIDDEN",
        "Only accounts that installed the extension can review it",
    );
    for hidden in [private, Uuid::nil()] {
        both_refused(
            &review(&owner, hidden, input.clone()).await,
            &review_over_graphql(&owner, hidden, &input).await,
            404,
            "NOT_FOUND",
            "Extension not found",
        );
        both_refused(
            &owner.get(&format!("/v1/extensions/{hidden}/reviews")).await,
            &reviews_over_graphql(&owner, hidden, "").await,
            404,
            "NOT_FOUND",
            "Extension not found",
        );
    }
    install(&owner, extension, &ASKED, &json!({})).await.expect(201);
    let service = app.service_key(owner.account_id, &["extension-store:review"]).await;
    both_refused(
        &review(&service, extension, input.clone()).await,
        &review_over_graphql(&service, extension, &input).await,
        403,
        "FORBIDDEN",
        "Reviews are written by people",
    );
    let reader = app.member_with(owner.account_id, &["extension-store:read"]).await;
    both_refused(
        &review(&reader, extension, input.clone()).await,
        &review_over_graphql(&reader, extension, &input).await,
        403,
        "FORBIDDEN",
        "Missing permission: extension-store:review",
    );
    for (body, message) in [
        (json!({ "rating": 0 }), "rating must be between 1 and 5"),
        (json!({ "rating": 6 }), "rating must be between 1 and 5"),
        (json!({ "rating": 3, "title": "x".repeat(101) }), "title must be between 0 and 100 characters"),
        (json!({ "rating": 3, "body": "x".repeat(2001) }), "body must be between 0 and 2000 characters"),
        (json!({ "rating": 3, "title": "a\nb" }), "title must not contain control characters"),
    ] {
        both_refused(
            &review(&owner, extension, body.clone()).await,
            &review_over_graphql(&owner, extension, &body).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    assert_eq!(rated(&app, extension).await, (0.0, 0));
    let longest = json!({ "rating": 1, "title": "x".repeat(100), "body": "x".repeat(2000) });
    review(&owner, extension, longest).await.expect(201);
}

#[tokio::test]
async fn anothers_review_is_not_found_and_stays() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, reviewer(&app).await);
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let extension = greeter(&studio, &staff, &json!({})).await;
    let other = greeter(&studio, &staff, &json!({})).await;
    for person in [&owner, &stranger] {
        install(person, extension, &ASKED, &json!({})).await.expect(201);
    }
    let id: Uuid = review(&owner, extension, json!({ "rating": 5 })).await.data()["id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let input = json!({ "rating": 1 });
    let delete =
        "mutation($id: UUID!, $reviewId: UUID!) { deleteExtensionReview(id: $id, reviewId: $reviewId) }";
    for (caller, extension) in [(&stranger, extension), (&owner, other)] {
        let path = format!("/v1/extensions/{extension}/reviews/{id}");
        both_refused(
            &caller.patch(&path, input.clone()).await,
            &caller
                .mutate_at("updateExtensionReview", &[("id", extension), ("reviewId", id)], &input, REVIEW)
                .await,
            404,
            "NOT_FOUND",
            "Review not found",
        );
        both_refused(
            &caller.delete(&path).await,
            &caller.graphql(delete, json!({ "id": extension, "reviewId": id })).await,
            404,
            "NOT_FOUND",
            "Review not found",
        );
    }
    assert_eq!(rated(&app, extension).await, (5.0, 1));
    let path = format!("/v1/extensions/{extension}/reviews/{id}");
    for (body, message) in [
        (json!({ "rating": null }), "rating cannot be null"),
        (json!({ "rating": 9 }), "rating must be between 1 and 5"),
    ] {
        both_refused(
            &owner.patch(&path, body.clone()).await,
            &owner
                .mutate_at("updateExtensionReview", &[("id", extension), ("reviewId", id)], &body, REVIEW)
                .await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    let gone = owner.graphql(delete, json!({ "id": extension, "reviewId": id })).await;
    assert_eq!(gone.field("deleteExtensionReview"), json!(true));
    assert_eq!(rated(&app, extension).await, (0.0, 0));
}
