//! Reviews of extensions (reference/extensions.md#reviews-of-users).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::{extension_reviews, extensions};
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
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn create_extension_review_is_once_per_person_and_updates_the_rating() {
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

    let detail = two.get(&format!("/v1/extensions/{extension}")).await.data()["reviews"].clone();
    assert_eq!((&detail["rating_avg"], &detail["rating_count"]), (&json!(3.0), &json!(2)));
    assert_eq!(detail["ratings"][1], json!({ "rating": 4, "count": 1 }));

    diesel::delete(extension_reviews::table.filter(extension_reviews::user_id.eq(two.user_id)))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(rated(&app, extension).await, (4.0, 1), "whichever way a review goes");
}

#[tokio::test]
async fn create_extension_review_needs_an_account_with_an_install() {
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
async fn update_extension_review_of_another_person_is_not_found() {
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
}

#[tokio::test]
async fn extension_reviews_lists_the_newest_first_by_page() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, reviewer(&app).await);
    let (one, two) = (app.owner().await, app.owner().await);
    let extension = greeter(&studio, &staff, &json!({})).await;
    for (person, rating) in [(&one, 4), (&two, 2)] {
        install(person, extension, &ASKED, &json!({})).await.expect(201);
        review(person, extension, json!({ "rating": rating })).await.expect(201);
    }
    let path = format!("/v1/extensions/{extension}/reviews");
    let listed = two.get(&format!("{path}?limit=1")).await;
    assert_eq!(listed.body["_meta"], json!({ "total": 2, "page": 1, "limit": 1, "pages": 2 }));
    assert_eq!((&listed.data()[0]["rating"], listed.data().as_array().unwrap().len()), (&json!(2), 1));
    let graphql = reviews_over_graphql(&two, extension, ", limit: 1").await.field("extensionReviews");
    assert_eq!((&graphql["items"], &graphql["total"]), (listed.data(), &json!(2)));
    for hidden in [studio.extension("Private").await, Uuid::nil()] {
        both_refused(
            &one.get(&format!("/v1/extensions/{hidden}/reviews")).await,
            &reviews_over_graphql(&one, hidden, "").await,
            404,
            "NOT_FOUND",
            "Extension not found",
        );
    }
    let member = app.member_with(one.account_id, &["chat:read"]).await;
    both_refused(
        &member.get(&path).await,
        &reviews_over_graphql(&member, extension, "").await,
        403,
        "FORBIDDEN",
        "Missing permission: extension-store:read",
    );
}

#[tokio::test]
async fn delete_extension_review_removes_an_own_review_and_updates_the_rating() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, reviewer(&app).await);
    let (one, two) = (app.owner().await, app.owner().await);
    let extension = greeter(&studio, &staff, &json!({})).await;
    let other = greeter(&studio, &staff, &json!({})).await;
    for (person, rating) in [(&one, 5), (&two, 2)] {
        install(person, extension, &ASKED, &json!({})).await.expect(201);
        review(person, extension, json!({ "rating": rating })).await.expect(201);
    }
    let document =
        "mutation($id: UUID!, $reviewId: UUID!) { deleteExtensionReview(id: $id, reviewId: $reviewId) }";
    let own = async |person: &Caller| {
        let listed = person.get(&format!("/v1/extensions/{extension}/reviews")).await.data().clone();
        let ids = listed.as_array().unwrap().iter().map(|review| review["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let [of_two, of_one] = own(&one).await.try_into().expect("two reviews");
    let delete = async |caller: &Caller, extension: Uuid, id: &str| {
        let rest = caller.delete(&format!("/v1/extensions/{extension}/reviews/{id}")).await;
        (rest, caller.graphql(document, json!({ "id": extension, "reviewId": id })).await)
    };
    for (caller, extension) in [(&two, extension), (&one, other)] {
        let (rest, graphql) = delete(caller, extension, &of_one).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Review not found");
    }
    let reader = app.member_with(one.account_id, &["extension-store:read"]).await;
    let (rest, graphql) = delete(&reader, extension, &of_one).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: extension-store:review");

    // The first call deletes the review, and the second finds none.
    assert_eq!(rated(&app, extension).await, (3.5, 2));
    let (rest, graphql) = delete(&one, extension, &of_one).await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "Review not found");
    assert_eq!(rated(&app, extension).await, (2.0, 1));
    app.audited_once("extension:review_deleted").await;
    let gone = two.graphql(document, json!({ "id": extension, "reviewId": of_two })).await;
    assert_eq!(gone.field("deleteExtensionReview"), json!(true));
    assert_eq!(rated(&app, extension).await, (0.0, 0));
    review(&one, extension, json!({ "rating": 1 })).await.expect(201);
}
