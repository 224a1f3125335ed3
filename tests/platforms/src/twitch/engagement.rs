//! Raids, polls and predictions.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Event, helix_token, refuse, require_scope, unauthorized};
use crate::{
    Platform, User, clock, identifier,
    oauth::AccessToken,
    refusal::Refusal,
    state::{EngagementCall, Inner, State},
};

#[derive(Debug, Deserialize)]
pub struct RaidQuery {
    from_broadcaster_id: String,
    to_broadcaster_id: String,
}

#[derive(Debug, Deserialize)]
pub struct BroadcasterQuery {
    pub(super) broadcaster_id: String,
}

/// `POST /helix/raids`.
pub async fn start_raid(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<RaidQuery>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(&state, &request)?;
    check_broadcaster(&token, &query.from_broadcaster_id, "channel:manage:raids")?;
    let mut inner = state.lock();
    if query.from_broadcaster_id == query.to_broadcaster_id {
        return Err(refuse(
            400,
            "The IDs in from_broadcaster_id and to_broadcaster_id cannot be the same ID",
        ));
    }
    if inner.user(Platform::Twitch, &query.to_broadcaster_id).is_none() {
        return Err(refuse(404, "The targeted channel was not found"));
    }
    if inner.raids.contains_key(&query.from_broadcaster_id) {
        return Err(refuse(409, "The broadcaster is already in the process of raiding another channel"));
    }
    inner.raids.insert(query.from_broadcaster_id.clone(), query.to_broadcaster_id.clone());
    let now = clock::seconds(clock::now());
    record(&mut inner, "raid", json!({ "from": query.from_broadcaster_id, "to": query.to_broadcaster_id }));
    Ok(HttpResponse::Ok().json(json!({ "data": [{ "created_at": now, "is_mature": false }] })))
}

/// `DELETE /helix/raids`.
pub async fn cancel_raid(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<BroadcasterQuery>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(&state, &request)?;
    check_broadcaster(&token, &query.broadcaster_id, "channel:manage:raids")?;
    let mut inner = state.lock();
    if inner.raids.remove(&query.broadcaster_id).is_none() {
        return Err(refuse(404, "The broadcaster doesn't have a pending raid to cancel"));
    }
    record(&mut inner, "unraid", json!({ "from": query.broadcaster_id }));
    Ok(HttpResponse::NoContent().finish())
}

/// Creation and end of polls and predictions.
struct Kind {
    scope: &'static str,
    /// Field of the choices.
    options: &'static str,
    max_options: usize,
    max_title_length: usize,
    /// Field of the duration.
    window: &'static str,
    min_window: u64,
    /// Name of the call in the records.
    begun: &'static str,
    ended: &'static str,
    running: &'static str,
    all: fn(&mut Inner) -> &mut Vec<Value>,
}

const POLL: Kind = Kind {
    scope: "channel:manage:polls",
    options: "choices",
    max_options: 5,
    max_title_length: 60,
    window: "duration",
    min_window: 15,
    begun: "poll",
    ended: "end_poll",
    running: "The broadcaster already has a poll that's running",
    all: |inner| &mut inner.polls,
};

const PREDICTION: Kind = Kind {
    scope: "channel:manage:predictions",
    options: "outcomes",
    max_options: 10,
    max_title_length: 45,
    window: "prediction_window",
    min_window: 30,
    begun: "prediction",
    ended: "end_prediction",
    running: "The broadcaster already has a prediction that's running",
    all: |inner| &mut inner.predictions,
};

const MIN_OPTIONS: usize = 2;
const MAX_OPTION_LENGTH: usize = 25;

/// `POST /helix/polls`.
pub async fn create_poll(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<Value>,
) -> Result<HttpResponse, Refusal> {
    let choice = |title: &String| json!({ "id": identifier::uuid(), "title": title, "votes": 0, "channel_points_votes": 0, "bits_votes": 0 });
    begin(
        &POLL,
        &state,
        &request,
        body.into_inner(),
        choice,
        |now| json!({ "bits_voting_enabled": false, "channel_points_voting_enabled": false, "started_at": now }),
    )
}

/// `PATCH /helix/polls`.
pub async fn end_poll(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<Value>,
) -> Result<HttpResponse, Refusal> {
    end(&POLL, &state, &request, body.into_inner(), |poll, body, now| {
        if !matches!(body["status"].as_str(), Some("TERMINATED" | "ARCHIVED")) {
            return Err(refuse(400, "The value in the status field is not valid"));
        }
        poll["ended_at"] = now;
        Ok(())
    })
}

