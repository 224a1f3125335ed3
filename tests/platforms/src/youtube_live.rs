//! YouTube's live chats and the hub that publishes videos (reference/platforms.md#live-chat).

use std::collections::{HashMap, HashSet};

use actix_web::{HttpRequest, HttpResponse, rt, web};
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde_json::{Value, json};
use sha1::Sha1;

use crate::{
    DeliveryOptions, Platform, User, WebhookRequest, clock, identifier, oauth,
    refusal::Refusal,
    server::Webhooks,
    state::State,
    youtube::{channel_id, live_chat_id},
};

/// The secret of [`crate::StandIn::environment`] for the hub.
pub const HUB_SECRET: &str = "stand-in-youtube-hub-secret";
const FOREIGN_SECRET: &str = "not-the-secret-of-the-subscription";
const MAX_RESULTS: usize = 2000;

/// State of the chats.
#[derive(Debug)]
pub struct LiveChats {
    /// Messages by chat, oldest first.
    messages: HashMap<String, Vec<Value>>,
    pub ended: HashSet<String>,
    /// Users whose channel has no broadcast now.
    pub off_air: HashSet<String>,
    /// Announced broadcasts by user: id, title and scheduled start.
    pub announced: HashMap<String, Vec<(String, String, DateTime<Utc>)>>,
    /// Polling interval of a page, in milliseconds.
    pub polling_interval_ms: u64,
    /// Times at which pages were requested, with their tokens.
    pub polls: Vec<(DateTime<Utc>, Option<String>)>,
    /// Number of requests for broadcasts.
    pub searches: usize,
    pub feeds: Vec<Feed>,
}

/// A subscription to a feed of the hub.
#[derive(Debug, Clone)]
pub struct Feed {
    pub topic: String,
    pub callback: String,
    pub secret: String,
}

