//! Sockets that listen to one account's chat each, are cut at random, and resume at their cursor.

use std::{
    collections::HashMap,
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

use crate::world::{Account, World};

type Stream = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Longest and shortest life of a connection.
const LIVES: std::ops::Range<u64> = 3_000..20_000;
const RECONNECT_DELAY: Duration = Duration::from_millis(300);

/// Events that one listener received.
#[derive(Debug, Default)]
pub struct Heard {
    /// Number of times that each line arrived, by the id of the message.
    pub lines: HashMap<String, u32>,
    pub connections: u32,
    /// Resumptions that the server reported as possibly incomplete.
    pub unrecovered: u32,
    last: Option<Uuid>,
}

/// One listener an account, in their order.
pub struct Listeners(Vec<Arc<Mutex<Heard>>>);

/// Starts the listeners; they end when `stopped` turns true.
pub fn start(world: &World, origin: &str, seed: u64, stopped: &watch::Receiver<bool>) -> Listeners {
    let start_one = |(number, account): (u64, &Account)| {
        let heard = Arc::new(Mutex::new(Heard::default()));
        let listener = Listener {
            origin: origin.replacen("http", "ws", 1),
            account: account.clone(),
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
    Listeners((0..).zip(&world.accounts).map(start_one).collect())
}

impl Listeners {
    /// Events of each listener, in the order of the accounts.
    pub fn each<T>(&self, read: impl Fn(&Heard) -> T) -> Vec<T> {
        self.0.iter().map(|heard| read(&heard.lock().unwrap_or_else(PoisonError::into_inner))).collect()
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
    account: Account,
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
        // Before the first line nothing is cut: there would be nothing to resume from.
        let last = self.note(|heard| heard.last);
        let life = if last.is_some() { self.random.random_range(LIVES) } else { LIVES.end };
        let until = Instant::now() + Duration::from_millis(life);
        let mut stream = self.connect().await?;
        let channel = format!("chat:{}", self.account.id);
        let mut subscribe = json!({ "type": "subscribe", "channel": channel });
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

    async fn connect(&self) -> Result<Stream> {
        let mut request = format!("{}/v1/ws", self.origin).into_client_request()?;
        let bearer = format!("Bearer {}", self.account.key).parse()?;
        request.headers_mut().insert("authorization", bearer);
        Ok(connect_async(request).await?.0)
    }

    fn take(&self, frame: &Value) -> Result<()> {
        match frame["type"].as_str() {
            Some("subscribed") => self.note(|heard| {
                heard.connections += 1;
                if frame["recovered"] == false {
                    heard.unrecovered += 1;
                }
            }),
            Some("event") => {
                let id = frame["id"].as_str().context("an event without an id")?.parse()?;
                self.note(|heard| {
                    heard.last = Some(id);
                    if let Some(line) = frame["data"]["platform_message_id"].as_str() {
                        *heard.lines.entry(line.to_owned()).or_default() += 1;
                    }
                });
            }
            Some("error") => bail!("the server says {frame}"),
            _ => {}
        }
        Ok(())
    }

    fn note<T>(&self, change: impl FnOnce(&mut Heard) -> T) -> T {
        change(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner))
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
