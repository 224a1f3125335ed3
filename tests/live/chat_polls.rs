//! Polls and predictions (reference/chat.md#polls).

use lumio_tests::{Answer, Person, TestApp, both_refused};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, User, twitch};
use serde_json::{Value, json};
use uuid::Uuid;

use lumio_tests::world::{connect, eventually, published, workers};

const POLLS: &str = "/v1/chat/polls";
const PREDICTIONS: &str = "/v1/chat/predictions";
const POLL: &str =
    "{ id accountId platform platformPollId title choices { id title votes } status winningChoiceId
    startedAt endsAt endedAt }";
const PREDICTION: &str = "{ id accountId platform platformPredictionId title
    outcomes { id title users channelPoints } status winningOutcomeId startedAt locksAt endedAt }";

struct Scene {
    app: TestApp,
    owner: Person,
    channel: User,
}

impl Scene {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let owner = app.owner().await;
        let channel = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
        Self { app, owner, channel }
    }

    /// First item of the field that both protocols list.
    async fn listed(&self, path: &str, field: &str, selection: &str) -> Value {
        let rest = self.owner.get(path).await.data()[0].clone();
        let document = format!("{{ {field} {{ items {selection} total page limit pages }} }}");
        let page = self.owner.graphql(&document, json!({})).await.field(field);
        assert_eq!(lowered(&page["items"][0]), rest);
        rest
    }

    async fn ends(&self, kind: Ends, id: Uuid, input: Value) -> (Answer, Answer) {
        let (path, field, selection) = match kind {
            Ends::Poll => (POLLS, "endPoll", POLL),
            Ends::Prediction => (PREDICTIONS, "endPrediction", PREDICTION),
        };
        let rest = self.owner.patch(&format!("{path}/{id}"), input.clone()).await;
        let mut capital = input.clone();
        capital["status"] = json!(input["status"].as_str().unwrap_or_default().to_uppercase());
        (rest, self.owner.mutate_at(field, &[("id", id)], &capital, selection).await)
    }

    /// Delivers an event as Twitch would, and waits until it is handled.
    async fn delivered(&self, event: &twitch::Event) {
        let callback = format!("{}/v1/webhooks/twitch", self.app.url());
        let secret = self.app.config().platforms.twitch_eventsub_secret.expect("a secret");
        let delivery = self
            .app
            .platforms
            .deliver_twitch_to(&callback, secret.expose(), event, &DeliveryOptions::default())
            .await;
        assert!(
            delivery
                .attempts
                .iter()
                .all(|attempt| attempt.status == Some(200) || attempt.status == Some(204))
        );
        eventually("it is handled", async || lumio_tests::world::open_deliveries(&self.app).await == 0).await;
    }
}

#[derive(Clone, Copy)]
enum Ends {
    Poll,
    Prediction,
}

/// GraphQL writes the status in capitals.
fn lowered(item: &Value) -> Value {
    let mut item = item.clone();
    item["status"] = json!(item["status"].as_str().unwrap_or_default().to_lowercase());
    item
}

fn poll() -> Value {
    json!({ "platform": "twitch", "title": " Which one? ", "choices": ["Chess", " Go "], "duration_secs": 60 })
}

fn prediction() -> Value {
    json!({ "platform": "twitch", "title": "Will we win?", "outcomes": ["Yes", "No"], "window_secs": 120 })
}

fn id(item: &Value) -> Uuid {
    item["id"].as_str().expect("an id").parse().expect("a UUID")
}