impl Default for LiveChats {
    fn default() -> Self {
        Self {
            messages: HashMap::new(),
            ended: HashSet::new(),
            off_air: HashSet::new(),
            announced: HashMap::new(),
            polling_interval_ms: 200,
            polls: Vec::new(),
            searches: 0,
            feeds: Vec::new(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessagesQuery {
    live_chat_id: String,
    page_token: Option<String>,
    max_results: Option<usize>,
}

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/youtube/api/youtube/v3/liveChat/messages", web::get().to(messages))
        .route("/youtube/hub/subscribe", web::post().to(subscribe));
}

impl LiveChats {
    /// Adds a message to the chat of a user's broadcast.
    pub fn add(&mut self, channel: &User, message: Value) {
        self.messages.entry(live_chat_id(channel)).or_default().push(message);
    }
}

/// A message of a chat: `details` are under the name that belongs to the type.
#[must_use]
pub fn message(kind: &str, channel: &User, author: &User, details: Value) -> Value {
    message_at(kind, channel, author, details, clock::now())
}

/// A message of that time.
#[must_use]
pub fn message_at(kind: &str, channel: &User, author: &User, details: Value, at: DateTime<Utc>) -> Value {
    let name = match kind {
        "textMessageEvent" => "textMessageDetails".to_owned(),
        other => format!("{}Details", other.trim_end_matches("Event")),
    };
    let mut message = json!({
        "kind": "youtube#liveChatMessage",
        "etag": identifier::token(27),
        "id": identifier::token(40),
        "snippet": {
            "type": kind,
            "liveChatId": live_chat_id(channel),
            "authorChannelId": channel_id(author),
            "publishedAt": clock::nanoseconds(at),
            "hasDisplayContent": true,
            "displayMessage": "",
        },
        "authorDetails": {
            "channelId": channel_id(author),
            "channelUrl": format!("http://www.youtube.com/channel/{}", channel_id(author)),
            "displayName": author.display_name,
            "profileImageUrl": author.avatar_url,
            "isVerified": false,
            "isChatOwner": channel.id == author.id,
            "isChatSponsor": false,
            "isChatModerator": false,
        },
    });
    message["snippet"][name] = details;
    message
}

/// A feed with a video, signed for its subscription.
#[must_use]
pub fn feed(feed: &Feed, channel_id: &str, video_id: &str, options: &DeliveryOptions) -> WebhookRequest {
    let at = clock::nanoseconds(clock::ago(options.age()));
    let text = format!(
        r#"<?xml version='1.0' encoding='UTF-8'?><feed xmlns:yt="http://www.youtube.com/xml/schemas/2015"
        xmlns="http://www.w3.org/2005/Atom"><title>YouTube video feed</title><updated>{at}</updated><entry>
        <id>yt:video:{video_id}</id><yt:videoId>{video_id}</yt:videoId><yt:channelId>{channel_id}</yt:channelId>
        <title>A video</title><published>{at}</published><updated>{at}</updated></entry></feed>"#
    );
    let body = options.cut_before_signing(text.into_bytes());
    let secret = if options.forge_signature { FOREIGN_SECRET } else { &feed.secret };
    let mut mac = Hmac::<Sha1>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(&body);
    WebhookRequest {
        headers: vec![
            ("Content-Type", "application/atom+xml".into()),
            ("Link", format!("<{}>; rel=self", feed.topic)),
            ("X-Hub-Signature", format!("sha1={}", hex::encode(mac.finalize().into_bytes()))),
        ],
        message_id: identifier::uuid(),
        body: options.truncate_in_transit(body),
    }
}

/// `liveChatMessages.list`: pages are counted by the messages before them.
async fn messages(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<MessagesQuery>,
) -> Result<HttpResponse, Refusal> {
    let mut inner = state.lock();
    let token = oauth::authorization(&request, "Bearer");
    let token = token.and_then(|token| inner.oauth.access(Platform::Youtube, token));
    if token.is_none() {
        return Err(Refusal::of(Platform::Youtube, 401, "Request had invalid authentication credentials."));
    }
    let chats = &mut inner.live_chats;
    chats.polls.push((clock::now(), query.page_token.clone()));
    if chats.ended.contains(&query.live_chat_id) {
        return Err(refuse(403, "liveChatEnded", "The live chat is no longer live."));
    }
    let all = chats.messages.get(&query.live_chat_id).map(Vec::as_slice).unwrap_or_default();
    let first = match &query.page_token {
        None => 0,
        Some(token) => token
            .strip_prefix("page-")
            .and_then(|number| number.parse::<usize>().ok())
            .filter(|number| *number <= all.len())
            .ok_or_else(|| refuse(400, "pageTokenInvalid", "The page token is not valid."))?,
    };
    let limit = query.max_results.unwrap_or(500).min(MAX_RESULTS);
    let items: Vec<&Value> = all[first..].iter().take(limit).collect();
    Ok(HttpResponse::Ok().json(json!({
        "kind": "youtube#liveChatMessageListResponse",
        "nextPageToken": format!("page-{}", first + items.len()),
        "pollingIntervalMillis": chats.polling_interval_ms,
        "pageInfo": { "totalResults": items.len(), "resultsPerPage": items.len() },
        "items": items,
    })))
}

fn refuse(status: u16, reason: &str, message: &str) -> Refusal {
    let error = json!({ "message": message, "domain": "youtube.liveChat", "reason": reason });
    Refusal::new(status, json!({ "error": { "code": status, "message": message, "errors": [error] } }))
}

/// The hub accepts a request and verifies its callback soon after.
async fn subscribe(
    state: web::Data<State>,
    webhooks: web::Data<Webhooks>,
    form: web::Form<HashMap<String, String>>,
) -> HttpResponse {
    let value = |name: &str| form.get(name).cloned().unwrap_or_default();
    let feed =
        Feed { topic: value("hub.topic"), callback: value("hub.callback"), secret: value("hub.secret") };
    if value("hub.mode") != "subscribe" || feed.topic.is_empty() || feed.callback.is_empty() {
        return HttpResponse::BadRequest().finish();
    }
    rt::spawn(async move {
        let challenge = identifier::token(30);
        let question = [
            ("hub.mode", "subscribe"),
            ("hub.topic", feed.topic.as_str()),
            ("hub.challenge", challenge.as_str()),
            ("hub.lease_seconds", "432000"),
        ];
        let answer = webhooks.client.get(&feed.callback).query(&question).send().await;
        let is_wanted = match answer {
            Ok(answer) => answer.status() == 200 && answer.text().await.is_ok_and(|text| text == challenge),
            Err(_) => false,
        };
        tracing::info!(topic = feed.topic, is_wanted, "callback asked");
        if is_wanted {
            state.lock().live_chats.feeds.push(feed);
        }
    });
    HttpResponse::Accepted().finish()
}
