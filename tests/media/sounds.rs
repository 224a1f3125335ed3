//! Sounds of an account (reference/media.md#sounds).

mod playback;

use chrono::Duration;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Answer, Caller, SocketRequest, TestApp, both_refused,
    extensions::{archive, manifest},
    world::workers,
};
use lumio_worker::Daemon;
use reqwest::Method;
use serde_json::{Value, json};
use shared::schema::{extensions, overlays, sounds, widgets};
use uuid::Uuid;

use super::{TONE, limit_sounds, limit_storage, path_of, removed_objects, send, unclaimed_count, used};

const PATH: &str = "/v1/sounds";
const FIELDS: &str = "{ id accountId name filename contentType sizeBytes durationMs waveform createdAt \
    sourceExtensionName }";
const LIST: &str = "{ sounds { name } totalCount userSoundCount maxSounds maxSoundFileSize maxSoundStorageBytes \
    usedStorageBytes }";

async fn add(caller: &Caller, filename: &str, content: &[u8]) -> Answer {
    send(caller, PATH, &[("file", Some(filename), content)]).await
}

async fn added(caller: &Caller, filename: &str) -> Value {
    add(caller, filename, TONE).await.expect(201)["data"].clone()
}

async fn gql(caller: &Caller, document: &str, variables: Value) -> Answer {
    caller.graphql(document, variables).await
}

