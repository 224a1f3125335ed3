//! Layers of an overlay (reference/overlays.md#layers).

use lumio_tests::{Answer, Caller, TestApp, both_refused, world::install};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{OVERLAYS, both_missing, id_of, layered_install, overlay, query};

const LAYER: &str =
    "{ id overlayId type name config visible sortOrder installId x y width height rotation opacity locked }";

/// A layer of the type `text`.
fn layer(name: &str) -> Value {
    json!({ "type": "text", "name": name, "width": 400, "height": 100 })
}

fn with(field: &str, value: Value) -> Value {
    let mut layer = layer("Title");
    layer[field] = value;
    layer
}

/// Replaces the layers over GraphQL, where types are upper case.
async fn gql_replace(caller: &Caller, overlay: Uuid, layers: &[Value], version: Option<i32>) -> Answer {
    let layers: Vec<Value> = layers
        .iter()
        .map(|layer| {
            let mut layer = layer.clone();
            layer["type"] = json!(layer["type"].as_str().unwrap().to_uppercase());
            if let Some(install) = layer.as_object_mut().unwrap().remove("install_id") {
                layer["installId"] = install;
            }
            layer
        })
        .collect();
    let document = format!(
        "mutation($overlayId: UUID!, $layers: [OverlayLayerInput!]!, $version: Int) {{
            updateOverlayLayers(overlayId: $overlayId, layers: $layers, version: $version) {LAYER} }}"
    );
    caller.graphql(&document, json!({ "overlayId": overlay, "layers": layers, "version": version })).await
}

async fn gql_change(caller: &Caller, overlay: Uuid, layer: Uuid, input: &Value) -> Answer {
    caller.mutate_at("updateOverlayLayer", &[("overlayId", overlay), ("layerId", layer)], input, LAYER).await
}

/// Layers of a GraphQL answer, written as REST would.
fn layers_of(answer: &Answer, field: &str) -> Value {
    let mut layers = answer.field(field);
    for layer in layers.as_array_mut().expect("layers") {
        layer["type"] = json!(layer["type"].as_str().expect("a type").to_lowercase());
    }
    layers
}

async fn version_of(caller: &Caller, overlay: Uuid) -> Value {
    caller.get(&format!("{OVERLAYS}/{overlay}")).await.data()["version"].clone()
}

#[tokio::test]
async fn overlay_layers_shows_the_layers_from_back_to_front() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}/layers");
    assert_eq!(*owner.get(&path).await.data(), json!([]));
    let layers = json!({ "layers": [layer("Back"), layer("Middle"), layer("Front")] });
    let stored = owner.put(&path, layers).await.data().clone();
    assert_eq!(*owner.get(&path).await.data(), stored);
    let gql = query(&owner, "overlayLayers", &[("overlayId", id)], LAYER).await;
    assert_eq!(layers_of(&gql, "overlayLayers"), stored);
    let names: Vec<&Value> = stored.as_array().unwrap().iter().map(|layer| &layer["name"]).collect();
    assert_eq!(names, ["Back", "Middle", "Front"]);
    for (caller, id) in [(&stranger, id), (&owner, Uuid::now_v7())] {
        let rest = caller.get(&format!("{OVERLAYS}/{id}/layers")).await;
        let gql = query(caller, "overlayLayers", &[("overlayId", id)], LAYER).await;
        both_missing(&rest, &gql, "Overlay not found");
    }
    app.stop().await;
}

#[tokio::test]
async fn update_overlay_layers_keeps_given_layers_and_deletes_the_others() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}/layers");
    let full = json!({
        "type": "custom_html", "name": " Page ", "config": { "html": "<b>x</b>", "css": "", "js": "" },
        "visible": false, "x": -100_000, "y": 100_000, "width": 0.5, "height": 7680, "rotation": -360,
        "opacity": 0, "locked": true,
    });
    let first = owner.put(&path, json!({ "layers": [full, layer("Title")] })).await.data().clone();
    let expected = json!({
        "id": first[0]["id"], "overlay_id": id, "type": "custom_html", "name": "Page", "config": full["config"],
        "visible": false, "sort_order": 0, "install_id": null, "x": -100_000.0, "y": 100_000.0, "width": 0.5,
        "height": 7680.0, "rotation": -360.0, "opacity": 0.0, "locked": true,
    });
    assert_eq!(first[0], expected);
    let expected = json!({
        "id": first[1]["id"], "overlay_id": id, "type": "text", "name": "Title", "config": {}, "visible": true,
        "sort_order": 1, "install_id": null, "x": 0.0, "y": 0.0, "width": 400.0, "height": 100.0,
        "rotation": 0.0, "opacity": 1.0, "locked": false,
    });
    assert_eq!(first[1], expected);
    assert_eq!(version_of(&owner, id).await, 2);

    let mut kept = layer("Kept");
    kept["id"] = first[1]["id"].clone();
    let gql = gql_replace(&owner, id, &[layer("New"), kept], Some(2)).await;
    let second = layers_of(&gql, "updateOverlayLayers");
    assert_eq!((&second[1]["id"], &second[1]["name"]), (&first[1]["id"], &json!("Kept")));
    assert_eq!((&second[0]["sort_order"], &second[1]["sort_order"]), (&json!(0), &json!(1)));
    assert_ne!(second[0]["id"], first[0]["id"]);
    assert_eq!(*owner.get(&path).await.data(), second);
    assert_eq!(*owner.put(&path, json!({ "layers": [] })).await.data(), json!([]));
    assert_eq!(version_of(&owner, id).await, 4);
    let entries = app.audited("overlay:layers_replaced").await;
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0].resource_id, Some(id.to_string()));
    assert_eq!(entries[0].metadata, json!({ "layers": 2, "version": 2 }));
    app.stop().await;
}

