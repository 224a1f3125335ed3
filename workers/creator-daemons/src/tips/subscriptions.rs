//! Subscriptions of one account to tips: one for each of its tokens, whatever socket carries them
//! (reference/tips.md#sockets).

use std::{mem, time::Duration};

use platform_daemons::sources::{Interruption, Pauses};
use tokio::{task::Id, time::Instant};

use super::{channel::Access, tokens::Token};

/// Time after which a refused token is tried again; a replaced one is tried immediately
/// (reference/tips.md#sockets).
const REFUSED_COOLDOWN: Duration = Duration::from_secs(600);

/// Subscriptions of one account.
#[derive(Default)]
pub(super) struct Subscriptions {
    list: Vec<Subscription>,
    /// Number of the last request.
    requests: u64,
}

/// Failed attempt to subscribe with a token.
pub(super) struct Failure {
    pub token: Token,
    pub interruption: Interruption,
    /// Name of the interruption in metrics.
    pub reason: &'static str,
    /// Time until the next attempt.
    pub pause: Duration,
}

/// Subscription with one token.
struct Subscription {
    token: Token,
    state: State,
    /// Room whose tips the account receives. While a replaced token is being opened, it is that of the token
    /// before: both are usually of one channel, whose tips continue then.
    room: Option<String>,
    pauses: Pauses,
}

/// Progress of a subscription.
enum State {
    /// The token is opened at this time.
    Due(Instant),
    /// A task opens the token.
    Opening(Id),
    /// The token can be used.
    Ready(Access),
    /// The response to the request of this number is expected by this time.
    Requested { request: u64, by: Instant },
    /// Tips arrive.
    Confirmed,
}

/// Returns the name of an interruption in metrics, and the time until the next attempt.
pub(super) fn pause_after(interruption: &Interruption, pauses: &mut Pauses) -> (&'static str, Duration) {
    match interruption {
        Interruption::Broken(_) => ("broken", pauses.next_pause()),
        Interruption::Later { pause, .. } => ("later", *pause),
        Interruption::Refused(_) => ("refused", REFUSED_COOLDOWN),
    }
}

impl Subscriptions {
    /// Takes the stored tokens: ends the subscriptions of others, and begins those of new and replaced ones.
    pub fn update(&mut self, stored: &[Token]) {
        self.list.retain(|own| stored.iter().any(|token| token.id == own.token.id));
        for token in stored {
            match self.list.iter_mut().find(|own| own.token.id == token.id) {
                Some(own) if own.token == *token => {}
                Some(own) => *own = Subscription::new(token, own.room.take()),
                None => self.list.push(Subscription::new(token, None)),
            }
        }
    }

    /// Opens the tokens that are due. `open` begins a task that does so, and returns its id.
    pub fn open_due(&mut self, now: Instant, mut open: impl FnMut(&Token) -> Id) {
        for own in &mut self.list {
            if matches!(own.state, State::Due(at) if at <= now) {
                own.state = State::Opening(open(&own.token));
            }
        }
    }

    /// Takes the result of a task. That of a token which was replaced or deleted meanwhile has no effect.
    pub fn take_opened(&mut self, task: Id, opened: Result<Access, Interruption>) -> Option<Failure> {
        let own = self.find(|state| matches!(state, State::Opening(own) if *own == task))?;
        match opened {
            Ok(access) => {
                own.room = Some(access.room.clone());
                own.state = State::Ready(access);
                None
            }
            Err(interruption) => {
                own.room = None;
                Some(own.fail(interruption))
            }
        }
    }

    /// Returns what the next request needs, with its number. A response is expected by the given time.
    pub fn next_request(&mut self, by: Instant) -> Option<(u64, Access)> {
        let request = self.requests + 1;
        let own = self.find(|state| matches!(state, State::Ready(_)))?;
        let State::Ready(access) = mem::replace(&mut own.state, State::Requested { request, by }) else {
            return None;
        };
        self.requests = request;
        Some((request, access))
    }

    /// Returns the requested room of a request without a response.
    pub fn room_of(&mut self, request: u64) -> Option<String> {
        self.requested(request)?.room.clone()
    }

    /// Notes the room of a request without a response as StreamElements names it for another topic, so that the
    /// subscription to that topic stays.
    pub fn name_room(&mut self, request: u64, room: String) {
        if let Some(own) = self.requested(request) {
            own.room = Some(room);
        }
    }

    /// Notes that the tips of a request arrive, in the given room. Returns the token.
    pub fn confirm(&mut self, request: u64, room: Option<String>) -> Option<&Token> {
        let own = self.requested(request)?;
        own.room = room.or_else(|| own.room.take());
        (own.state, own.pauses) = (State::Confirmed, Pauses::default());
        Some(&own.token)
    }