fn id_of(sound: &Value) -> String {
    sound["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn create_sound_finds_type_length_and_peaks_by_decoding() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (content, content_type, milliseconds) in [
        (TONE, "audio/wav", Some(500..=500)),
        (include_bytes!("../fixtures/media/tone.flac"), "audio/flac", Some(500..=500)),
        // These formats add silence around the sound.
        (include_bytes!("../fixtures/media/tone.mp3"), "audio/mpeg", Some(450..=700)),
        (include_bytes!("../fixtures/media/tone.ogg"), "audio/ogg", Some(450..=600)),
        (include_bytes!("../fixtures/media/tone.opus"), "audio/ogg", None),
    ] {
        let sound = add(&owner, "Air Horn.final.xyz", content).await.expect(201)["data"].clone();
        assert_eq!(
            (&sound["name"], &sound["content_type"]),
            (&json!("Air Horn.final"), &json!(content_type))
        );
        assert_eq!(
            (&sound["size_bytes"], &sound["filename"]),
            (&json!(content.len()), &json!("Air Horn.final.xyz"))
        );
        assert_eq!(sound["source_extension_name"], Value::Null);
        let Some(milliseconds) = milliseconds else {
            assert_eq!((&sound["duration_ms"], &sound["waveform"]), (&Value::Null, &Value::Null));
            continue;
        };
        let duration = sound["duration_ms"].as_i64().unwrap();
        assert!(milliseconds.contains(&duration), "{content_type}: {duration}");
        let peaks: Vec<f64> = serde_json::from_value(sound["waveform"].clone()).unwrap();
        assert_eq!(peaks.len(), 256);
        assert!(
            peaks.iter().all(|peak| (0.0..=1.0).contains(peak)) && (0.4..0.6).contains(&peaks[100]),
            "{peaks:?}"
        );
        let id = id_of(&sound);
        let graphql =
            gql(&owner, &format!("query($id: UUID!) {{ sound(id: $id) {FIELDS} }}"), json!({ "id": id }))
                .await;
        assert_eq!(graphql.field("sound")["waveform"], sound["waveform"]);
        assert_eq!(*owner.get(&format!("{PATH}/{id}")).await.data(), sound);
    }
    let entries = app.audited("sound:created").await;
    assert_eq!(entries.len(), 5);
    assert_eq!(entries[0].metadata, json!({ "name": "Air Horn.final", "size_bytes": TONE.len() }));
    assert_eq!(unclaimed_count(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn create_sound_refuses_what_is_no_sound() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let no_sound = "file must be an MP3, WAV, OGG or FLAC sound";
    for content in [
        super::PNG,
        b"ID3\x04\0\0\0\0\0\0 a tag and nothing else",
        b"RIFF\0\0\0\0WAVE",
        b"OggS\0\x02 no sound",
        b"\0\0\0\x18ftypM4A \0\0\0\0",
    ] {
        add(&owner, "horn.mp3", content).await.refused("VALIDATION_ERROR", no_sound);
    }
    add(&owner, "horn.mp3", b"").await.refused("VALIDATION_ERROR", "file must not be empty");
    let long = "x".repeat(101);
    for (name, message) in [
        ("", "name must not be empty"),
        (long.as_str(), "name must be between 1 and 100 characters"),
        ("a\u{7}b", "name must not contain control characters"),
    ] {
        let fields = [("name", None, name.as_bytes()), ("file", Some("a.wav"), TONE)];
        send(&owner, PATH, &fields).await.refused("VALIDATION_ERROR", message);
    }
    limit_sounds(&app, owner.account_id, (10, 8000, 80_000)).await;
    add(&owner, "a.wav", TONE).await.refused("VALIDATION_ERROR", "file must not be larger than 8000 bytes");
    assert_eq!((used(&app, owner.account_id).await, unclaimed_count(&app).await), (0, 0));
    app.stop().await;
}

#[tokio::test]
async fn create_sound_in_parallel_keeps_number_and_storage_within_the_plan() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let size = i64::try_from(TONE.len()).unwrap();
    limit_sounds(&app, owner.account_id, (3, size, 10 * size)).await;
    let answers = futures::future::join_all((0..8).map(|_| add(&owner, "a.wav", TONE))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 3);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.refused("PLAN_LIMIT_REACHED", "Sound limit reached");
    }

    limit_sounds(&app, owner.account_id, (100, size, 5 * size - 1)).await;
    let answers = futures::future::join_all((0..8).map(|_| add(&owner, "a.wav", TONE))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.refused("PLAN_LIMIT_REACHED", "Sound storage limit reached");
    }
    assert_eq!(used(&app, owner.account_id).await, 4 * size);

    // The storage of the account counts too.
    limit_storage(&app, other.account_id, size - 1, size).await;
    add(&other, "a.wav", TONE).await.refused("PLAN_LIMIT_REACHED", "Storage limit reached");
    assert_eq!(used(&app, other.account_id).await, 0);
    // Nothing is left of refused files.
    let of_owner = removed_objects(&app, owner.account_id).await;
    let of_other = removed_objects(&app, other.account_id).await;
    assert_eq!((of_owner, of_other, unclaimed_count(&app).await), (4, 0, 0));
    app.stop().await;
}