/// `POST /helix/predictions`.
pub async fn create_prediction(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<Value>,
) -> Result<HttpResponse, Refusal> {
    let outcome = |title: &String| {
        json!({ "id": identifier::uuid(), "title": title, "users": 0, "channel_points": 0,
            "top_predictors": null, "color": "BLUE" })
    };
    begin(
        &PREDICTION,
        &state,
        &request,
        body.into_inner(),
        outcome,
        |now| json!({ "winning_outcome_id": null, "created_at": now, "ended_at": null, "locked_at": null }),
    )
}

/// `PATCH /helix/predictions`.
pub async fn end_prediction(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<Value>,
) -> Result<HttpResponse, Refusal> {
    end(&PREDICTION, &state, &request, body.into_inner(), |prediction, body, now| {
        match body["status"].as_str() {
            Some("LOCKED") => prediction["locked_at"] = now,
            Some("RESOLVED") => {
                let is_outcome = |outcome: &Value| outcome["id"] == body["winning_outcome_id"];
                if !prediction["outcomes"].as_array().is_some_and(|outcomes| outcomes.iter().any(is_outcome))
                {
                    return Err(refuse(400, "The winning_outcome_id is not valid"));
                }
                prediction["winning_outcome_id"] = body["winning_outcome_id"].clone();
                prediction["ended_at"] = now;
            }
            Some("CANCELED") => prediction["ended_at"] = now,
            _ => return Err(refuse(400, "The value in the status field is not valid")),
        }
        Ok(())
    })
}

/// Creates one: `option` makes a choice of its title, `more` adds the fields of this kind.
fn begin(
    kind: &Kind,
    state: &State,
    request: &HttpRequest,
    body: Value,
    option: impl Fn(&String) -> Value,
    more: impl FnOnce(Value) -> Value,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(state, request)?;
    let broadcaster = text(&body, "broadcaster_id")?;
    check_broadcaster(&token, &broadcaster, kind.scope)?;
    let options = titles(&body, kind.options, MIN_OPTIONS, kind.max_options, MAX_OPTION_LENGTH)?;
    check_title(&body, kind.max_title_length)?;
    check_seconds(&body, kind.window, kind.min_window)?;
    let mut inner = state.lock();
    if is_one_open((kind.all)(&mut inner), &broadcaster) {
        return Err(refuse(400, kind.running));
    }
    let mut vote = more(json!(clock::nanoseconds(clock::now())));
    vote["id"] = json!(identifier::uuid());
    vote["broadcaster_id"] = json!(broadcaster);
    vote["title"] = body["title"].clone();
    vote[kind.options] = options.iter().map(option).collect();
    vote["status"] = json!("ACTIVE");
    vote[kind.window] = body[kind.window].clone();
    (kind.all)(&mut inner).push(vote.clone());
    record(&mut inner, kind.begun, body);
    Ok(HttpResponse::Ok().json(json!({ "data": [vote] })))
}

/// Ends one, or locks it: `change` refuses a transition that this kind does not have.
fn end(
    kind: &Kind,
    state: &State,
    request: &HttpRequest,
    body: Value,
    change: impl FnOnce(&mut Value, &Value, Value) -> Result<(), Refusal>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(state, request)?;
    check_broadcaster(&token, &text(&body, "broadcaster_id")?, kind.scope)?;
    let mut inner = state.lock();
    let vote = open((kind.all)(&mut inner), &body)?;
    change(vote, &body, json!(clock::nanoseconds(clock::now())))?;
    vote["status"] = body["status"].clone();
    let vote = vote.clone();
    record(&mut inner, kind.ended, body);
    Ok(HttpResponse::Ok().json(json!({ "data": [vote] })))
}

impl Event {
    /// Delivery of Twitch for a poll: `stage` is `begin`, `progress` or `end`; `choices` are ids, titles and votes.
    #[must_use]
    pub fn poll(
        stage: &'static str,
        broadcaster: &User,
        id: &str,
        choices: &[(&str, &str, u32)],
        status: Option<&str>,
    ) -> Self {
        let subscription_type = match stage {
            "begin" => "channel.poll.begin",
            "progress" => "channel.poll.progress",
            _ => "channel.poll.end",
        };
        let choices: Vec<Value> = choices
            .iter()
            .map(|(id, title, votes)| {
                json!({ "id": id, "title": title, "bits_votes": 0, "channel_points_votes": 0, "votes": votes })
            })
            .collect();
        let mut event = of_broadcaster(broadcaster, id, "choices", choices);
        event["ends_at"] = json!(clock::nanoseconds(clock::now() + chrono::Duration::seconds(60)));
        if let Some(status) = status {
            event["status"] = json!(status);
            event["ended_at"] = json!(clock::nanoseconds(clock::now()));
        }
        vote(subscription_type, broadcaster, event)
    }