#[tokio::test]
async fn end_poll_ends_a_created_poll_on_both_protocols() {
    let scene = Scene::start().await;
    let answer = scene.owner.post(POLLS, poll()).await;
    let begun = answer.expect(201)["data"].clone();
    assert_eq!(answer.body["_links"]["self"], format!("{POLLS}/{}", begun["id"].as_str().unwrap()));
    assert_eq!(
        (&begun["status"], &begun["title"], &begun["platform"], &begun["winning_choice_id"]),
        (&json!("active"), &json!("Which one?"), &json!("twitch"), &Value::Null)
    );
    let titles: Vec<_> = begun["choices"].as_array().unwrap().iter().map(|choice| &choice["title"]).collect();
    assert_eq!(titles, ["Chess", "Go"]);
    assert_eq!(scene.listed(POLLS, "polls", POLL).await, begun);
    let calls = scene.app.platforms.engagement_calls(Platform::Twitch);
    assert_eq!(
        calls[0].body,
        json!({ "broadcaster_id": scene.channel.id, "title": "Which one?",
            "choices": [{ "title": "Chess" }, { "title": "Go" }], "duration": 60 })
    );
    // Only one at a time.
    let (rest, graphql) =
        (scene.owner.post(POLLS, poll()).await, scene.owner.mutate("createPoll", &poll(), POLL).await);
    let busy = "The broadcaster already has a poll that's running";
    both_refused(&rest, &graphql, 400, "BAD_REQUEST", busy);
    let ended =
        scene.owner.patch(&format!("{POLLS}/{}", id(&begun)), json!({ "status": "terminated" })).await;
    assert_eq!((&ended.data()["status"], ended.status), (&json!("terminated"), 200));
    assert!(ended.data()["ended_at"].is_string());
    let (rest, graphql) = scene.ends(Ends::Poll, id(&begun), json!({ "status": "archived" })).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The poll has ended");
    let second = scene.owner.mutate("createPoll", &poll(), POLL).await.field("createPoll");
    let input = json!({ "status": "ARCHIVED" });
    let ended = scene.owner.mutate_at("endPoll", &[("id", id(&second))], &input, POLL).await;
    assert_eq!(ended.field("endPoll")["status"], "ARCHIVED");
    let audited = scene.app.audited("poll:ended").await;
    assert_eq!(
        audited[0].metadata,
        json!({ "platform": "twitch", "title": "Which one?", "status": "terminated" })
    );
    assert_eq!((audited.len(), scene.app.audited("poll:created").await.len()), (2, 2));
    let running = workers(&scene.app, &[Daemon::Outbox]).await;
    let channel = format!("chat:{}", scene.owner.account_id);
    eventually("four events", async || published(&scene.app, &channel).await.len() == 4).await;
    running.stop().await.unwrap();
    scene.app.stop().await;
}

#[tokio::test]
async fn end_prediction_locks_resolves_and_cancels() {
    let scene = Scene::start().await;
    let begun = scene.owner.post(PREDICTIONS, prediction()).await.expect(201)["data"].clone();
    assert_eq!(scene.listed(PREDICTIONS, "predictions", PREDICTION).await, begun);
    assert_eq!(begun["outcomes"][1]["title"], "No");
    let winner = begun["outcomes"][1]["id"].clone();
    let (rest, graphql) = scene.ends(Ends::Prediction, id(&begun), json!({ "status": "resolved" })).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "winning_outcome_id is required for resolved");
    let wrong = json!({ "status": "resolved", "winning_outcome_id": "x" });
    let (rest, graphql) = scene.ends(Ends::Prediction, id(&begun), wrong).await;
    let expected = "winning_outcome_id must be the id of one of the outcomes";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", expected);
    let wrong = json!({ "status": "locked", "winning_outcome_id": winner });
    let (rest, graphql) = scene.ends(Ends::Prediction, id(&begun), wrong).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "winning_outcome_id is only for resolved");
    let path = format!("{PREDICTIONS}/{}", id(&begun));
    let locked = scene.owner.patch(&path, json!({ "status": "locked" })).await;
    assert_eq!((&locked.data()["status"], &locked.data()["ended_at"]), (&json!("locked"), &Value::Null));
    let (rest, graphql) = scene.ends(Ends::Prediction, id(&begun), json!({ "status": "locked" })).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The prediction is locked already");
    let input = json!({ "status": "RESOLVED", "winning_outcome_id": winner });
    let resolved = scene.owner.mutate_at("endPrediction", &[("id", id(&begun))], &input, PREDICTION).await;
    let resolved = resolved.field("endPrediction");
    assert_eq!((&resolved["status"], &resolved["winning_outcome_id"]), (&json!("RESOLVED"), &winner));
    let (rest, graphql) = scene.ends(Ends::Prediction, id(&begun), json!({ "status": "cancelled" })).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The prediction has ended");
    let second = id(&scene.owner.post(PREDICTIONS, prediction()).await.expect(201)["data"]);
    let cancelled =
        scene.owner.patch(&format!("{PREDICTIONS}/{second}"), json!({ "status": "cancelled" })).await;
    assert_eq!(cancelled.data()["status"], "cancelled");
    assert_eq!(scene.app.audited("prediction:created").await.len(), 2);
    scene.app.audited_once("prediction:locked").await;
    scene.app.audited_once("prediction:resolved").await;
    scene.app.audited_once("prediction:cancelled").await;
    scene.app.stop().await;
}

