//! A stand-in for OBS: a server of obs-websocket 5, written from its published protocol.
//!
//! Close codes, statuses, comments and the order of events are those of OBS 29 with obs-websocket 5.1. It is stricter: a
//! field that the protocol does not name closes the connection, or is refused in the data of a request. Every violation
//! of the protocol is kept for the tests.

mod requests;
mod session;
mod world;

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::broadcast, task::JoinHandle};

pub use world::{Behaviour, Scene, Source};
use world::{Intent, World};

/// Close codes of the protocol.
pub mod close {
    /// The message has an unknown field.
    pub const UNKNOWN_REASON: u16 = 4000;
    /// The message is not JSON in a text frame.
    pub const MESSAGE_DECODE_ERROR: u16 = 4002;
    /// A field is missing.
    pub const MISSING_DATA_FIELD: u16 = 4003;
    /// A field has the wrong type.
    pub const INVALID_DATA_FIELD_TYPE: u16 = 4004;
    /// The op code is unknown.
    pub const UNKNOWN_OP_CODE: u16 = 4006;
    /// Something came before `Identify`.
    pub const NOT_IDENTIFIED: u16 = 4007;
    /// `Identify` came twice.
    pub const ALREADY_IDENTIFIED: u16 = 4008;
    /// The password is wrong or missing.
    pub const AUTHENTICATION_FAILED: u16 = 4009;
    /// The version of the remote procedures is another.
    pub const UNSUPPORTED_RPC_VERSION: u16 = 4010;
    /// The user of OBS ended the session.
    pub const SESSION_INVALIDATED: u16 = 4011;
}

/// A running stand-in. It stops on drop.
pub struct ObsStandIn {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

/// State of all connections.
struct Shared {
    world: Mutex<World>,
    orders: broadcast::Sender<Order>,
}

/// Order to every connection.
#[derive(Debug, Clone)]
enum Order {
    /// Send an event to who has subscribed to it.
    Event(Intent, Value),
    /// Send any text.
    Text(String),
    /// Close with a code.
    Close(u16),
    /// End without a close frame.
    Cut,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn emit(&self, intent: Intent, event_type: &str, data: Value) {
        let mut event = json!({ "eventType": event_type, "eventIntent": intent as u64 });
        if !data.is_null() {
            event["eventData"] = data;
        }
        // Without a connection there is no receiver.
        drop(self.orders.send(Order::Event(intent, event)));
    }
}

impl ObsStandIn {
    /// Starts on a free port of the loopback address, with the scenes `Game` (sources `Camera`, `Screen`) and `Break`.
    ///
    /// # Panics
    /// An error when no port is free.
    pub async fn start(password: Option<&str>) -> Self {
        Self::start_on(0, password).await
    }

    /// Starts on a port of the loopback address; 0 means a free one.
    ///
    /// # Panics
    /// An error when the port is taken.
    pub async fn start_on(port: u16, password: Option<&str>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (orders, _) = broadcast::channel(1000);
        let shared = Arc::new(Shared { world: Mutex::new(World::new(password)), orders });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self { address, shared, accepting }
    }

    /// Address of the server.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes the behaviour.
    pub fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.shared.lock().behaviour);
    }

    /// Sets the password of later connections.
    pub fn set_password(&self, password: Option<&str>) {
        self.shared.lock().password = password.map(str::to_owned);
    }

    /// Number of identified connections at present.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.shared.lock().sessions
    }

    /// Number of connections so far, identified or not.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.lock().connections
    }

    /// Types of the requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.shared.lock().requests.clone()
    }

    /// Violations of the protocol so far.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.shared.lock().violations.clone()
    }

    /// True while the stream runs.
    #[must_use]
    pub fn is_streaming(&self) -> bool {
        self.shared.lock().streaming
    }

    /// True while the recording runs.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.shared.lock().recording
    }

    /// Scene on air.
    #[must_use]
    pub fn current_scene(&self) -> String {
        self.shared.lock().current.clone()
    }

    /// True when a source of a scene shows; `None` for an unknown one.
    #[must_use]
    pub fn is_visible(&self, scene: &str, source: &str) -> Option<bool> {
        let world = self.shared.lock();
        let scene = world.scenes.iter().find(|one| one.name == scene)?;
        scene.sources.iter().find(|one| one.name == source).map(|source| source.visible)
    }

    /// Puts a scene on air, as the user of OBS does.
    pub fn switch_to(&self, scene: &str) {
        self.shared.switch_to(scene);
    }

    /// Starts or ends the stream, as the user of OBS does.
    pub fn set_streaming(&self, active: bool) {
        self.shared.set_streaming(active);
    }

    /// Starts or ends the recording, as the user of OBS does.
    pub fn set_recording(&self, active: bool) {
        self.shared.set_recording(active);
    }

    /// Pauses or resumes the recording, as the user of OBS does.
    pub fn set_paused(&self, paused: bool) {
        self.shared.set_paused(paused);
    }

    /// Renames a scene, as the user of OBS does.
    pub fn rename_scene(&self, old: &str, new: &str) {
        self.shared.rename_scene(old, new);
    }

    /// Adds a scene behind the others, as the user of OBS does.
    pub fn add_scene(&self, scene: Scene) {
        self.shared.add_scene(scene);
    }

    /// Changes to another collection with these scenes, the first of them on air.
    pub fn change_collection(&self, scenes: Vec<Scene>) {
        self.begin_collection_change();
        self.shared.finish_collection_change(scenes);
    }

    /// Begins the change to another collection.
    pub fn begin_collection_change(&self) {
        let data = json!({ "sceneCollectionName": "First" });
        self.shared.emit(Intent::Config, "CurrentSceneCollectionChanging", data);
    }

    /// Sends any text to every connection.
    pub fn send_text(&self, text: impl Into<String>) {
        drop(self.shared.orders.send(Order::Text(text.into())));
    }

    /// Closes every connection with a code.
    pub fn close_all(&self, code: u16) {
        drop(self.shared.orders.send(Order::Close(code)));
    }

    /// Ends every connection without a close frame.
    pub fn cut_all(&self) {
        drop(self.shared.orders.send(Order::Cut));
    }
}

impl Drop for ObsStandIn {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut_all();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        shared.lock().connections += 1;
        tokio::spawn(session::hold(stream, Arc::clone(&shared)));
    }
}