#[tokio::test]
async fn update_overlay_layers_refuses_layers_of_other_overlays() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&overlay(&owner, "Mine").await);
    let mut foreign = Vec::new();
    for caller in [&owner, &stranger] {
        let other = id_of(&overlay(caller, "Other").await);
        let stored =
            caller.put(&format!("{OVERLAYS}/{other}/layers"), json!({ "layers": [layer("x")] })).await;
        foreign.push(stored.data()[0]["id"].clone());
    }
    foreign.push(json!(Uuid::now_v7()));
    for layer_id in foreign {
        let layers = [layer("First"), with("id", layer_id)];
        let rest = owner.put(&format!("{OVERLAYS}/{id}/layers"), json!({ "layers": layers })).await;
        both_missing(&rest, &gql_replace(&owner, id, &layers, None).await, "Layer not found");
    }
    let rest = stranger.put(&format!("{OVERLAYS}/{id}/layers"), json!({ "layers": [] })).await;
    both_missing(&rest, &gql_replace(&stranger, id, &[], None).await, "Overlay not found");
    assert_eq!(version_of(&owner, id).await, 1);
    assert_eq!(*owner.get(&format!("{OVERLAYS}/{id}/layers")).await.data(), json!([]));
    app.stop().await;
}

#[tokio::test]
async fn update_overlay_layers_takes_installs_of_the_account_that_have_a_layer() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}/layers");
    let extension = |install: Uuid| json!({ "type": "extension", "name": "Goals", "width": 1, "height": 1, "install_id": install });
    for install in [layered_install(&app, &stranger).await.0, Uuid::now_v7()] {
        let layers = [layer("Title"), extension(install)];
        let rest = owner.put(&path, json!({ "layers": layers })).await;
        both_missing(&rest, &gql_replace(&owner, id, &layers, None).await, "Extension install not found");
    }
    let (own, _) = layered_install(&app, &owner).await;
    let without = "layers[0].install_id must be of an extension that has a layer";
    let other = "layers[0].install_id must be null for other types than extension";
    let mut missing = extension(own);
    missing.as_object_mut().unwrap().remove("install_id");
    for (layer, message) in [
        (extension(install(&app, &owner, &[]).await), without),
        (with("install_id", json!(own)), other),
        (missing, "Missing field: layers[0].install_id"),
    ] {
        let rest = owner.put(&path, json!({ "layers": [layer] })).await;
        let gql = gql_replace(&owner, id, &[layer], None).await;
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
    }
    let stored = owner.put(&path, json!({ "layers": [extension(own)] })).await.data().clone();
    assert_eq!((&stored[0]["type"], &stored[0]["install_id"]), (&json!("extension"), &json!(own)));
    owner.delete(&format!("/v1/extension-installs/{own}")).await.expect(204);
    assert_eq!(*owner.get(&path).await.data(), json!([]), "the layer ends with its install");
    app.stop().await;
}

#[tokio::test]
async fn update_overlay_layers_validates_every_field() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}/layers");
    for (field, value, message) in [
        ("name", json!(""), "name must not be empty"),
        ("name", json!("x".repeat(101)), "name must be between 1 and 100 characters"),
        ("config", json!([]), "config must be an object"),
        ("config", json!({ "a": "x".repeat(65_536) }), "config must not be larger than 65536 bytes"),
        ("config", json!({ "a": "\u{0}" }), "config must not contain NUL characters"),
        ("x", json!(100_000.5), "x must be between -100000 and 100000"),
        ("y", json!(-100_001), "y must be between -100000 and 100000"),
        ("width", json!(0), "width must be more than 0 and at most 7680"),
        ("height", json!(7680.5), "height must be more than 0 and at most 7680"),
        ("rotation", json!(361), "rotation must be between -360 and 360"),
        ("opacity", json!(1.1), "opacity must be between 0 and 1"),
    ] {
        let layers = [layer("First"), with(field, value)];
        let rest = owner.put(&path, json!({ "layers": layers })).await;
        let gql = gql_replace(&owner, id, &layers, None).await;
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", &format!("layers[1].{message}"));
    }
    let mut again = layer("Again");
    again["id"] = json!(Uuid::now_v7());
    let twice = [again.clone(), again];
    let rest = owner.put(&path, json!({ "layers": twice })).await;
    let gql = gql_replace(&owner, id, &twice, None).await;
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "layers must not contain an id twice");
    let unknown = owner.put(&path, json!({ "layers": [with("type", json!("clock"))] })).await;
    assert_eq!(unknown.error().0, "VALIDATION_ERROR");
    assert!(
        unknown.error().1.starts_with("Invalid layers[0].type: must be one of alert_box, "),
        "{}",
        unknown.text
    );
    owner.put(&path, json!({})).await.refused("VALIDATION_ERROR", "Missing field: layers");
    assert!(app.audited("overlay:layers_replaced").await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn update_overlay_layers_stops_at_a_hundred_layers() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}/layers");
    let layers: Vec<Value> = (0..101).map(|n| layer(&format!("{n}"))).collect();
    let rest = owner.put(&path, json!({ "layers": layers })).await;
    let gql = gql_replace(&owner, id, &layers, None).await;
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "layers must have at most 100 entries");
    let stored = owner.put(&path, json!({ "layers": layers[..100] })).await;
    assert_eq!(stored.data().as_array().map(Vec::len), Some(100));
    assert_eq!(stored.data()[99]["name"], "99");
    assert_eq!(owner.get(&format!("{OVERLAYS}/{id}")).await.data()["layer_count"], 100);
    app.stop().await;
}

