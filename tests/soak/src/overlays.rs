//! An overlay of every account, whose page stays open, and the lines and events that the page must have received.

use std::{collections::HashMap, time::Duration};

use anyhow::Result;
use demo::{Api, text};
use diesel::{QueryableByName, sql_query, sql_types};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use reqwest::Method;
use serde_json::json;
use tokio::{sync::watch, time::Instant};

use crate::{
    Arguments, broadcasts,
    listener::{self, Client, Listeners, Subscription},
    traffic::{self, Line},
    world::{Account, World},
};

/// Types of the layers: together they receive lines and events.
const LAYERS: [&str; 3] = ["alert_box", "chat_box", "event_list"];
/// Longest time until every page is connected.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);

/// Overlay with its token.
#[derive(Debug, Clone)]
pub struct Overlay {
    channel: String,
    token: String,
}

/// Makes the overlay of an account.
///
/// # Errors
/// An error when a step is refused.
pub async fn make(owner: &Api) -> Result<Overlay> {
    let made = owner.post("/v1/overlays", json!({ "name": "Soak" })).await?;
    let path = format!("/v1/overlays/{}", text(&made, "/data/id")?);
    let layers = LAYERS.map(|kind| json!({ "type": kind, "name": kind, "width": 600, "height": 300 }));
    owner.call(Method::PUT, &format!("{path}/layers"), Some(json!({ "layers": layers }))).await?;
    let token = owner.get(&format!("{path}/token")).await?;
    Ok(Overlay {
        channel: format!("overlay:{}", text(&made, "/data/key")?),
        token: text(&token, "/data/token")?.to_owned(),
    })
}

/// Opens the page of each account, and waits until all are connected: they get every later event.
///
/// # Errors
/// An error when that takes too long.
pub async fn open(
    world: &World,
    origin: &str,
    arguments: &Arguments,
    stopped: &watch::Receiver<bool>,
) -> Result<Listeners> {
    let of_account = |account: &Account| Subscription {
        channel: account.overlay.channel.clone(),
        account: account.id.clone(),
        token: account.overlay.token.clone(),
        client: Client::Page,
    };
    let subscriptions = world.accounts.iter().map(of_account).collect();
    let pages = listener::start(subscriptions, origin, arguments.seed, stopped);
    pages.subscribed(Instant::now() + CONNECT_TIMEOUT).await?;
    Ok(pages)
}

/// Stored event.
#[derive(QueryableByName)]
struct Event {
    #[diesel(sql_type = sql_types::Text)]
    account: String,
    #[diesel(sql_type = sql_types::Text)]
    id: String,
}

/// Lines and events of the pages compared with the accepted ones.
#[derive(Debug, Default)]
pub struct Findings {
    accepted: usize,
    missed: usize,
    doubled: usize,
    foreign: u32,
    connections: u32,
    /// Resumptions that the server reported as possibly incomplete.
    unrecovered: u32,
}

impl Findings {
    /// Compares with the accepted lines, and with the stored events of the broadcasts: their ids are made by the worker.
    ///
    /// # Errors
    /// An error when the database does not reply.
    pub async fn read(
        arguments: &Arguments,
        world: &World,
        lines: &[Line],
        pages: &Listeners,
    ) -> Result<Self> {
        let mut connection = AsyncPgConnection::establish(&arguments.database).await?;
        let stored = "SELECT account_id::text AS account, id::text AS id FROM events";
        let stored: Vec<Event> = sql_query(stored).load(&mut connection).await?;
        let accepted_events = broadcasts::events(arguments);
        let unstored = accepted_events.saturating_sub(stored.len());
        Ok(Self {
            accepted: lines.len() + accepted_events,
            missed: pages.count_missed(&sent(world, lines, &stored)) + unstored,
            doubled: pages.count_doubled(),
            foreign: pages.each(|heard| heard.foreign).iter().sum(),
            connections: pages.each(|heard| heard.connections).iter().sum(),
            unrecovered: pages.each(|heard| heard.unrecovered).iter().sum(),
        })
    }

    /// True when no page misses a line or an event.
    pub const fn are_complete(&self) -> bool {
        self.missed == 0
    }

    /// True when every page received its lines and events once, and no others.
    pub const fn hold(&self) -> bool {
        self.are_complete() && self.doubled == 0 && self.foreign == 0 && self.unrecovered == 0
    }

    /// Row of the table: description, figure, and if the promise was kept.
    pub fn row(&self) -> (&'static str, String, Option<bool>) {
        let figure = format!(
            "{} accepted, {} missed, {} doubled, {} foreign, {} connections, {} gaps",
            self.accepted, self.missed, self.doubled, self.foreign, self.connections, self.unrecovered
        );
        ("Lines and events of overlays", figure, Some(self.hold()))
    }
}

/// Ids of lines and events, by the place of their account.
fn sent<'a>(world: &World, lines: &'a [Line], events: &'a [Event]) -> HashMap<usize, Vec<&'a str>> {
    let places: HashMap<&str, usize> =
        world.accounts.iter().enumerate().map(|(place, account)| (account.id.as_str(), place)).collect();
    let mut sent = traffic::ids_by_account(lines);
    for event in events {
        if let Some(place) = places.get(event.account.as_str()) {
            sent.entry(*place).or_default().push(&event.id);
        }
    }
    sent
}