#[tokio::test]
async fn sounds_are_listed_with_the_limits_of_the_plan() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for name in ["Airhorn.wav", "Applause.wav", "drum_roll.wav"] {
        added(&owner, name).await;
        app.clock.advance(Duration::seconds(1));
    }
    let listed = owner.get(PATH).await.data().clone();
    let names = |list: &Value| -> Vec<String> {
        let sounds = list["sounds"].as_array().unwrap();
        sounds.iter().map(|sound| sound["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&listed), ["drum_roll", "Applause", "Airhorn"]);
    for (field, expected) in [
        ("total_count", 3),
        ("user_sound_count", 3),
        ("max_sounds", 100),
        ("max_sound_file_size", 10_485_760),
        ("max_sound_storage_bytes", 524_288_000),
        ("used_storage_bytes", 3 * TONE.len()),
    ] {
        assert_eq!(listed[field], expected, "{field}");
    }
    let found = owner.get(&format!("{PATH}?search=A")).await.data().clone();
    assert_eq!(
        (names(&found), &found["total_count"]),
        (vec!["Applause".into(), "Airhorn".into()], &json!(2))
    );
    let part = owner.get(&format!("{PATH}?limit=1&offset=1")).await.data().clone();
    assert_eq!((names(&part), &part["total_count"]), (vec!["Applause".into()], &json!(3)));
    // No character is a pattern.
    assert_eq!(owner.get(&format!("{PATH}?search=_")).await.data()["total_count"], 1);
    let document = format!("{{ sounds(search: \"air\", limit: 100) {LIST} }}");
    let graphql = gql(&owner, &document, json!({})).await.field("sounds");
    assert_eq!((names(&graphql), &graphql["max_sounds"]), (vec!["Airhorn".into()], &json!(100)));
    for (query, message) in [
        ("limit=0", "limit must be between 1 and 100"),
        ("limit=101", "limit must be between 1 and 100"),
        ("offset=-1", "offset must be between 0 and 1000000"),
        ("offset=1000001", "offset must be between 0 and 1000000"),
        ("search=", "search must not be empty"),
    ] {
        owner.get(&format!("{PATH}?{query}")).await.refused("VALIDATION_ERROR", message);
    }
    app.stop().await;
}

#[tokio::test]
async fn update_sound_changes_what_is_given() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("sounds:{}", owner.account_id)).await;
    let id = id_of(&added(&owner, "a.wav").await);
    let path = format!("{PATH}/{id}");
    let changes = json!({ "name": " Horn ", "duration_ms": 86_400_000, "waveform": [0, 0.5, 1] });
    let changed = owner.patch(&path, changes).await.data().clone();
    assert_eq!(
        (&changed["name"], &changed["duration_ms"], &changed["waveform"]),
        (&json!("Horn"), &json!(86_400_000), &json!([0.0, 0.5, 1.0]))
    );
    let document = "mutation($id: UUID!, $input: UpdateSoundInput!) { updateSound(id: $id, input: $input) \
        { name durationMs waveform } }";
    let input = json!({ "id": id, "input": { "waveform": null, "durationMs": null } });
    let cleared = gql(&owner, document, input).await.field("updateSound");
    assert_eq!(cleared, json!({ "name": "Horn", "duration_ms": null, "waveform": null }));
    assert_eq!(owner.patch(&path, json!({})).await.data()["name"], "Horn");
    let entries = app.audited("sound:updated").await;
    assert_eq!(entries.len(), 2, "{entries:?}");
    assert_eq!(entries[0].metadata["changed"], json!(["name", "duration_ms", "waveform"]));
    for (changes, message) in [
        (json!({ "name": null }), "name cannot be null"),
        (json!({ "name": "x".repeat(101) }), "name must be between 1 and 100 characters"),
        (json!({ "duration_ms": -1 }), "duration_ms must be between 0 and 86400000"),
        (json!({ "duration_ms": 86_400_001 }), "duration_ms must be between 0 and 86400000"),
        (json!({ "waveform": [] }), "waveform must have 1 to 1024 numbers between 0 and 1"),
        (json!({ "waveform": vec![0.5; 1025] }), "waveform must have 1 to 1024 numbers between 0 and 1"),
        (json!({ "waveform": [1.1] }), "waveform must have 1 to 1024 numbers between 0 and 1"),
    ] {
        owner.patch(&path, changes).await.refused("VALIDATION_ERROR", message);
    }
    let running = workers(&app, &[Daemon::Outbox]).await;
    for action in ["created", "updated", "updated"] {
        let frame = socket.frame().await;
        assert_eq!(frame["event_type"], "sound:list:updated");
        assert_eq!(frame["data"], json!({ "action": action, "sound_id": id }));
    }
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn delete_sound_frees_its_storage() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (first, second) = (id_of(&added(&owner, "a.wav").await), id_of(&added(&owner, "b.wav").await));
    let keys: Vec<String> = sounds::table
        .select(sounds::storage_key)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    owner.delete(&format!("{PATH}/{first}")).await.expect(204);
    let deleted = gql(&owner, "mutation($id: UUID!) { deleteSound(id: $id) }", json!({ "id": second })).await;
    assert_eq!(deleted.field("deleteSound"), json!(true));
    owner.delete(&format!("{PATH}/{first}")).await.refused("NOT_FOUND", "Sound not found");
    assert_eq!((used(&app, owner.account_id).await, unclaimed_count(&app).await), (0, 2));
    let later = app.clock.now() + Duration::days(2);
    let swept =
        foundation::unclaimed::sweep(&app.databases.postgres, &app.state.storage, later).await.unwrap();
    assert_eq!(swept, 2);
    for key in keys {
        assert!(app.state.storage.get(&key).await.unwrap().is_none());
    }
    assert_eq!(app.audited("sound:deleted").await[0].metadata, json!({ "name": "a" }));
    app.stop().await;
}

