//! Sounds that are played and fetched (reference/media.md#sounds).

use super::*;

#[tokio::test]
async fn play_sound_and_stop_sound_are_published_with_a_signed_address() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("sounds:{}", owner.account_id)).await;
    let id = id_of(&added(&owner, "a.wav").await);
    let (overlay, widget) = targets(&app, owner.account_id).await;
    let done = owner.post(&format!("{PATH}/{id}/play"), json!({})).await;
    assert_eq!((done.status, &done.body), (200, &json!({ "success": true })));
    let played = socket.frame().await;
    assert_eq!(played["event_type"], "sound:play");
    assert_eq!((&played["data"]["sound_id"], &played["data"]["volume"]), (&json!(id), &json!(1.0)));
    assert_eq!(played["data"]["target"], Value::Null);

    let address = path_of(&app, played["data"]["url"].as_str().unwrap());
    let anonymous = app.anonymous();
    let served = anonymous.request(Method::GET, &address).header("range", "bytes=0-3").send().await.unwrap();
    assert_eq!(
        (served.status().as_u16(), served.headers()["content-type"].to_str().unwrap()),
        (206, "audio/wav")
    );
    assert_eq!(served.bytes().await.unwrap().as_ref(), b"RIFF");
    app.clock.advance(Duration::seconds(600));
    anonymous.get(&address).await.refused("FORBIDDEN", "The address has ended");

    let target = json!({ "type": "overlay", "id": overlay });
    owner.post(&format!("{PATH}/{id}/play"), json!({ "volume": 0.25, "target": target })).await.expect(200);
    let played = socket.frame().await["data"].clone();
    assert_eq!((&played["volume"], &played["target"]), (&json!(0.25), &target));
    let document =
        "mutation($id: UUID!, $input: StopSoundInput) { stopSound(id: $id, input: $input) { success } }";
    let input = json!({ "target": { "type": "WIDGET", "id": widget } });
    let stopped = gql(&owner, document, json!({ "id": id, "input": input })).await.field("stopSound");
    assert_eq!(stopped, json!({ "success": true }));
    let frame = socket.frame().await;
    let expected = json!({ "sound_id": id, "target": { "type": "widget", "id": widget } });
    assert_eq!((&frame["event_type"], &frame["data"]), (&json!("sound:stop"), &expected));
    app.stop().await;
}

