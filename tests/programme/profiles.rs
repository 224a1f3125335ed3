//! Profiles of developers (reference/programme.md#profiles).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::{developer_profiles, extensions};

use super::image;

const PATH: &str = "/v1/developer/profile";
const PROFILE: &str =
    "{ id userId displayName slug description githubUrl websiteUrl avatarKey verified createdAt updatedAt }";
const PUBLIC: &str = "{ id displayName slug description githubUrl websiteUrl avatarKey avatarUrl createdAt
    stats { extensionCount totalInstalls avgRating }
    extensions { id shortId slug name description category iconKey pricingType pricingAmount pricingCurrency
        installCount ratingAvg ratingCount publishedAt } }";

async fn gql_update(caller: &Caller, input: &Value) -> Answer {
    caller.mutate("updateDeveloperProfile", input, PROFILE).await
}

#[tokio::test]
async fn developer_profile_is_the_own_one() {
    let app = TestApp::start().await;
    let (developer, other) = (app.owner().await, app.owner().await);
    let id = app.developer_profile(developer.user_id).await;
    let profile = developer.get(PATH).await.data().clone();
    assert_eq!((&profile["id"], &profile["user_id"]), (&json!(id), &json!(developer.user_id)));
    assert_eq!((&profile["verified"], &profile["github_url"]), (&json!(false), &Value::Null));
    let read = format!("{{ developerProfile {PROFILE} }}");
    let graphql = developer.graphql(&read, json!({})).await.field("developerProfile");
    assert_eq!(graphql, profile);
    let graphql = other.graphql(&read, json!({})).await;
    both_refused(&other.get(PATH).await, &graphql, 404, "NOT_FOUND", "Developer profile not found");
    let popout = app.popout(&developer, &[]).await;
    let graphql = popout.graphql(&read, json!({})).await;
    assert_eq!((popout.get(PATH).await.status, graphql.error().0.as_str()), (403, "FORBIDDEN"));
    app.stop().await;
}

#[tokio::test]
async fn update_developer_profile_changes_the_given_fields() {
    let app = TestApp::start().await;
    let developer = app.owner().await;
    app.developer_profile(developer.user_id).await;
    let before = developer.get(PATH).await.data().clone();
    let avatar = image(&developer).await;
    let given = json!({
        "display_name": " Pixel Works ", "description": "Small overlays.", "github_url": "https://github.com/pixel",
        "website_url": "https://pixel.example", "avatar_key": avatar,
    });
    let changed = developer.patch(PATH, given.clone()).await.expect(200)["data"].clone();
    assert_eq!((&changed["display_name"], &changed["slug"]), (&json!("Pixel Works"), &before["slug"]));
    for field in ["description", "github_url", "website_url", "avatar_key"] {
        assert_eq!(changed[field], given[field], "{field}");
    }
    let cleared =
        gql_update(&developer, &json!({ "website_url": null })).await.field("updateDeveloperProfile");
    assert_eq!((&cleared["website_url"], &cleared["description"]), (&Value::Null, &given["description"]));
    let audited = app.audited("developer:profile_updated").await;
    assert_eq!((audited.len(), audited[1].scope.as_str()), (2, "user"));
    assert_eq!(audited[1].metadata, json!({ "fields": ["website_url"] }));
    app.stop().await;
}

#[tokio::test]
async fn update_developer_profile_refuses_invalid_fields_and_others() {
    let app = TestApp::start().await;
    let (developer, other) = (app.owner().await, app.owner().await);
    app.developer_profile(developer.user_id).await;
    for (input, message) in [
        (json!({ "display_name": null }), "display_name cannot be null"),
        (json!({ "display_name": "x".repeat(61) }), "display_name must be between 1 and 60 characters"),
        (json!({ "description": "x".repeat(2001) }), "description must be between 1 and 2000 characters"),
        (json!({ "github_url": "ftp://x" }), "github_url must be an https address"),
        (json!({ "website_url": "x".repeat(501) }), "website_url must be between 1 and 500 characters"),
    ] {
        let both = (developer.patch(PATH, input.clone()).await, gql_update(&developer, &input).await);
        both_refused(&both.0, &both.1, 400, "VALIDATION_ERROR", message);
    }
    let foreign = json!({ "avatar_key": image(&other).await });
    let both = (developer.patch(PATH, foreign.clone()).await, gql_update(&developer, &foreign).await);
    both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Upload not found");
    let given = json!({ "display_name": "Other" });
    let both = (other.patch(PATH, given.clone()).await, gql_update(&other, &given).await);
    both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Developer profile not found");
    let service = app.service_key(developer.account_id, &[]).await;
    let both = (service.patch(PATH, given.clone()).await, gql_update(&service, &given).await);
    assert_eq!((both.0.status, both.1.error().0.as_str()), (403, "FORBIDDEN"));
    app.stop().await;
}

#[tokio::test]
async fn public_developer_profile_shows_listed_extensions_to_everyone() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let listed = studio.public_extension("Greeter").await;
    let hidden = studio.extension("Secret plans").await;
    let version = studio.version(listed, "1.0.0", &json!({})).await;
    let avatar = image(&studio.person).await;
    studio.person.patch(PATH, json!({ "avatar_key": avatar })).await.expect(200);
    let mut db = app.databases.postgres.get().await.unwrap();
    diesel::update(extensions::table.find(listed))
        .set((
            extensions::status.eq("approved"),
            extensions::listed_at.eq(app.clock.now()),
            extensions::current_version_id.eq(version),
            extensions::install_count.eq(7),
            extensions::rating_sum.eq(9),
            extensions::rating_count.eq(2),
            extensions::rating_avg.eq(4.5),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    let slug: String = developer_profiles::table
        .find(studio.profile_id)
        .select(developer_profiles::slug)
        .first(&mut *db)
        .await
        .unwrap();
    drop(db);
    let path = format!("/v1/developer/profiles/{slug}");
    let shown = app.anonymous().get(&path).await;
    let profile = shown.data();
    assert_eq!(profile["stats"], json!({ "extension_count": 1, "total_installs": 7, "avg_rating": 4.5 }));
    assert_eq!((&profile["extensions"][0]["id"], &profile["avatar_key"]), (&json!(listed), &json!(avatar)));
    assert!(profile["avatar_url"].is_string());
    assert!(!shown.text.contains(&hidden.to_string()) && profile.get("user_id").is_none(), "{}", shown.text);
    let read = format!("query($slug: String!) {{ publicDeveloperProfile(slug: $slug) {PUBLIC} }}");
    let graphql =
        app.anonymous().graphql(&read, json!({ "slug": slug })).await.field("publicDeveloperProfile");
    assert_eq!((&graphql["stats"], &graphql["extensions"]), (&profile["stats"], &profile["extensions"]));
    let rest = app.anonymous().get("/v1/developer/profiles/lost").await;
    let graphql = app.anonymous().graphql(&read, json!({ "slug": "lost" })).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Developer profile not found");
    app.stop().await;
}