#[tokio::test]
async fn sound_of_another_account_or_without_its_permission_is_refused() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let player = app.member_with(owner.account_id, &["sounds:play"]).await;
    let sound = added(&owner, "a.wav").await;
    let path = format!("{PATH}/{}", id_of(&sound));
    let document = format!("query($id: UUID!) {{ sound(id: $id) {FIELDS} }}");
    let variables = json!({ "id": sound["id"] });
    let (rest, graphql) = (player.get(&path).await, gql(&player, &document, variables.clone()).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: sounds:read");
    let (rest, graphql) = (stranger.get(&path).await, gql(&stranger, &document, variables).await);
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Sound not found");
    app.stop().await;
}

#[tokio::test]
async fn sounds_of_extensions_are_listed_and_played_but_not_changed() {
    let app = TestApp::start().await;
    let (studio, owner) = (app.studio().await, app.owner().await);
    let extension = studio.public_extension("Horns").await;
    let changes = json!({
        "permissions": [],
        "sounds": [{ "key": "horn", "file": "sounds/horn.wav", "label": "Bundled horn" }],
    });
    let manifest = manifest(extension, "1.0.0", &changes).to_string();
    let bundle = archive(&[
        ("lumio.config.json", manifest.as_bytes()),
        ("server.js", lumio_tests::extensions::SERVER.as_bytes()),
        ("sounds/horn.wav", TONE),
    ]);
    let version = studio.upload(extension, "1.0.0", &bundle).await.expect(202)["version"]["id"].clone();
    let reviewer = app.admin_with(&["extension-review:read", "extension-review:edit"]).await.caller;
    let publish = format!("/v1/admin/extension-versions/{}/publish", version.as_str().unwrap());
    reviewer.post(&publish, json!({})).await.expect(200);
    added(&owner, "own.wav").await;
    let install = json!({ "extension_id": extension, "granted_permissions": [], "config": {} });
    let install = owner.post("/v1/extension-installs", install).await.expect(201)["data"]["id"].clone();

    let listed = owner.get(&format!("{PATH}?search=bundled")).await.data().clone();
    assert_eq!((&listed["total_count"], &listed["user_sound_count"]), (&json!(1), &json!(1)));
    assert_eq!(listed["used_storage_bytes"], TONE.len());
    let sound = listed["sounds"][0].clone();
    assert_eq!((&sound["name"], &sound["source_extension_name"]), (&json!("Bundled horn"), &json!("Horns")));
    assert_eq!((&sound["filename"], &sound["size_bytes"]), (&json!("horn.wav"), &json!(TONE.len())));
    let path = format!("{PATH}/{}", id_of(&sound));
    assert_eq!(*owner.get(&path).await.data(), sound);

    let belongs = "Sound belongs to an extension";
    let delete = "mutation($id: UUID!) { deleteSound(id: $id) }";
    let graphql = gql(&owner, delete, json!({ "id": sound["id"] })).await;
    both_refused(&owner.delete(&path).await, &graphql, 409, "CONFLICT", belongs);
    owner.patch(&path, json!({ "name": "Mine" })).await.refused("CONFLICT", belongs);

    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("sounds:{}", owner.account_id)).await;
    owner.post(&format!("{path}/play"), json!({})).await.expect(200);
    let address = path_of(&app, socket.frame().await["data"]["url"].as_str().unwrap());
    let served = app.anonymous().request(Method::GET, &address).send().await.unwrap();
    assert_eq!(served.bytes().await.unwrap().as_ref(), TONE);
    let foreign = address.replace(install.as_str().unwrap(), &Uuid::now_v7().to_string());
    app.anonymous().get(&foreign).await.refused("FORBIDDEN", "The address is not signed");

    // The sound of a suspended extension is gone as long as it is suspended.
    let set_status = async |status: &str| {
        diesel::update(extensions::table.filter(extensions::id.eq(extension)))
            .set(extensions::status.eq(status.to_owned()))
            .execute(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    };
    let status: String = extensions::table
        .filter(extensions::id.eq(extension))
        .select(extensions::status)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    set_status("suspended").await;
    owner.get(&path).await.refused("NOT_FOUND", "Sound not found");
    app.anonymous().get(&address).await.refused("NOT_FOUND", "Sound not found");
    set_status(&status).await;

    // Another account has no such sound, and it goes with the install.
    app.owner().await.get(&path).await.refused("NOT_FOUND", "Sound not found");
    owner.delete(&format!("/v1/extension-installs/{}", install.as_str().unwrap())).await.expect(204);
    owner.get(&path).await.refused("NOT_FOUND", "Sound not found");
    app.anonymous().get(&address).await.refused("NOT_FOUND", "Sound not found");
    app.stop().await;
}