    /// Notes that a request was not accepted.
    pub fn refuse(&mut self, request: u64, interruption: Interruption) -> Option<Failure> {
        Some(self.requested(request)?.fail(interruption))
    }

    /// Gives up the requests whose time for a response has passed.
    pub fn expire(&mut self, now: Instant) -> Vec<Failure> {
        let mut failures = Vec::new();
        for own in &mut self.list {
            if matches!(own.state, State::Requested { by, .. } if by <= now) {
                let why = "StreamElements does not respond to a subscription";
                failures.push(own.fail(Interruption::Broken(why.to_owned())));
            }
        }
        failures
    }

    /// Repeats requests without a response: their socket has moved.
    pub fn repeat_requests(&mut self, now: Instant) {
        for own in &mut self.list {
            if matches!(own.state, State::Requested { .. }) {
                own.state = State::Due(now);
            }
        }
    }

    /// Notes the end of the socket: everything is requested again.
    pub fn disconnect(&mut self, now: Instant) {
        for own in &mut self.list {
            if matches!(own.state, State::Requested { .. } | State::Confirmed) {
                own.state = State::Due(now);
            }
        }
    }

    /// Returns the time at which a token is due, or a response is.
    pub fn deadline(&self) -> Option<Instant> {
        let deadlines = self.list.iter().filter_map(|own| match own.state {
            State::Due(at) | State::Requested { by: at, .. } => Some(at),
            _ => None,
        });
        deadlines.min()
    }

    /// True when a token can be used that is not used yet.
    pub fn has_ready(&self) -> bool {
        self.list.iter().any(|own| matches!(own.state, State::Ready(_)))
    }

    /// True unless all tokens wait for a later attempt.
    pub fn need_socket(&self, now: Instant) -> bool {
        self.list.iter().any(|own| !matches!(own.state, State::Due(at) if at > now))
    }

    /// True while tips of a token arrive.
    pub fn are_received(&self) -> bool {
        self.list.iter().any(|own| matches!(own.state, State::Confirmed))
    }

    /// True while the account receives the tips of a room.
    pub fn have_room(&self, room: &str) -> bool {
        self.list.iter().any(|own| own.room.as_deref() == Some(room))
    }

    fn requested(&mut self, number: u64) -> Option<&mut Subscription> {
        self.find(|state| matches!(state, State::Requested { request, .. } if *request == number))
    }

    fn find(&mut self, is_wanted: impl Fn(&State) -> bool) -> Option<&mut Subscription> {
        self.list.iter_mut().find(|own| is_wanted(&own.state))
    }
}

impl Subscription {
    fn new(token: &Token, room: Option<String>) -> Self {
        let state = State::Due(Instant::now());
        Self { token: token.clone(), state, room, pauses: Pauses::default() }
    }

    /// Waits for a later attempt. The room stays if that may succeed soon: where its tips arrive already, with the
    /// token before, none is missed.
    fn fail(&mut self, interruption: Interruption) -> Failure {
        if !matches!(interruption, Interruption::Broken(_)) {
            self.room = None;
        }
        let (reason, pause) = pause_after(&interruption, &mut self.pauses);
        self.state = State::Due(Instant::now() + pause);
        Failure { token: self.token.clone(), interruption, reason, pause }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};
    use shared::secret::Secret;
    use uuid::Uuid;

    use super::{super::channel::TokenType, *};

    fn token(id: u128, version: i64) -> Token {
        let (id, updated_at) = (Uuid::from_u128(id), DateTime::UNIX_EPOCH + TimeDelta::seconds(version));
        Token { id, account_id: Uuid::nil(), platform: "twitch".to_owned(), updated_at }
    }

    fn access(room: &str) -> Access {
        Access { token: Secret::new("x"), token_type: TokenType::Jwt, room: room.to_owned() }
    }

    /// Opens the tokens that are due. The room of each is the last digit of its id.
    fn open(subscriptions: &mut Subscriptions) {
        let mut tasks = Vec::new();
        subscriptions.open_due(Instant::now(), |token| {
            let task = tokio::spawn(async {}).id();
            tasks.push((task, token.id.to_string()));
            task
        });
        for (task, id) in tasks {
            let opened = subscriptions.take_opened(task, Ok(access(&id[id.len() - 1..])));
            assert!(opened.is_none());
        }
    }

    /// Requests what is ready; returns the numbers of the requests with their rooms.
    fn request(subscriptions: &mut Subscriptions) -> Vec<(u64, String)> {
        let by = Instant::now() + Duration::from_secs(10);
        std::iter::from_fn(|| subscriptions.next_request(by).map(|(number, access)| (number, access.room)))
            .collect()
    }