/// An overlay and a widget of an account.
async fn targets(app: &TestApp, account: Uuid) -> (Uuid, Uuid) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let (overlay, widget) = (Uuid::now_v7(), Uuid::now_v7());
    diesel::insert_into(overlays::table)
        .values((
            overlays::id.eq(overlay),
            overlays::account_id.eq(account),
            overlays::name.eq("o"),
            overlays::key.eq(&Uuid::now_v7().simple().to_string()[20..]),
            overlays::width.eq(1),
            overlays::height.eq(1),
            overlays::background.eq("transparent"),
            overlays::token.eq(vec![1]),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    diesel::insert_into(widgets::table)
        .values((
            widgets::id.eq(widget),
            widgets::account_id.eq(account),
            widgets::name.eq("w"),
            widgets::widget_type.eq("text"),
            widgets::width.eq(1),
            widgets::height.eq(1),
            widgets::token_prefix.eq("lm_widget_a"),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    (overlay, widget)
}

#[tokio::test]
async fn stop_sound_and_play_sound_refuse_foreign_and_unknown_targets() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&added(&owner, "a.wav").await);
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("sounds:{}", owner.account_id)).await;
    let (overlay, widget) = targets(&app, stranger.account_id).await;
    for (field, verb, input) in
        [("playSound", "play", "PlaySoundInput"), ("stopSound", "stop", "StopSoundInput")]
    {
        let path = format!("{PATH}/{id}/{verb}");
        let document = format!(
            "mutation($id: UUID!, $input: {input}) {{ {field}(id: $id, input: $input) {{ success }} }}"
        );
        for (kind, target, message) in
            [("overlay", overlay, "Overlay not found"), ("widget", widget, "Widget not found")]
        {
            let rest = owner.post(&path, json!({ "target": { "type": kind, "id": target } })).await;
            let input = json!({ "target": { "type": kind.to_uppercase(), "id": target } });
            let graphql = gql(&owner, &document, json!({ "id": id, "input": input })).await;
            both_refused(&rest, &graphql, 404, "NOT_FOUND", message);
        }
        let (rest, graphql) =
            (stranger.post(&path, json!({})).await, gql(&stranger, &document, json!({ "id": id })).await);
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Sound not found");
        for (target, message) in [
            (json!({ "type": "scene", "id": overlay }), "Invalid target.type: must be widget or overlay"),
            (json!({ "type": "overlay" }), "Missing field: target.id"),
            (json!("overlay"), "Invalid target: must be an object"),
        ] {
            owner.post(&path, json!({ "target": target })).await.refused("VALIDATION_ERROR", message);
        }
        // The schema of GraphQL has the same bounds.
        for target in
            [json!({ "type": "SCENE", "id": overlay }), json!({ "type": "OVERLAY" }), json!("OVERLAY")]
        {
            let variables = json!({ "id": id, "input": { "target": target } });
            let refused = gql(&owner, &document, variables).await;
            assert_eq!(refused.status, 400, "{target}: {}", refused.text);
            refused.refused_with("GRAPHQL_VALIDATION_FAILED");
        }
    }
    let document =
        "mutation($id: UUID!, $input: PlaySoundInput) { playSound(id: $id, input: $input) { success } }";
    for volume in [json!(1.1), json!(-0.1)] {
        let input = json!({ "volume": volume });
        let rest = owner.post(&format!("{PATH}/{id}/play"), input.clone()).await;
        let graphql = gql(&owner, document, json!({ "id": id, "input": input })).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "volume must be between 0 and 1");
    }
    socket.is_quiet().await;
    app.stop().await;
}

#[tokio::test]
async fn sound_media_refuses_altered_addresses() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (first, second) = (id_of(&added(&owner, "a.wav").await), id_of(&added(&owner, "b.wav").await));
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("sounds:{}", owner.account_id)).await;
    owner.post(&format!("{PATH}/{first}/play"), json!({})).await.expect(200);
    let address = path_of(&app, socket.frame().await["data"]["url"].as_str().unwrap());
    let anonymous = app.anonymous();
    assert_eq!(anonymous.get(&address).await.header("access-control-allow-origin"), "*");
    let (start, query) = address.split_once('?').unwrap();
    for altered in [
        address.replace(&first, &second),
        format!("{address}&install={}", Uuid::now_v7()),
        start.to_owned(),
        format!("/v1/media/upload/{first}?{query}"),
    ] {
        anonymous.get(&altered).await.refused("FORBIDDEN", "The address is not signed");
    }
    owner.delete(&format!("{PATH}/{first}")).await.expect(204);
    anonymous.get(&address).await.refused("NOT_FOUND", "Sound not found");
    app.stop().await;
}

#[tokio::test]
async fn sound_stream_returns_the_bytes_to_members() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&added(&owner, "a.wav").await);
    let path = format!("{PATH}/{id}/stream");
    let served = owner.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(served.headers()["cache-control"], "private, max-age=86400, immutable");
    assert_eq!(served.headers()["content-type"], "audio/wav");
    assert!(!served.headers().contains_key("access-control-allow-origin"));
    assert_eq!(served.bytes().await.unwrap().as_ref(), TONE);
    let part = owner.request(Method::GET, &path).header("range", "bytes=8-11").send().await.unwrap();
    assert_eq!(part.bytes().await.unwrap().as_ref(), b"WAVE");
    stranger.get(&path).await.refused("NOT_FOUND", "Sound not found");
    let outsider = app.member_with(owner.account_id, &["sounds:play"]).await;
    outsider.get(&path).await.refused("FORBIDDEN", "Missing permission: sounds:read");
    app.anonymous().get(&path).await.refused("UNAUTHORIZED", "Authentication required");
    app.stop().await;
}
