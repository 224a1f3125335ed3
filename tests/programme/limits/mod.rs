//! Limits of developers and extensions (reference/developer-limits.md).

mod keys;

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

const LIMITS: &str = "/v1/developer/limits";
const ALL: &str = "{ categories { category limits { key label value source defaultValue configurable } }
    extensions { extensionId extensionName limits { maxSounds maxSoundsSource } } }";

fn of_extension(id: Uuid) -> String {
    format!("/v1/developer/extensions/{id}/limits")
}

fn of_staff(id: Uuid) -> String {
    format!("/v1/admin/extensions/{id}/limits")
}

async fn extension_over_graphql(caller: &Caller, id: Uuid) -> Answer {
    let document = "query($id: UUID!) { extensionLimits(id: $id) { maxSounds maxSoundsSource } }";
    caller.graphql(document, json!({ "id": id })).await
}

async fn update_over_graphql(caller: &Caller, id: Uuid, input: &Value) -> Answer {
    caller.mutate_at("adminUpdateExtensionLimits", &[("id", id)], input, "{ success }").await
}

/// Limit of a key in an answer.
fn limit<'a>(limits: &'a Value, key: &str) -> &'a Value {
    let categories = limits["categories"].as_array().unwrap();
    let mut all = categories.iter().flat_map(|category| category["limits"].as_array().unwrap());
    all.find(|limit| limit["key"] == key).unwrap_or_else(|| panic!("no {key} in {limits}"))
}

#[tokio::test]
async fn developer_limits_list_every_key_and_the_sounds_of_each_extension() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, app.admin_with(&["developer-limits:edit"]).await);
    let id = studio.extension("Loud").await;
    let limits = studio.person.get(LIMITS).await.data().clone();
    let categories = limits["categories"].as_array().unwrap();
    let names: Vec<&str> = categories.iter().map(|category| category["category"].as_str().unwrap()).collect();
    assert_eq!(names, ["extensions", "account", "storage", "functions", "realtime", "sounds"]);
    let count: usize = categories.iter().map(|category| category["limits"].as_array().unwrap().len()).sum();
    assert_eq!(count, 22);
    assert_eq!(
        limit(&limits, "max_extensions"),
        &json!({
            "key": "max_extensions", "label": "Extensions", "value": 25, "source": "default", "default_value": 25,
            "configurable": true,
        })
    );
    let own = |max: i64, source: &str| {
        json!([{ "extension_id": id, "extension_name": "Loud",
                 "limits": { "max_sounds": max, "max_sounds_source": source } }])
    };
    assert_eq!(limits["extensions"], own(50, "default"));
    staff.patch(&of_staff(id), json!({ "max_sounds": 70 })).await.expect(200);
    let twin = studio.person.graphql(&format!("{{ developerLimits {ALL} }}"), json!({})).await;
    let twin = twin.field("developerLimits");
    assert_eq!(twin["extensions"][0]["limits"]["max_sounds"], 70);
    assert_eq!(studio.person.get(LIMITS).await.data()["extensions"], own(70, "extension_override"));
}

#[tokio::test]
async fn developer_limits_need_the_permission_and_a_profile() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.owner().await);
    let document = "{ developerLimits { categories { category } } }";
    let twin = other.graphql(document, json!({})).await;
    both_refused(&other.get(LIMITS).await, &twin, 404, "NOT_FOUND", "Developer profile not found");
    let member = app.member_with(studio.person.account_id, &["chat:read"]).await;
    let twin = member.graphql(document, json!({})).await;
    let lacks = "Missing permission: extension-dev:read";
    both_refused(&member.get(LIMITS).await, &twin, 403, "FORBIDDEN", lacks);
    let popout = app.popout(&studio.person, &["extension-dev:read"]).await;
    popout.get(LIMITS).await.refused_with("FORBIDDEN");
}