#[tokio::test]
async fn update_overlay_layers_and_update_overlay_layer_refuse_a_stale_version() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}/layers");
    let stored = owner.put(&path, json!({ "layers": [layer("x")], "version": 1 })).await.data().clone();
    let layer_id = id_of(&stored[0]);
    let stale = "Overlay was changed meanwhile";
    let rest = owner.put(&path, json!({ "layers": [], "version": 1 })).await;
    both_refused(&rest, &gql_replace(&owner, id, &[], Some(1)).await, 409, "CONFLICT", stale);
    assert_eq!(rest.body["details"], json!({ "version": 2 }));
    let input = json!({ "visible": false, "version": 1 });
    let rest = owner.patch(&format!("{path}/{layer_id}"), input.clone()).await;
    both_refused(&rest, &gql_change(&owner, id, layer_id, &input).await, 409, "CONFLICT", stale);
    assert_eq!(rest.body["details"], json!({ "version": 2 }));
    assert_eq!(*owner.get(&path).await.data(), stored);
    let input = json!({ "visible": false, "version": 2 });
    owner.patch(&format!("{path}/{layer_id}"), input).await.expect(200);
    assert_eq!(version_of(&owner, id).await, 3);
    app.stop().await;
}

#[tokio::test]
async fn update_overlay_layer_changes_the_given_fields() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}/layers");
    let stored = owner.put(&path, json!({ "layers": [layer("Back"), layer("Front")] })).await.data().clone();
    let layer_id = id_of(&stored[1]);
    let at = format!("{path}/{layer_id}");
    let mut expected = stored[1].clone();
    let changes = json!({
        "name": "New", "config": { "text": "b" }, "visible": false, "locked": true, "x": 1.5, "y": 2.5,
        "width": 3.5, "height": 4.5, "rotation": 5.5, "opacity": 0.5,
    });
    for (field, value) in changes.as_object().unwrap() {
        expected[field] = value.clone();
    }
    assert_eq!(*owner.patch(&at, changes).await.data(), expected);
    let gql = gql_change(&owner, id, layer_id, &json!({ "visible": true })).await.field("updateOverlayLayer");
    assert_eq!((&gql["visible"], &gql["name"], &gql["type"]), (&json!(true), &json!("New"), &json!("TEXT")));
    assert_eq!(version_of(&owner, id).await, 4);
    // Nothing is changed and nothing counted.
    assert_eq!(owner.patch(&at, json!({})).await.data()["name"], "New");
    assert_eq!(version_of(&owner, id).await, 4);
    assert_eq!(owner.get(&path).await.data()[0], stored[0]);

    let input = json!({ "visible": false });
    let other = id_of(&overlay(&owner, "Other").await);
    for (overlay, layer) in [(other, layer_id), (id, Uuid::now_v7())] {
        let rest = owner.patch(&format!("{OVERLAYS}/{overlay}/layers/{layer}"), input.clone()).await;
        both_missing(&rest, &gql_change(&owner, overlay, layer, &input).await, "Layer not found");
    }
    let rest = stranger.patch(&at, input.clone()).await;
    both_missing(&rest, &gql_change(&stranger, id, layer_id, &input).await, "Overlay not found");
    for (input, message) in [
        (json!({ "opacity": 2 }), "opacity must be between 0 and 1"),
        (json!({ "config": 1 }), "config must be an object"),
        (json!({ "name": null }), "name cannot be null"),
        (json!({ "width": -1 }), "width must be more than 0 and at most 7680"),
    ] {
        let rest = owner.patch(&at, input.clone()).await;
        both_refused(
            &rest,
            &gql_change(&owner, id, layer_id, &input).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    let entries = app.audited("overlay:layer_updated").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1].resource_id, Some(layer_id.to_string()));
    assert_eq!(entries[1].metadata, json!({ "overlay_id": id, "fields": ["visible"], "version": 4 }));
    app.stop().await;
}
