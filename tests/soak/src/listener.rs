//! Sockets that listen to one channel each and resume at their cursor: those of dashboards, which are cut at random, and
//! those of pages, which stay.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use futures::{SinkExt, StreamExt};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use tokio::{
    net::TcpStream,
    sync::watch,
    time::{Instant, timeout_at},
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest},
};
use uuid::Uuid;

type Stream = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Longest and shortest life of a connection that is cut.
const LIVES: std::ops::Range<u64> = 3_000..20_000;
/// Life of a connection that only the server ends: longer than any soak.
const UNCUT: Duration = Duration::from_secs(30 * 24 * 3600);
const RECONNECT_DELAY: Duration = Duration::from_millis(300);
/// Events whose ids a page knows (reference/overlays.md#missed-events).
const MAX_KNOWN: usize = 2_000;

/// Channel of a listener, with its credential.
#[derive(Debug, Clone)]
pub struct Subscription {
    pub channel: String,
    /// Id of the account whose lines and events arrive.
    pub account: String,
    pub token: String,
    pub client: Client,
}

/// Program that a listener stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Its connections are cut. It gets each event once.
    Dashboard,
    /// Its connection stays until the server ends it. It gets the state after each subscription and some events again,
    /// which it knows by their ids (reference/realtime.md#relayed-events).
    Page,
}

/// Lines and events that one listener received.
#[derive(Debug, Default)]
pub struct Heard {
    /// Number of times that each arrived, by the id of the message or of the event.
    received: HashMap<String, u32>,
    pub connections: u32,
    /// Resumptions that the server reported as possibly incomplete.
    pub unrecovered: u32,
    /// Lines and events of other accounts.
    pub foreign: u32,
    last: Option<Uuid>,
    known: Known,
    /// True until the state has come that precedes missed events.
    awaits_state: bool,
}

/// Ids of the latest events of a page, oldest first.
#[derive(Debug, Default)]
struct Known {
    ids: HashSet<Uuid>,
    order: VecDeque<Uuid>,
}

/// One listener an account, in their order.
pub struct Listeners(Vec<Arc<Mutex<Heard>>>);

/// Starts the listeners; they end when `stopped` turns true.
pub fn start(
    subscriptions: Vec<Subscription>,
    origin: &str,
    seed: u64,
    stopped: &watch::Receiver<bool>,
) -> Listeners {
    let start_one = |(number, subscription): (u64, Subscription)| {
        let heard = Arc::new(Mutex::new(Heard::default()));
        let listener = Listener {
            origin: origin.replacen("http", "ws", 1),
            subscription,
            heard: Arc::clone(&heard),
            random: StdRng::seed_from_u64(seed ^ (number + 1)),
        };
        let mut stopped = stopped.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = listener.run() => {}
                _ = stopped.wait_for(|stopped| *stopped) => {}
            }
        });
        heard
    };
    Listeners((0..).zip(subscriptions).map(start_one).collect())
}

impl Listeners {
    /// Events of each listener, in the order of the accounts.
    pub fn each<T>(&self, read: impl Fn(&Heard) -> T) -> Vec<T> {
        self.0.iter().map(|heard| read(&heard.lock().unwrap_or_else(PoisonError::into_inner))).collect()
    }

    /// Number of those sent, by the place of their account, that the account's listener did not receive.
    pub fn count_missed(&self, sent: &HashMap<usize, Vec<&str>>) -> usize {
        let missed = |(account, heard): (usize, &Arc<Mutex<Heard>>)| {
            let heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            let ids = sent.get(&account).into_iter().flatten();
            ids.filter(|id| !heard.received.contains_key(**id)).count()
        };
        self.0.iter().enumerate().map(missed).sum()
    }

    /// Number of lines and events that a listener received more than once.
    pub fn count_doubled(&self) -> usize {
        self.each(|heard| heard.received.values().filter(|times| **times > 1).count()).iter().sum()
    }

