//! A session with everything that a report shows, and its report as computed by hand.

use foundation::events::{Removal, RemovalAction};
use history_model::report;
use live_model::{AmountOf, EVENT_TYPES};
use serde_json::{Value, json};
use uuid::Uuid;

use super::stage::{PlantedSession, Postgres, Stage};

/// Second of the first event of the catalogue; the others follow one by one.
const FIRST_EVENT: i64 = 40 * 60;
const MINUTE: i64 = 60;
const KAPPA: &str = "https://static-cdn.jtvnw.net/emoticons/v2/25/default/dark/2.0";
const GIF: &str = "https://tenor.com/view/cat-9";

/// Writes the session for an account. `name` distinguishes channels and broadcasts of several accounts.
pub async fn plant(stage: &Stage, account: Uuid, name: &str) -> PlantedSession {
    let session = stage.plant_session(account).await;
    let broadcasts = json!([
        ["twitch", format!("b-twitch-{name}"), format!("c-twitch-{name}"), 0, 120],
        ["youtube", format!("b-youtube-{name}"), format!("c-youtube-{name}"), 30, 90],
    ]);
    stage.plant_broadcasts(&session, broadcasts).await;
    plant_changes(stage, &session).await;
    plant_clip(stage, account).await;
    stage.plant_lines(account, lines()).await;
    stage
        .plant_samples(
            account,
            json!([
                ["twitch", 0, 100],
                ["twitch", 1, 200],
                ["twitch", 2, null],
                ["twitch", 30, 150],
                ["youtube", 30, 50],
                ["youtube", 31, 70],
                ["twitch", -1, 999],
                ["twitch", 120, 999],
            ]),
        )
        .await;
    stage.plant_events(account, events()).await;
    plant_removals(stage, account).await;
    plant_chat(stage, account).await;
    session
}

/// Kappa is used four times in the session and a hundred times in the minute after it.
fn lines() -> Value {
    let kappa = |count: i64| json!({ "id": "25", "name": "Kappa", "provider": "twitch", "count": count });
    let lul = json!({ "id": "425618", "name": "LUL", "provider": "twitch", "count": 1 });
    let own = json!({ "id": "UC/x", "name": ":own:", "provider": "youtube", "count": 1 });
    let gif =
        |count: i64| json!([{ "id": "9", "url": GIF, "provider": "tenor", "alt": "cat", "count": count }]);
    json!([
        ["twitch", 0, 1, 1, [kappa(2)], null],
        ["twitch", 0, 2, 1, null, null],
        ["twitch", 0, 3, 2, [kappa(1)], gif(1)],
        ["twitch", 30, 4, 2, null, gif(2)],
        ["twitch", 30, 5, 3, [kappa(1), lul], null],
        ["youtube", 30, 6, 4, null, null],
        ["youtube", 30, 7, 4, [own], null],
        ["youtube", 30, 8, 5, null, null],
        ["twitch", 120, 9, 9, [kappa(100)], gif(100)],
        ["twitch", -1, 10, 10, null, null],
    ])
}

/// Every type of the catalogue once, the same as tests, and what counts in another way.
fn events() -> Value {
    let mut events = Vec::new();
    for (second, known) in (FIRST_EVENT..).zip(EVENT_TYPES) {
        let amount = known.amount.map(|(AmountOf::Key(_) | AmountOf::Micros(_))| 7);
        let currency = (known.name == "streamelements:tip").then_some("EUR");
        let data = match known.name {
            "twitch:ad_break" => json!({ "duration_seconds": 90 }),
            "spotify:track" => json!({ "title": "Song", "artist": "Band" }),
            _ => json!({ "months": 1, "level": 2, "is_gift": false, "is_upgrade": false }),
        };
        for (id, is_test) in [("real", false), ("test", true)] {
            events.push(json!([known.name, second, id_of(id, known.name), amount, currency, data, is_test]));
        }
    }
    let more = json!([
        ["kick:subscribe", 100, "renewal", null, null, { "months": 3 }, false],
        ["youtube:member", 100, "gift", null, null, { "is_gift": true }, false],
        ["youtube:member", 100, "upgrade", null, null, { "is_upgrade": true }, false],
        ["twitch:reward", 100, "twitch:redemption:r1:unfulfilled", 100, "points", {}, false],
        ["twitch:reward", 101, "twitch:redemption:r1:fulfilled", 100, "points", {}, false],
        ["streamelements:tip", 100, "usd-1", 1050, "USD", {}, false],
        ["streamelements:tip", 101, "usd-2", 5, "USD", {}, false],
        ["streamelements:tip", 102, "jpy", 500, "JPY", {}, false],
        ["streamelements:tip", 103, "unknown", null, null, {}, false],
        ["twitch:gift_sub", 100, "five", 5, null, {}, false],
        ["custom:level_up", 100, "level", null, null, {}, false],
        ["twitch:follower", -1, "before", null, null, {}, false],
        ["twitch:follower", 120 * MINUTE, "after", null, null, {}, false],
        ["twitch:raid", 120 * MINUTE, "raid-after", 1000, null, {}, false],
    ]);
    events.extend(more.as_array().unwrap().iter().cloned());
    Value::Array(events)
}