    /// Delivery of Twitch for a prediction: `stage` is `begin`, `progress`, `lock` or `end`; `outcomes` are ids,
    /// titles, users and points.
    #[must_use]
    pub fn prediction(
        stage: &'static str,
        broadcaster: &User,
        id: &str,
        outcomes: &[(&str, &str, u32, u32)],
        ending: Option<(&str, Option<&str>)>,
    ) -> Self {
        let subscription_type = match stage {
            "begin" => "channel.prediction.begin",
            "progress" => "channel.prediction.progress",
            "lock" => "channel.prediction.lock",
            _ => "channel.prediction.end",
        };
        let outcomes: Vec<Value> = outcomes
            .iter()
            .map(|(id, title, users, points)| {
                json!({ "id": id, "title": title, "color": "blue", "users": users, "channel_points": points,
                    "top_predictors": [] })
            })
            .collect();
        let mut event = of_broadcaster(broadcaster, id, "outcomes", outcomes);
        let now = clock::now();
        match (stage, ending) {
            ("lock", _) => event["locked_at"] = json!(clock::nanoseconds(now)),
            (_, Some((status, winner))) => {
                event["status"] = json!(status);
                event["winning_outcome_id"] = json!(winner);
                event["ended_at"] = json!(clock::nanoseconds(now));
            }
            _ => event["locks_at"] = json!(clock::nanoseconds(now + chrono::Duration::seconds(120))),
        }
        vote(subscription_type, broadcaster, event)
    }
}

fn of_broadcaster(broadcaster: &User, id: &str, field: &str, options: Vec<Value>) -> Value {
    json!({
        field: options,
        "id": id,
        "broadcaster_user_id": broadcaster.id,
        "broadcaster_user_login": broadcaster.login,
        "broadcaster_user_name": broadcaster.display_name,
        "title": "Which one?",
        "started_at": clock::nanoseconds(clock::now()),
    })
}

fn vote(subscription_type: &'static str, broadcaster: &User, event: Value) -> Event {
    let condition = json!({ "broadcaster_user_id": broadcaster.id });
    Event { subscription_type, version: "1", condition, event }
}

pub(super) fn check_broadcaster(
    token: &AccessToken,
    broadcaster_id: &str,
    scope: &str,
) -> Result<(), Refusal> {
    require_scope(token, scope)?;
    if token.user_id.as_deref() != Some(broadcaster_id) {
        return Err(unauthorized("The ID in broadcaster_id must match the user ID found in the OAuth token"));
    }
    Ok(())
}

fn text(body: &Value, field: &str) -> Result<String, Refusal> {
    let given = body[field].as_str().map(str::to_owned);
    given.ok_or_else(|| refuse(400, &format!("The {field} field is required")))
}

fn titles(
    body: &Value,
    field: &str,
    fewest: usize,
    most: usize,
    longest: usize,
) -> Result<Vec<String>, Refusal> {
    let given: Vec<String> = body[field]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|item| item["title"].as_str().map(str::to_owned))
        .collect();
    let is_fitting = |title: &String| (1..=longest).contains(&title.chars().count());
    if (fewest..=most).contains(&given.len()) && given.iter().all(is_fitting) {
        return Ok(given);
    }
    Err(refuse(400, &format!("The {field} field is not valid")))
}

fn check_title(body: &Value, longest: usize) -> Result<(), Refusal> {
    let length = text(body, "title")?.chars().count();
    if (1..=longest).contains(&length) { Ok(()) } else { Err(refuse(400, "The title field is not valid")) }
}

fn check_seconds(body: &Value, field: &str, fewest: u64) -> Result<(), Refusal> {
    match body[field].as_u64() {
        Some(seconds) if (fewest..=1800).contains(&seconds) => Ok(()),
        _ => Err(refuse(400, &format!("The {field} field is not valid"))),
    }
}

fn is_open(vote: &Value) -> bool {
    matches!(vote["status"].as_str(), Some("ACTIVE" | "LOCKED"))
}

fn is_one_open(votes: &[Value], broadcaster: &str) -> bool {
    votes.iter().any(|vote| vote["broadcaster_id"] == broadcaster && is_open(vote))
}

fn open<'a>(votes: &'a mut [Value], body: &Value) -> Result<&'a mut Value, Refusal> {
    let found = votes
        .iter_mut()
        .find(|vote| vote["id"] == body["id"] && vote["broadcaster_id"] == body["broadcaster_id"]);
    let found = found.ok_or_else(|| refuse(404, "The id was not found"))?;
    if is_open(found) { Ok(found) } else { Err(refuse(400, "It is not running")) }
}

pub(super) fn record(inner: &mut Inner, action: &'static str, body: Value) {
    inner.record_engagement(EngagementCall { platform: Platform::Twitch, action, body });
}