#[tokio::test]
async fn create_prediction_starts_one_at_a_time_on_both_protocols() {
    let scene = Scene::start().await;
    let answer = scene.owner.post(PREDICTIONS, prediction()).await;
    let begun = answer.expect(201)["data"].clone();
    assert_eq!(answer.body["_links"]["self"], format!("{PREDICTIONS}/{}", id(&begun)));
    assert_eq!(
        (&begun["status"], &begun["title"], &begun["platform"], &begun["winning_outcome_id"]),
        (&json!("active"), &json!("Will we win?"), &json!("twitch"), &Value::Null)
    );
    let calls = scene.app.platforms.engagement_calls(Platform::Twitch);
    assert_eq!((calls.len(), &calls[0].body["title"]), (1, &json!("Will we win?")));
    both_refused(
        &scene.owner.post(PREDICTIONS, prediction()).await,
        &scene.owner.mutate("createPrediction", &prediction(), PREDICTION).await,
        400,
        "BAD_REQUEST",
        "The broadcaster already has a prediction that's running",
    );
    let entry = scene.app.audited_once("prediction:created").await;
    assert_eq!(entry.metadata, json!({ "platform": "twitch", "title": "Will we win?" }));
    let path = format!("{PREDICTIONS}/{}", id(&begun));
    scene.owner.patch(&path, json!({ "status": "cancelled" })).await.data();
    let second = scene.owner.mutate("createPrediction", &prediction(), PREDICTION).await;
    assert_eq!(second.field("createPrediction")["status"], "ACTIVE");

    let poller = scene.app.member_with(scene.owner.account_id, &["chat:poll"]).await;
    both_refused(
        &poller.post(PREDICTIONS, prediction()).await,
        &poller.mutate("createPrediction", &prediction(), PREDICTION).await,
        403,
        "FORBIDDEN",
        "Missing permission: chat:prediction",
    );
    let stranger = scene.app.owner().await;
    both_refused(
        &stranger.post(PREDICTIONS, prediction()).await,
        &stranger.mutate("createPrediction", &prediction(), PREDICTION).await,
        409,
        "CONFLICT",
        "The account is not connected to twitch",
    );
    assert_eq!(scene.app.audited("prediction:created").await.len(), 2);
    scene.app.stop().await;
}

