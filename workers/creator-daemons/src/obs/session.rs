//! Identified connection to an OBS: requests one after the other, events in between
//! (reference/obs.md#connection).

use std::time::Duration;

use live_model::obs::{ObsCall, ObsCommand, ObsExchange, ObsReply, OutputState};
use serde_json::{Value, json};
use tokio::{
    sync::Notify,
    time::{Instant, MissedTickBehavior, interval, timeout_at},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use worker_core::Context;

use super::{
    board::Board,
    ended::Ended,
    socket::{Received, Socket},
};

/// Events of OBS that are applied in a second (reference/obs.md#state).
const MAX_EVENTS_PER_SECOND: u32 = 20;
/// Maximum time of a command, all its requests together: less than its caller waits.
const EXECUTION_TIMEOUT: Duration = Duration::from_secs(4);
/// Maximum time to read the state of OBS.
const STATE_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval at which waiting commands are polled; usually a message wakes the session before.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of pings, and at which the stored state is renewed.
const PING_INTERVAL: Duration = Duration::from_secs(10);
/// Time without any message after which the connection counts as lost (reference/obs.md#connection).
const SILENCE_TIMEOUT: Duration = Duration::from_secs(35);
/// Time after which a change of the scene collection counts as finished, if OBS does not report its end.
const COLLECTION_TIMEOUT: Duration = Duration::from_secs(30);
/// Length of a comment of OBS, in characters.
const MAX_COMMENT_LENGTH: usize = 300;

/// Op codes and statuses of obs-websocket 5.
const EVENT: u64 = 5;
const REQUEST: u8 = 6;
const RESPONSE: u64 = 7;
const NOT_READY: u64 = 207;

/// Session with the OBS of one account.
pub(super) struct Session<'a> {
    context: &'a Context,
    exchange: &'a ObsExchange,
    account: Uuid,
    board: &'a mut Board,
    /// Notified when a command waits.
    woken: &'a Notify,
    stop: &'a CancellationToken,
    socket: Socket,
    requests: u64,
    last_message_at: Instant,
    /// End of a change of the scene collection, during which OBS must not get requests.
    collection_changes_until: Option<Instant>,
    scenes_are_stale: bool,
    second_began_at: Instant,
    events_of_second: u32,
}

/// Answer of OBS to a request: its data, or the refusal as a text.
type Answer = Result<Value, String>;

impl<'a> Session<'a> {
    /// Session over an identified socket.
    pub fn new(
        (context, exchange): (&'a Context, &'a ObsExchange),
        account: Uuid,
        board: &'a mut Board,
        (woken, stop): (&'a Notify, &'a CancellationToken),
        socket: Socket,
    ) -> Self {
        let (requests, last_message_at) = (0, Instant::now());
        let (collection_changes_until, scenes_are_stale) = (None, true);
        Self {
            context,
            exchange,
            account,
            board,
            woken,
            stop,
            socket,
            requests,
            last_message_at,
            collection_changes_until,
            scenes_are_stale,
            second_began_at: Instant::now(),
            events_of_second: 0,
        }
    }