    /// Waits until every listener is connected.
    ///
    /// # Errors
    /// An error when that takes too long.
    pub async fn subscribed(&self, until: Instant) -> Result<()> {
        self.all(until, "a listener did not connect", |heard| heard.connections > 0).await
    }

    /// Waits until every listener has got a line.
    ///
    /// # Errors
    /// An error when that takes too long.
    pub async fn heard_something(&self, until: Instant) -> Result<()> {
        self.all(until, "a listener heard nothing", |heard| heard.last.is_some()).await
    }

    async fn all(&self, until: Instant, failure: &str, is_so: impl Fn(&Heard) -> bool) -> Result<()> {
        while !self.each(&is_so).into_iter().all(|so| so) {
            ensure!(Instant::now() < until, "{failure}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }
}

struct Listener {
    origin: String,
    subscription: Subscription,
    heard: Arc<Mutex<Heard>>,
    random: StdRng,
}

impl Listener {
    async fn run(mut self) {
        loop {
            // Cut off, refused or killed: a client reconnects later.
            if let Err(_ended) = self.listen().await {
                tokio::time::sleep(RECONNECT_DELAY).await;
            }
        }
    }

    /// One connection, until it is cut.
    async fn listen(&mut self) -> Result<()> {
        let last = self.note(|heard| heard.last);
        let until = Instant::now() + self.life(last);
        let mut stream = self.connect().await?;
        let mut subscribe = json!({ "type": "subscribe", "channel": self.subscription.channel });
        if let Some(last) = last {
            subscribe["after"] = json!(last);
        }
        stream.send(Message::text(subscribe.to_string())).await?;
        while let Ok(frame) = timeout_at(until, next(&mut stream)).await {
            self.take(&frame?)?;
        }
        // Half of the ends send a close frame; the others only close the connection.
        if self.random.random_bool(0.5) {
            stream.close(None).await?;
        }
        Ok(())
    }

    /// Time until the connection is cut.
    fn life(&mut self, last: Option<Uuid>) -> Duration {
        match (self.subscription.client, last) {
            (Client::Page, _) => UNCUT,
            // Before the first line nothing is cut: there would be nothing to resume from.
            (Client::Dashboard, None) => Duration::from_millis(LIVES.end),
            (Client::Dashboard, Some(_)) => Duration::from_millis(self.random.random_range(LIVES)),
        }
    }

    async fn connect(&self) -> Result<Stream> {
        let mut request = format!("{}/v1/ws", self.origin).into_client_request()?;
        let bearer = format!("Bearer {}", self.subscription.token).parse()?;
        request.headers_mut().insert("authorization", bearer);
        Ok(connect_async(request).await?.0)
    }

    fn take(&self, frame: &Value) -> Result<()> {
        match frame["type"].as_str() {
            Some("subscribed") => self.note(|heard| {
                heard.connections += 1;
                heard.unrecovered += u32::from(frame["recovered"] == false);
                heard.awaits_state = self.subscription.client == Client::Page && frame["recovered"] == true;
            }),
            Some("event") => self.take_event(frame)?,
            Some("error") => bail!("the server says {frame}"),
            _ => {}
        }
        Ok(())
    }

    fn take_event(&self, event: &Value) -> Result<()> {
        let id: Uuid = event["id"].as_str().context("an event without an id")?.parse()?;
        let event_type = event["event_type"].as_str().unwrap_or_default();
        let received = match event_type {
            "chat:message" => event["data"]["platform_message_id"].as_str(),
            "event:new" => event["data"]["id"].as_str(),
            _ => None,
        };
        self.note(|heard| {
            // Missed events follow the state, so they are older than it.
            let precedes_missed = heard.awaits_state && event_type.ends_with(":snapshot");
            if precedes_missed {
                heard.awaits_state = false;
            } else {
                heard.last = Some(id);
            }
            if self.subscription.client == Client::Page && !heard.known.insert(id) {
                return;
            }
            if let Some(received) = received {
                *heard.received.entry(received.to_owned()).or_default() += 1;
                heard.foreign += u32::from(event["data"]["account_id"] != self.subscription.account.as_str());
            }
        });
        Ok(())
    }

    fn note<T>(&self, change: impl FnOnce(&mut Heard) -> T) -> T {
        change(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Known {
    /// Returns true for an id that is new.
    fn insert(&mut self, id: Uuid) -> bool {
        if !self.ids.insert(id) {
            return false;
        }
        self.order.push_back(id);
        if self.order.len() > MAX_KNOWN
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

async fn next(stream: &mut Stream) -> Result<Value> {
    loop {
        match stream.next().await.context("the connection ended")?? {
            Message::Text(text) => return Ok(serde_json::from_str(&text)?),
            Message::Close(_) => bail!("the connection was closed"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listener(client: Client) -> Listener {
        let subscription =
            Subscription { channel: "c".into(), account: "own".into(), token: "t".into(), client };
        let (heard, random) = (Arc::default(), StdRng::seed_from_u64(1));
        Listener { origin: String::new(), subscription, heard, random }
    }

    fn event(event_type: &str, id: Uuid, data: Value) -> Value {
        json!({ "type": "event", "event_type": event_type, "id": id, "data": data })
    }

    fn line(id: Uuid, message: &str, account: &str) -> Value {
        event("chat:message", id, json!({ "platform_message_id": message, "account_id": account }))
    }

    fn state(id: Uuid) -> Value {
        event("overlay:snapshot", id, json!({}))
    }

    fn take(listener: &Listener, frames: &[Value]) {
        frames.iter().for_each(|frame| listener.take(frame).unwrap());
    }

    #[test]
    fn listener_of_a_page_drops_what_it_knows_and_resumes_after_its_last_event() {
        let page = listener(Client::Page);
        let [first, second, third, raid, other] = [(); 5].map(|()| Uuid::now_v7());
        take(&page, &[json!({ "type": "subscribed" }), state(first)]);
        assert_eq!(page.note(|heard| heard.last), Some(first));
        take(&page, &[line(second, "1", "own"), json!({ "type": "subscribed", "recovered": true })]);
        take(&page, &[state(third)]);
        assert_eq!(page.note(|heard| heard.last), Some(second), "missed events are older than the state");
        let raid_event = event("event:new", raid, json!({ "id": raid, "account_id": "own" }));
        take(&page, &[line(second, "1", "own"), raid_event, line(other, "2", "foreign")]);
        let counted = page.note(|heard| (heard.received.len(), heard.received["1"], heard.last));
        assert_eq!(counted, (3, 1, Some(other)));
        take(&page, &[json!({ "type": "subscribed", "recovered": false }), state(Uuid::now_v7())]);
        let counted = page.note(|heard| (heard.connections, heard.unrecovered, heard.foreign));
        assert_eq!(counted, (3, 1, 1));

        let listeners = Listeners(vec![Arc::clone(&page.heard)]);
        assert_eq!(listeners.count_missed(&HashMap::from([(0, vec!["1", "4"])])), 1);
        assert_eq!(listeners.count_doubled(), 0);
        take(&page, &[line(Uuid::now_v7(), "1", "own")]);
        assert_eq!(listeners.count_doubled(), 1, "under another id it is drawn twice");
    }

    #[test]
    fn listener_of_a_dashboard_counts_every_event() {
        let dashboard = listener(Client::Dashboard);
        let id = Uuid::now_v7();
        take(&dashboard, &[line(id, "1", "own"), line(id, "1", "own")]);
        assert_eq!(dashboard.note(|heard| heard.received["1"]), 2);
    }

    #[test]
    fn known_forgets_the_oldest_of_many() {
        let mut known = Known::default();
        let ids: Vec<Uuid> = (0..=MAX_KNOWN).map(|_| Uuid::now_v7()).collect();
        assert!(ids.iter().all(|id| known.insert(*id)));
        assert!(known.insert(ids[0]), "it was the oldest");
        assert!(!known.insert(ids[MAX_KNOWN]));
    }
}