    fn of(stored: &[Token]) -> Subscriptions {
        let mut subscriptions = Subscriptions::default();
        subscriptions.update(stored);
        open(&mut subscriptions);
        subscriptions
    }

    #[tokio::test]
    async fn subscriptions_are_confirmed_and_refused_each_by_its_own_number() {
        let mut subscriptions = of(&[token(1, 0), token(2, 0)]);
        assert!(subscriptions.has_ready() && !subscriptions.are_received());
        assert_eq!(request(&mut subscriptions), [(1, "1".to_owned()), (2, "2".to_owned())]);
        let refused = subscriptions.refuse(1, Interruption::Refused("no".into())).unwrap();
        assert_eq!(refused.token, token(1, 0));
        assert_eq!((refused.reason, refused.pause), ("refused", REFUSED_COOLDOWN));
        subscriptions.name_room(2, "canonical".into());
        assert!(subscriptions.have_room("canonical"), "the response of the other topic may be the first");
        assert_eq!(subscriptions.confirm(2, Some("canonical".into())), Some(&token(2, 0)));
        assert!(subscriptions.are_received() && subscriptions.have_room("canonical"));
        assert!(!subscriptions.have_room("1") && !subscriptions.have_room("2"));
        // Responses are counted once, and those to earlier requests not at all.
        assert!(subscriptions.confirm(1, None).is_none() && subscriptions.confirm(2, None).is_none());
        assert!(subscriptions.need_socket(Instant::now()));
        subscriptions.update(&[token(1, 0)]);
        assert!(!subscriptions.need_socket(Instant::now()), "the refused token waits without a socket");
    }

    #[tokio::test]
    async fn subscriptions_of_a_replaced_token_keep_the_room_until_the_next_one_is_known() {
        let mut subscriptions = of(&[token(1, 0), token(2, 0)]);
        request(&mut subscriptions);
        subscriptions.confirm(1, None);
        subscriptions.update(&[token(1, 1), token(2, 0)]);
        assert!(subscriptions.have_room("1") && subscriptions.need_socket(Instant::now()));
        let task = tokio::spawn(async {}).id();
        subscriptions.open_due(Instant::now(), |_| task);
        subscriptions.take_opened(task, Ok(access("9")));
        assert!(subscriptions.have_room("9") && !subscriptions.have_room("1"));
        assert_eq!(request(&mut subscriptions), [(3, "9".to_owned())], "the other request stays as it is");
        subscriptions.update(&[token(2, 0)]);
        assert!(!subscriptions.have_room("9"));
        assert!(subscriptions.confirm(3, None).is_none() && subscriptions.confirm(2, None).is_some());
    }

    #[tokio::test]
    async fn subscriptions_are_requested_again_after_silence_a_move_and_the_end_of_the_socket() {
        let mut subscriptions = of(&[token(1, 0), token(2, 0)]);
        request(&mut subscriptions);
        subscriptions.confirm(2, None);
        let late = Instant::now() + Duration::from_secs(11);
        assert!(subscriptions.deadline().is_some_and(|by| by < late));
        let silent = subscriptions.expire(late);
        assert_eq!(silent.iter().map(|failure| failure.reason).collect::<Vec<_>>(), ["broken"]);
        assert!(subscriptions.have_room("1"), "its request may succeed soon");
        let task = tokio::spawn(async {}).id();
        subscriptions.open_due(late, |_| task);
        subscriptions.take_opened(task, Ok(access("1")));
        assert_eq!(request(&mut subscriptions), [(3, "1".to_owned())]);
        subscriptions.repeat_requests(Instant::now());
        open(&mut subscriptions);
        assert_eq!(request(&mut subscriptions), [(4, "1".to_owned())], "the confirmed one has moved along");
        subscriptions.disconnect(Instant::now());
        open(&mut subscriptions);
        assert_eq!(request(&mut subscriptions).len(), 2);
    }

    #[tokio::test]
    async fn subscriptions_of_a_token_that_is_not_opened_leave_its_room() {
        let (mut subscriptions, began) = (of(&[token(1, 0)]), Instant::now());
        subscriptions.update(&[token(1, 1)]);
        let (task, other) = (tokio::spawn(async {}).id(), tokio::spawn(async {}).id());
        subscriptions.open_due(Instant::now(), |_| task);
        assert!(subscriptions.take_opened(other, Ok(access("1"))).is_none() && !subscriptions.has_ready());
        let failure = subscriptions.take_opened(task, Err(Interruption::Broken("away".into()))).unwrap();
        assert_eq!(failure.reason, "broken");
        assert!(!subscriptions.have_room("1") && !subscriptions.need_socket(began));
    }
}