fn id_of(kind: &str, event_type: &str) -> String {
    format!("{kind} {event_type}")
}

async fn plant_changes(stage: &Stage, session: &PlantedSession) {
    let sql = "INSERT INTO stream_changes (account_id, session_id, platform, kind, value, is_first, at)
        SELECT session.account_id, session.id, item ->> 0, item ->> 1, item ->> 2, (item ->> 3)::boolean,
            $2 + (item ->> 4)::int * interval '1 minute'
        FROM stream_sessions AS session, jsonb_array_elements($3) AS listed (item) WHERE session.id = $1";
    let changes = json!([
        ["twitch", "title", "One", true, 0],
        ["twitch", "category", "A", true, 0],
        ["twitch", "title", "Two", false, 10],
        ["youtube", "title", "Two", true, 30],
        ["youtube", "category", "A", true, 30],
        ["twitch", "category", "B", false, 60],
    ]);
    stage.run(Postgres, sql, session.id, changes).await;
}

/// A clip in the session, and a step with another result.
async fn plant_clip(stage: &Stage, account: Uuid) {
    let sql = "INSERT INTO automations (id, account_id, name) SELECT $1, ($3 #>> '{}')::uuid, 'Clips'";
    let automation = shared::id::new();
    stage.run(Postgres, sql, automation, json!(account)).await;
    let sql = ", run AS (
            INSERT INTO automation_runs (id, account_id, automation_id, trigger, dedupe_key)
            SELECT ($3 ->> 0)::uuid, account_id, id, '{}', 'clips' FROM automations WHERE id = $1
            RETURNING id, account_id)
        INSERT INTO automation_steps (account_id, run_id, position, node_id, status, input, output, started_at)
        SELECT account_id, id, (item ->> 0)::int, gen_random_uuid(), item ->> 1, '{}', item -> 2,
            $2 + (item ->> 3)::int * interval '1 minute'
        FROM run, jsonb_array_elements($3 -> 1) AS listed (item)";
    let clip = |id: &str| json!({ "platform": "twitch", "clip_id": id, "edit_url": "https://example.com" });
    let steps = json!([
        [0, "succeeded", clip("Clip1"), 50],
        [1, "succeeded", { "status": 200 }, 50],
        [2, "failed", clip("Failed"), 50],
        [3, "succeeded", clip("After"), 120],
    ]);
    stage.run(Postgres, sql, automation, json!([shared::id::new(), steps])).await;
}

/// A ban that the platform reports back, a second ban, a time-out, and two removed lines.
async fn plant_removals(stage: &Stage, account: Uuid) {
    let user = |id: &str, action: RemovalAction| Removal::User {
        platform_user_id: id.into(),
        action,
        duration_secs: None,
        moderator_platform_user_id: None,
        moderator_user_id: None,
    };
    let message = |id: &str| Removal::Message { message_id: id.into() };
    let mut timeseries = stage.app.databases.timescaledb.get().await.unwrap();
    for (second, removal) in [
        (300, user("troll", RemovalAction::Ban)),
        (300, user("troll", RemovalAction::Ban)),
        (330, user("troll", RemovalAction::Ban)),
        (1200, user("troll", RemovalAction::Ban)),
        (360, user("troll", RemovalAction::Timeout)),
        (361, user("troll", RemovalAction::Clear)),
        (420, message("m1")),
        (900, message("m1")),
        (421, message("m2")),
        (422, Removal::Chat { at: stage.at(422) }),
        (121 * MINUTE, user("late", RemovalAction::Ban)),
    ] {
        report::note_removal(&mut timeseries, account, "twitch", &removal, stage.at(second)).await.unwrap();
    }
}

/// Nothing is known of the person with the most lines.
async fn plant_chat(stage: &Stage, account: Uuid) {
    let messages = json!([
        ["twitch", 1, "a1", "ada", false],
        ["twitch", 2, "a2", "ada", false],
        ["twitch", 3, "a3", "ada", true],
        ["twitch", 4, "b1", "bob", false],
        ["youtube", 1801, "c1", "cid", false],
        ["youtube", 1802, "c2", "cid", false],
        ["twitch", 5, "g1", "ghost", false],
        ["twitch", 6, "g2", "ghost", false],
        ["twitch", 7, "g3", "ghost", false],
        ["twitch", -5, "b2", "bob", false],
        ["twitch", 120 * MINUTE, "b3", "bob", false],
    ]);
    stage.plant_messages(account, messages).await;
    let people = json!([
        ["twitch", "ada", "https://example.com/ada.png"],
        ["twitch", "bob", null],
        ["youtube", "cid", null],
    ]);
    stage.plant_people(account, people).await;
}

