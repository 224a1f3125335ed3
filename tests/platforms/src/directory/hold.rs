//! Requests that wait until a test lets them pass.

use tokio::sync::watch;

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Waiting,
    Arrived(String),
    Released,
}

/// The next request about a single channel, which gets its answer after [`release`](Self::release).
#[derive(Debug, Clone)]
pub struct HeldRequest {
    state: watch::Sender<State>,
}

impl HeldRequest {
    pub(super) fn new() -> Self {
        Self { state: watch::Sender::new(State::Waiting) }
    }

    /// Waits for the request; returns the id or name of its channel.
    ///
    /// # Panics
    /// An error when it was released before.
    pub async fn arrived(&self) -> String {
        let mut state = self.state.subscribe();
        let state = state.wait_for(|state| *state != State::Waiting).await.expect("this holder");
        match &*state {
            State::Arrived(channel) => channel.clone(),
            other => panic!("no request is held: {other:?}"),
        }
    }

    /// Lets the request pass.
    pub fn release(&self) {
        self.state.send_replace(State::Released);
    }

    /// Waits as the request about a channel.
    pub(super) async fn wait(self, channel: &str) {
        let mut state = self.state.subscribe();
        self.state.send_replace(State::Arrived(channel.to_owned()));
        let released = state.wait_for(|state| *state == State::Released).await;
        released.expect("this holder");
    }
}