#[tokio::test]
async fn extension_limits_are_those_of_the_extension_then_of_the_developer() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, app.admin_with(&["developer-limits:edit"]).await);
    let id = studio.extension("Loud").await;
    let (rest, twin) =
        (studio.person.get(&of_extension(id)).await, extension_over_graphql(&studio.person, id).await);
    assert_eq!(rest.data(), &json!({ "max_sounds": 50, "max_sounds_source": "default" }));
    assert_eq!(twin.field("extensionLimits")["max_sounds"], 50);
    keys::set_developer(&app, studio.profile_id, "max_sounds_per_extension", 60).await;
    let shown = studio.person.get(&of_extension(id)).await;
    assert_eq!(shown.data(), &json!({ "max_sounds": 60, "max_sounds_source": "developer_override" }));
    staff.patch(&of_staff(id), json!({ "max_sounds": 70 })).await.expect(200);
    let shown = studio.person.get(&of_extension(id)).await;
    assert_eq!(shown.data(), &json!({ "max_sounds": 70, "max_sounds_source": "extension_override" }));
}

#[tokio::test]
async fn extension_limits_of_others_do_not_exist() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let id = studio.extension("Loud").await;
    let (rest, twin) =
        (other.person.get(&of_extension(id)).await, extension_over_graphql(&other.person, id).await);
    both_refused(&rest, &twin, 404, "NOT_FOUND", "Extension not found");
    let member = app.member_with(studio.person.account_id, &["chat:read"]).await;
    let (rest, twin) = (member.get(&of_extension(id)).await, extension_over_graphql(&member, id).await);
    both_refused(&rest, &twin, 403, "FORBIDDEN", "Missing permission: extension-dev:read");
}

#[tokio::test]
async fn admin_update_extension_limits_sets_and_clears_the_overrides() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, app.admin_with(&["developer-limits:edit"]).await);
    let id = studio.extension("Loud").await;
    let all = json!({ "max_sounds": 1, "max_sound_file_size": 0, "max_sound_storage_bytes": 52_428_800 });
    assert_eq!(staff.patch(&of_staff(id), all.clone()).await.data(), &json!({ "success": true }));
    let entry = app.audited_once("extension:limits_updated").await;
    assert_eq!((entry.scope.as_str(), &entry.resource_id), ("system", &Some(id.to_string())));
    assert_eq!(entry.metadata["max_sounds_per_extension"], 1);
    let twin = update_over_graphql(&staff, id, &json!({ "max_sounds": null })).await;
    assert_eq!(twin.field("adminUpdateExtensionLimits"), json!({ "success": true }));
    let shown = studio.person.get(&of_extension(id)).await;
    assert_eq!(shown.data(), &json!({ "max_sounds": 50, "max_sounds_source": "default" }));
    // Nothing changes.
    staff.patch(&of_staff(id), json!({})).await.expect(200);
    assert_eq!(app.audited("extension:limits_updated").await.len(), 2);
}

#[tokio::test]
async fn admin_update_extension_limits_refuses_values_out_of_bounds_and_unknown_extensions() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, app.admin_with(&["developer-limits:edit"]).await);
    let id = studio.extension("Loud").await;
    for (input, message) in [
        (json!({ "max_sounds": -1 }), "max_sounds must be between 0 and 200"),
        (json!({ "max_sounds": 201 }), "max_sounds must be between 0 and 200"),
        (json!({ "max_sound_file_size": 52_428_801 }), "max_sound_file_size must be between 0 and 52428800"),
        (
            json!({ "max_sound_storage_bytes": 52_428_801 }),
            "max_sound_storage_bytes must be between 0 and 52428800",
        ),
    ] {
        let twin = update_over_graphql(&staff, id, &input).await;
        both_refused(&staff.patch(&of_staff(id), input).await, &twin, 400, "VALIDATION_ERROR", message);
    }
    let (unknown, input) = (Uuid::now_v7(), json!({ "max_sounds": 1 }));
    let twin = update_over_graphql(&staff, unknown, &input).await;
    let rest = staff.patch(&of_staff(unknown), input.clone()).await;
    both_refused(&rest, &twin, 404, "NOT_FOUND", "Extension not found");
    let reader = app.admin_with(&["developer-limits:read"]).await;
    let (rest, twin) =
        (reader.patch(&of_staff(id), input.clone()).await, update_over_graphql(&reader, id, &input).await);
    both_refused(&rest, &twin, 403, "FORBIDDEN", "Missing permission: developer-limits:edit");
}