    /// Serves until `stop` is cancelled or the connection ends.
    ///
    /// # Errors
    /// The reason why the connection ended.
    pub async fn run(mut self) -> Result<(), Ended> {
        self.read_state(Instant::now() + STATE_TIMEOUT).await?;
        self.board.state.connected = true;
        self.board.state.error = None;
        self.board.show().await;
        let (mut polls, mut pings) = (interval(POLL_INTERVAL), interval(PING_INTERVAL));
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.stop.cancelled() => {
                    self.socket.close().await;
                    return Ok(());
                }
                () = self.woken.notified() => self.serve().await?,
                _ = polls.tick() => {
                    self.serve().await?;
                    self.refresh_scenes().await?;
                }
                _ = pings.tick() => {
                    if self.last_message_at.elapsed() > SILENCE_TIMEOUT {
                        return Err(Ended::Silent);
                    }
                    self.socket.ping().await?;
                    self.board.renew().await;
                }
                received = self.socket.next() => self.receive(received?).await,
            }
        }
    }

    async fn read_state(&mut self, deadline: Instant) -> Result<(), Ended> {
        let is = |answer: &Answer, key: &str| answer.as_ref().is_ok_and(|data| data[key] == true);
        let stream = self.request("GetStreamStatus", Value::Null, deadline).await?;
        self.board.state.stream = OutputState::of(is(&stream, "outputActive"), false);
        let record = self.request("GetRecordStatus", Value::Null, deadline).await?;
        self.board.state.record = OutputState::of(is(&record, "outputActive"), is(&record, "outputPaused"));
        self.read_scenes(deadline).await
    }

    async fn read_scenes(&mut self, deadline: Instant) -> Result<(), Ended> {
        // Before the request: an event during it makes them stale again.
        self.scenes_are_stale = false;
        if let Ok(list) = self.request("GetSceneList", Value::Null, deadline).await? {
            self.board.state.set_scenes(&list["scenes"]);
            self.board.state.set_current_scene(&list["currentProgramSceneName"]);
        }
        Ok(())
    }

    /// Reads the scenes of another collection.
    async fn refresh_scenes(&mut self) -> Result<(), Ended> {
        if self.scenes_are_stale && !self.collection_changes() {
            self.read_scenes(Instant::now() + STATE_TIMEOUT).await?;
            self.board.show().await;
        }
        Ok(())
    }

    fn collection_changes(&self) -> bool {
        self.collection_changes_until.is_some_and(|until| Instant::now() < until)
    }

    /// Executes the waiting commands.
    async fn serve(&mut self) -> Result<(), Ended> {
        loop {
            let call = match self.exchange.take_command(self.account).await {
                Ok(Some(call)) => call,
                Ok(None) => return Ok(()),
                Err(error) => {
                    tracing::warn!(account = %self.account, %error, "commands to OBS cannot be read");
                    return Ok(());
                }
            };
            // Its caller does not wait any more.
            if call.expires_at <= self.context.clock.now() {
                continue;
            }
            let executed = self.execute(&call).await;
            let reply = match &executed {
                Ok(Ok(_data)) => ObsReply::Done,
                Ok(Err(comment)) => ObsReply::Refused { comment: comment.clone() },
                Err(Ended::NotReady) => ObsReply::Refused { comment: Ended::NotReady.to_string() },
                Err(_ended) => ObsReply::Lost,
            };
            answer(self.exchange, &call, &reply).await;
            executed.map(drop)?;
        }
    }

    async fn execute(&mut self, call: &ObsCall) -> Result<Answer, Ended> {
        if self.collection_changes() {
            return Ok(Err("OBS changes its scene collection".to_owned()));
        }
        let deadline = Instant::now() + EXECUTION_TIMEOUT;
        match &call.command {
            ObsCommand::StartStream => self.request("StartStream", Value::Null, deadline).await,
            ObsCommand::StopStream => self.request("StopStream", Value::Null, deadline).await,
            ObsCommand::StartRecord => self.request("StartRecord", Value::Null, deadline).await,
            ObsCommand::StopRecord => self.request("StopRecord", Value::Null, deadline).await,
            ObsCommand::SetScene { scene } => {
                self.request("SetCurrentProgramScene", json!({ "sceneName": scene }), deadline).await
            }
            ObsCommand::SetSource { scene, source, visible } => {
                self.set_source(scene, source, *visible, deadline).await
            }
            ObsCommand::Test => Ok(Ok(Value::Null)),
        }
    }

    async fn set_source(
        &mut self,
        scene: &str,
        source: &str,
        visible: bool,
        deadline: Instant,
    ) -> Result<Answer, Ended> {
        let wanted = json!({ "sceneName": scene, "sourceName": source });
        let item = match self.request("GetSceneItemId", wanted, deadline).await? {
            Ok(found) => found["sceneItemId"].clone(),
            refused => return Ok(refused),
        };
        let change = json!({ "sceneName": scene, "sceneItemId": item, "sceneItemEnabled": visible });
        self.request("SetSceneItemEnabled", change, deadline).await
    }

    /// Sends a request and returns its answer. Events that arrive before it are applied.
    async fn request(&mut self, request_type: &str, data: Value, deadline: Instant) -> Result<Answer, Ended> {
        self.requests += 1;
        let id = self.requests.to_string();
        let mut request = json!({ "requestType": request_type, "requestId": id });
        if !data.is_null() {
            request["requestData"] = data;
        }
        self.socket.send(REQUEST, &request).await?;
        let answered = async {
            loop {
                match self.socket.next().await? {
                    Received::Message(RESPONSE, response) if response["requestId"] == *id => {
                        self.last_message_at = Instant::now();
                        return answer_of(response);
                    }
                    other => self.receive(other).await,
                }
            }
        };
        timeout_at(deadline, answered).await.unwrap_or(Err(Ended::Silent))
    }

    /// Takes a message that answers nothing.
    async fn receive(&mut self, received: Received) {
        self.last_message_at = Instant::now();
        let Received::Message(EVENT, event) = received else { return };
        match event["eventType"].as_str().unwrap_or_default() {
            "CurrentSceneCollectionChanging" => {
                self.collection_changes_until = Some(Instant::now() + COLLECTION_TIMEOUT);
                self.scenes_are_stale = true;
            }
            "CurrentSceneCollectionChanged" => {
                (self.collection_changes_until, self.scenes_are_stale) = (None, true);
            }
            event_type => {
                self.pace().await;
                self.board.apply(event_type, &event["eventData"]).await;
            }
        }
    }

    /// Waits when events come faster than they may be stored: the wait reaches the sender.
    async fn pace(&mut self) {
        let second = Duration::from_secs(1);
        if self.second_began_at.elapsed() >= second {
            (self.second_began_at, self.events_of_second) = (Instant::now(), 0);
        }
        self.events_of_second += 1;
        if self.events_of_second > MAX_EVENTS_PER_SECOND {
            tokio::time::sleep_until(self.second_began_at + second).await;
        }
    }
}