/// The report of the planted session.
pub fn expected(stage: &Stage, session: &PlantedSession, name: &str) -> Value {
    let at = |seconds| stage.text_at(seconds);
    json!({
        "id": session.id, "session_type": "multi", "platforms": ["twitch", "youtube"], "title": "Two",
        "category": "B", "started_at": at(0), "ended_at": at(7200), "duration_secs": 7200,
        "peak_viewers": 200, "avg_viewers": 142.5, "total_messages": 8, "unique_chatters": 5,
        "new_followers": 4, "new_subscribers": 4, "is_live": false,
        "streams": [
            { "platform": "twitch", "broadcast_id": format!("b-twitch-{name}"), "title": "Title of twitch",
                "category": "A", "started_at": at(0), "ended_at": at(7200), "peak_viewers": 200,
                "avg_viewers": 150.0 },
            { "platform": "youtube", "broadcast_id": format!("b-youtube-{name}"), "title": "Title of youtube",
                "category": "A", "started_at": at(1800), "ended_at": at(5400), "peak_viewers": 70,
                "avg_viewers": 60.0 },
        ],
        "categories": [
            { "name": "A", "started_at": at(0), "duration_secs": 5400 },
            { "name": "B", "started_at": at(3600), "duration_secs": 3600 },
        ],
        "totals": {
            "follows": 4, "subs": 4, "gift_subs": 21, "resubs": 3, "cheers_bits": 7,
            "tips": [
                { "currency": "EUR", "amount": "0.07" },
                { "currency": "JPY", "amount": "500" },
                { "currency": "USD", "amount": "10.55" },
            ],
            "raids_in": 3, "raid_viewers": 21, "redemptions": 2, "superchats": 2,
        },
        "messages_per_minute_peak": 5,
        "top_chatters": chatters(),
        "top_emotes": [
            { "id": "25", "name": "Kappa", "provider": "twitch", "url": KAPPA, "count": 4 },
            { "id": "425618", "name": "LUL", "provider": "twitch", "url": KAPPA.replace("/25/", "/425618/"),
                "count": 1 },
            { "id": "UC/x", "name": ":own:", "provider": "youtube", "url": null, "count": 1 },
        ],
        "top_gifs": [{ "id": "9", "url": GIF, "provider": "tenor", "alt": "cat", "count": 3 }],
        "moderation": { "bans": 2, "timeouts": 1, "deletions": 2 },
        "music": [{ "title": "Song", "artist": "Band", "played_at": at(second_of("spotify:track")) }],
        "chart_markers": markers(stage),
        "events_by_type": events_by_type(),
    })
}

pub fn chatters() -> Value {
    json!([
        { "platform": "twitch", "platform_user_id": "ada", "username": "name-ada",
            "display_name": "Name of ada", "avatar_url": "https://example.com/ada.png", "message_count": 2 },
        { "platform": "youtube", "platform_user_id": "cid", "username": "name-cid",
            "display_name": "Name of cid", "avatar_url": null, "message_count": 2 },
        { "platform": "twitch", "platform_user_id": "bob", "username": "name-bob",
            "display_name": "Name of bob", "avatar_url": null, "message_count": 1 },
    ])
}

fn second_of(event_type: &str) -> i64 {
    let (second, _) = (FIRST_EVENT..).zip(EVENT_TYPES).find(|(_, known)| known.name == event_type).unwrap();
    second
}

fn markers(stage: &Stage) -> Value {
    let mut markers = vec![
        (600, "title_change", "Two"),
        (second_of("twitch:raid"), "raid", "7"),
        (second_of("twitch:hype_train"), "hype_train", "2"),
        (second_of("twitch:ad_break"), "ad_break", "90"),
        (second_of("kick:raid"), "raid", "7"),
        (second_of("trovo:raid"), "raid", "7"),
        (3000, "clip", "Clip1"),
        (3600, "category_change", "B"),
    ];
    markers.sort_unstable();
    markers
        .into_iter()
        .map(|(second, kind, label)| json!({ "at": stage.text_at(second), "type": kind, "label": label }))
        .collect()
}

fn events_by_type() -> Value {
    let mut types: serde_json::Map<String, Value> =
        EVENT_TYPES.iter().map(|known| (known.name.to_owned(), json!(1))).collect();
    for (event_type, count) in [
        ("kick:subscribe", 2),
        ("youtube:member", 3),
        ("twitch:reward", 3),
        ("streamelements:tip", 5),
        ("twitch:gift_sub", 2),
        ("custom:level_up", 1),
    ] {
        types.insert(event_type.to_owned(), json!(count));
    }
    Value::Object(types)
}