#[tokio::test]
async fn sounds_need_permission_and_feature_and_are_hidden_from_other_accounts() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let sound = added(&owner, "a.wav").await;
    let (id, path) = (id_of(&sound), format!("{PATH}/{}", id_of(&sound)));
    let reader = app.member_with(owner.account_id, &["sounds:read"]).await;
    let none = app.member_with(owner.account_id, &["chat:read"]).await;
    let read = format!("query($id: UUID!) {{ sound(id: $id) {FIELDS} }}");
    let update = "mutation($id: UUID!) { updateSound(id: $id, input: { name: \"b\" }) { id } }";
    let delete = "mutation($id: UUID!) { deleteSound(id: $id) }";
    let play = "mutation($id: UUID!) { playSound(id: $id) { success } }";
    let stop = "mutation($id: UUID!) { stopSound(id: $id) { success } }";
    assert_eq!(*reader.get(&path).await.data(), sound);
    let list = gql(&none, &format!("{{ sounds {LIST} }}"), json!({})).await;
    both_refused(&none.get(PATH).await, &list, 403, "FORBIDDEN", "Missing permission: sounds:read");
    add(&reader, "a.wav", TONE).await.refused("FORBIDDEN", "Missing permission: sounds:create");
    let name = json!({ "name": "b" });
    for (caller, permission) in [(&reader, Some(())), (&stranger, None)] {
        let answers = [
            ("read", caller.get(&path).await, read.as_str()),
            ("edit", caller.patch(&path, name.clone()).await, update),
            ("delete", caller.delete(&path).await, delete),
            ("play", caller.post(&format!("{path}/play"), json!({})).await, play),
            ("play", caller.post(&format!("{path}/stop"), json!({})).await, stop),
        ];
        for (right, rest, document) in answers {
            let graphql = gql(caller, document, json!({ "id": id })).await;
            match permission {
                Some(()) if right == "read" => assert_eq!((rest.status, graphql.status), (200, 200)),
                Some(()) => {
                    let message = format!("Missing permission: sounds:{right}");
                    both_refused(&rest, &graphql, 403, "FORBIDDEN", &message);
                }
                None => both_refused(&rest, &graphql, 404, "NOT_FOUND", "Sound not found"),
            }
        }
    }
    app.override_feature(owner.account_id, "feature:sounds", false).await;
    let (rest, graphql) = (owner.get(&path).await, gql(&owner, &read, json!({ "id": id })).await);
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:sounds");
    app.stop().await;
}