/// Stores the outcome of a call. Its caller times out when that fails.
pub(super) async fn answer(exchange: &ObsExchange, call: &ObsCall, reply: &ObsReply) {
    if let Err(error) = exchange.answer(call.id, reply).await {
        tracing::warn!(account = %call.account_id, %error, "the outcome of a command to OBS is lost");
    }
}

fn answer_of(mut response: Value) -> Result<Answer, Ended> {
    let status = &response["requestStatus"];
    match (status["result"].as_bool(), status["code"].as_u64()) {
        (Some(true), _) => Ok(Ok(response["responseData"].take())),
        (Some(false), Some(NOT_READY)) => Err(Ended::NotReady),
        (Some(false), Some(code)) => {
            let given = status["comment"].as_str().unwrap_or_default();
            let comment: String =
                given.chars().filter(|c| !c.is_control()).take(MAX_COMMENT_LENGTH).collect();
            Ok(Err(if comment.is_empty() { format!("OBS refuses it with status {code}") } else { comment }))
        }
        _ => Err(Ended::ForeignProtocol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_of_obs_is_data_a_refusal_or_an_end() {
        let response =
            |status: Value| json!({ "requestStatus": status, "responseData": { "sceneItemId": 7 } });
        let done = answer_of(response(json!({ "result": true, "code": 100 })));
        assert_eq!(done, Ok(Ok(json!({ "sceneItemId": 7 }))));
        let long = "\u{7}x".repeat(MAX_COMMENT_LENGTH + 9);
        let refused = answer_of(response(json!({ "result": false, "code": 600, "comment": long })));
        assert_eq!(refused, Ok(Err("x".repeat(MAX_COMMENT_LENGTH))));
        let refused = answer_of(response(json!({ "result": false, "code": 500 })));
        assert_eq!(refused, Ok(Err("OBS refuses it with status 500".to_owned())));
        assert_eq!(answer_of(response(json!({ "result": false, "code": 207 }))), Err(Ended::NotReady));
        assert_eq!(answer_of(json!({})), Err(Ended::ForeignProtocol));
    }
}