#[tokio::test]
async fn create_poll_and_create_prediction_refuse_wrong_inputs_on_both_protocols() {
    let scene = Scene::start().await;
    let with = |mut input: Value, field: &str, value: Value| {
        input[field] = value;
        input
    };
    let many = |count: usize| json!(vec!["x"; count]);
    let polls = [
        (with(poll(), "title", json!("x".repeat(61))), "title must be between 1 and 60 characters"),
        (with(poll(), "choices", many(1)), "choices must hold 2 to 5 titles"),
        (with(poll(), "choices", many(6)), "choices must hold 2 to 5 titles"),
        (
            with(poll(), "choices", json!(["x", "y".repeat(26)])),
            "choices must be between 1 and 25 characters",
        ),
        (with(poll(), "duration_secs", json!(14)), "duration_secs must be between 15 and 1800"),
        (with(poll(), "duration_secs", json!(1801)), "duration_secs must be between 15 and 1800"),
    ];
    for (input, expected) in polls {
        let rest = scene.owner.post(POLLS, input.clone()).await;
        let graphql = scene.owner.mutate("createPoll", &input, POLL).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", expected);
    }
    let predictions = [
        (with(prediction(), "title", json!("x".repeat(46))), "title must be between 1 and 45 characters"),
        (with(prediction(), "outcomes", many(1)), "outcomes must hold 2 to 10 titles"),
        (with(prediction(), "outcomes", many(11)), "outcomes must hold 2 to 10 titles"),
        (with(prediction(), "window_secs", json!(29)), "window_secs must be between 30 and 1800"),
        (with(prediction(), "window_secs", json!(1801)), "window_secs must be between 30 and 1800"),
    ];
    for (input, expected) in predictions {
        let rest = scene.owner.post(PREDICTIONS, input.clone()).await;
        let graphql = scene.owner.mutate("createPrediction", &input, PREDICTION).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", expected);
    }
    let on_kick = with(poll(), "platform", json!("kick"));
    both_refused(
        &scene.owner.post(POLLS, on_kick.clone()).await,
        &scene.owner.mutate("createPoll", &on_kick, POLL).await,
        400,
        "BAD_REQUEST",
        "poll is not supported on kick",
    );
    let on_trovo = with(prediction(), "platform", json!("trovo"));
    scene
        .owner
        .post(PREDICTIONS, on_trovo)
        .await
        .refused("BAD_REQUEST", "prediction is not supported on trovo");
    let path = format!("{POLLS}/{}", Uuid::now_v7());
    scene.owner.patch(&path, json!({ "status": "active" })).await.refused_with("VALIDATION_ERROR");
    assert!(scene.app.platforms.engagement_calls(Platform::Twitch).is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn polls_and_predictions_need_their_permission_and_belong_to_their_account() {
    let scene = Scene::start().await;
    let account = scene.owner.account_id;
    let begun = scene.owner.post(POLLS, poll()).await.expect(201)["data"].clone();
    let predicted = scene.owner.post(PREDICTIONS, prediction()).await.expect(201)["data"].clone();
    let poller = scene.app.member_with(account, &["chat:poll"]).await;
    let predictor = scene.app.member_with(account, &["chat:prediction"]).await;
    assert_eq!(poller.get(POLLS).await.data().as_array().unwrap().len(), 1);
    assert_eq!(predictor.get(PREDICTIONS).await.data().as_array().unwrap().len(), 1);
    both_refused(
        &predictor.get(POLLS).await,
        &predictor.graphql("{ polls { total } }", json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: chat:poll",
    );
    both_refused(
        &poller.post(PREDICTIONS, prediction()).await,
        &poller.mutate("createPrediction", &prediction(), PREDICTION).await,
        403,
        "FORBIDDEN",
        "Missing permission: chat:prediction",
    );
    let stranger = Scene { owner: scene.app.owner().await, ..scene };
    assert_eq!(stranger.owner.get(POLLS).await.data(), &json!([]));
    let (rest, graphql) = stranger.ends(Ends::Poll, id(&begun), json!({ "status": "archived" })).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Poll not found");
    let (rest, graphql) =
        stranger.ends(Ends::Prediction, id(&predicted), json!({ "status": "cancelled" })).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Prediction not found");
    both_refused(
        &stranger.owner.post(POLLS, poll()).await,
        &stranger.owner.mutate("createPoll", &poll(), POLL).await,
        409,
        "CONFLICT",
        "The account is not connected to twitch",
    );
    assert_eq!(stranger.app.platforms.engagement_calls(Platform::Twitch).len(), 2);
    stranger.app.stop().await;
}

#[tokio::test]
async fn polls_follow_the_deliveries_of_twitch_and_ignore_late_ones() {
    let scene = Scene::start().await;
    let running = workers(&scene.app, &[Daemon::Ingest]).await;
    let choices = |a, b| [("c1", "Chess", a), ("c2", "Go", b)];
    let event = |stage, votes: (u32, u32), status| {
        twitch::Event::poll(stage, &scene.channel, "poll-1", &choices(votes.0, votes.1), status)
    };
    scene.delivered(&event("begin", (0, 0), None)).await;
    let begun = scene.listed(POLLS, "polls", POLL).await;
    assert_eq!((&begun["platform_poll_id"], &begun["status"]), (&json!("poll-1"), &json!("active")));
    scene.delivered(&event("progress", (2, 5), None)).await;
    let now = scene.listed(POLLS, "polls", POLL).await;
    assert_eq!((&now["choices"][1]["votes"], &now["winning_choice_id"]), (&json!(5), &Value::Null));
    scene.delivered(&event("end", (3, 5), Some("completed"))).await;
    scene.delivered(&event("progress", (2, 5), None)).await;
    let ended = scene.listed(POLLS, "polls", POLL).await;
    assert_eq!((&ended["status"], &ended["winning_choice_id"]), (&json!("completed"), &json!("c2")));
    assert_eq!((&ended["choices"][0]["votes"], &ended["id"]), (&json!(3), &begun["id"]));
    let published: Vec<Value> = published(&scene.app, &format!("chat:{}", scene.owner.account_id)).await;
    assert_eq!(published.len(), 3);
    assert!(published.iter().all(|event| event["event_type"] == "poll:updated"));
    assert_eq!(published[2]["data"], json!({ "platform": "twitch", "poll": ended }));
    let (rest, graphql) = scene.ends(Ends::Poll, id(&ended), json!({ "status": "archived" })).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The poll has ended");
    running.stop().await.unwrap();
    scene.app.stop().await;
}

#[tokio::test]
async fn predictions_follow_the_deliveries_of_twitch() {
    let scene = Scene::start().await;
    let running = workers(&scene.app, &[Daemon::Ingest]).await;
    let event = |stage, users, ending| {
        let outcomes = [("o1", "Yes", users, users * 100), ("o2", "No", 1, 10)];
        twitch::Event::prediction(stage, &scene.channel, "prediction-1", &outcomes, ending)
    };
    scene.delivered(&event("begin", 0, None)).await;
    scene.delivered(&event("progress", 4, None)).await;
    let now = scene.listed(PREDICTIONS, "predictions", PREDICTION).await;
    assert_eq!(now["outcomes"][0], json!({ "id": "o1", "title": "Yes", "users": 4, "channel_points": 400 }));
    scene.delivered(&event("lock", 5, None)).await;
    scene.delivered(&event("progress", 4, None)).await;
    let locked = scene.listed(PREDICTIONS, "predictions", PREDICTION).await;
    assert_eq!((&locked["status"], &locked["outcomes"][0]["users"]), (&json!("locked"), &json!(5)));
    scene.delivered(&event("end", 5, Some(("resolved", Some("o1"))))).await;
    scene.delivered(&event("lock", 5, None)).await;
    let ended = scene.listed(PREDICTIONS, "predictions", PREDICTION).await;
    assert_eq!((&ended["status"], &ended["winning_outcome_id"]), (&json!("resolved"), &json!("o1")));
    let published: Vec<Value> = published(&scene.app, &format!("chat:{}", scene.owner.account_id)).await;
    assert_eq!(published.len(), 4);
    assert_eq!(published[3]["event_type"], "prediction:updated");
    assert_eq!(published[3]["data"], json!({ "platform": "twitch", "prediction": ended }));
    running.stop().await.unwrap();
    scene.app.stop().await;
}
