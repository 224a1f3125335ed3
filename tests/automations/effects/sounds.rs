//! Sounds.

use serde_json::json;
use uuid::Uuid;

use super::Scene;

const FEATURE: &str = "feature:sounds";

async fn make_sound(scene: &Scene, account: Uuid) -> Uuid {
    let sound = shared::id::new();
    let sql = format!(
        "INSERT INTO sounds (id, account_id, name, filename, content_type, size_bytes, storage_key, sha256)
         VALUES ('{sound}', '{account}', 's', 's.mp3', 'audio/mpeg', 1, gen_random_uuid()::text, 'x')"
    );
    scene.alter(&sql).await;
    sound
}

#[tokio::test]
async fn effects_of_play_sound_are_published_with_an_address() {
    let scene = Scene::start().await;
    let sound = make_sound(&scene, scene.owner.account_id).await;
    let other = scene.app.owner().await;
    let foreign = make_sound(&scene, other.account_id).await;
    scene.output("play_sound", json!({ "sound_id": sound, "volume": 0.5 })).await;
    let played = scene.published("sounds", "sound:play").await;
    assert_eq!((played.len(), &played[0]["data"]["sound_id"]), (1, &json!(sound)));
    assert_eq!(played[0]["data"]["volume"], json!(0.5));
    assert!(played[0]["data"]["url"].as_str().is_some_and(|url| url.contains(&sound.to_string())));
    assert_eq!(scene.refused("play_sound", json!({ "sound_id": foreign })).await, "Sound not found");
    let loud = scene.refused("play_sound", json!({ "sound_id": sound, "volume": 1.5 })).await;
    assert_eq!(loud, "volume must be between 0 and 1");
    scene.needs(FEATURE, "play_sound", json!({ "sound_id": sound })).await;
    assert_eq!(scene.published("sounds", "sound:play").await.len(), 1);
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_stop_sound_end_one_or_all() {
    let scene = Scene::start().await;
    let sound = make_sound(&scene, scene.owner.account_id).await;
    let other = scene.app.owner().await;
    let foreign = make_sound(&scene, other.account_id).await;
    scene.output("stop_sound", json!({ "sound_id": sound })).await;
    scene.output("stop_sound", json!({})).await;
    let stopped = scene.published("sounds", "sound:stop").await;
    assert_eq!(stopped[0]["data"]["sound_id"], json!(sound));
    assert_eq!(stopped[1]["data"]["sound_id"], json!(null));
    assert_eq!(scene.refused("stop_sound", json!({ "sound_id": foreign })).await, "Sound not found");
    scene.needs(FEATURE, "stop_sound", json!({})).await;
    scene.app.stop().await;
}
