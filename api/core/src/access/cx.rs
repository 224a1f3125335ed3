//! Context of one request: its caller, its origin, and the check at the beginning of every operation.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex as SyncMutex, OnceLock, PoisonError},
    time::Duration,
};

use actix_web::{cookie::Cookie, rt::spawn};
use foundation::{
    audit::{self, Actor},
    db,
    invalidation::{self, Invalidation},
    trace::carried,
};
use shared::secret::Secret;
use tokio::sync::{Mutex, OnceCell, Semaphore};
use tracing::Instrument;

use super::{idempotency::Keyed, principal::Principal};
use crate::{
    ApiError, Result, State, cache,
    http::{Permit, Verdict, browser, metering::SessionCount, rate_key},
};

/// Announcements that may wait for Redis at the same time.
const MAX_WAITING: usize = 1000;

/// Origin of a request.
#[derive(Debug, Clone, Default)]
pub struct RequestInfo {
    /// Id in `X-Request-Id`.
    pub request_id: String,
    /// Address of the client; `None` when it is not known.
    pub ip: Option<IpAddr>,
    /// `User-Agent`, at most 255 characters.
    pub user_agent: Option<String>,
    /// Secret of the browser, if it sent one (see [`Cx::bind_browser`]).
    pub browser: Option<Secret>,
}

impl RequestInfo {
    /// Address cut to /24 or /48: enough to see a pattern, too little to identify a person
    /// (reference/accounts.md#audit-log).
    #[must_use]
    pub fn truncated_ip(&self) -> Option<String> {
        self.ip.map(truncated)
    }
}

/// Context of one request. Cheap to clone.
#[derive(Clone)]
pub struct Cx {
    inner: Arc<Inner>,
}

struct Inner {
    state: State,
    principal: Principal,
    request: RequestInfo,
    /// Database connections of the request.
    connections: Arc<db::Request>,
    /// Lock of the mutations of one GraphQL request: they run one after the other
    /// (reference/graphql.md#mutations).
    mutation: Mutex<()>,
    /// Limit of an operation that refused the request.
    passed_limit: OnceLock<Verdict>,
    /// Count of a batch, taken after the count of the request.
    counted_limit: OnceLock<Verdict>,
    /// Exceeded limit of unknown credentials of the address, for an unknown credential.
    passed_guesses: OnceLock<Verdict>,
    /// Cookies that the response sets, on both protocols.
    cookies: SyncMutex<Vec<Cookie<'static>>>,
    /// Secret that ties started flows to the browser.
    browser: OnceLock<Secret>,
    /// Permit for the long lists of the answer.
    long_lists: OnceCell<Permit>,
    /// State of a request with an `Idempotency-Key`.
    keyed: OnceLock<Arc<Keyed>>,
    /// Count of the request, of a session.
    session_count: SessionCount,
}

impl juniper::Context for Cx {}

impl Cx {
    /// Builds the context of a request.
    #[must_use]
    pub fn new(state: State, principal: Principal, request: RequestInfo) -> Self {
        let (passed_limit, counted_limit, passed_guesses) =
            (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let mutation = Mutex::new(());
        let (cookies, browser) = (SyncMutex::default(), OnceLock::new());
        let connections = connections(&principal, &request);
        let inner = Inner {
            state,
            principal,
            request,
            connections,
            mutation,
            passed_limit,
            counted_limit,
            passed_guesses,
            cookies,
            browser,
            long_lists: OnceCell::new(),
            keyed: OnceLock::new(),
            session_count: SessionCount::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Error for a request without a valid credential: 401, or 429 from an address with too many unknown
    /// credentials (reference/limits.md#unknown-credentials).
    #[must_use]
    pub fn unauthorized(&self) -> ApiError {
        if !matches!(self.inner.principal, Principal::Anonymous { refused: true }) {
            return ApiError::unauthorized("Authentication required");
        }
        let guesses = self.inner.passed_guesses.get().map(|verdict| self.refuse_over(verdict));
        match guesses {
            Some(Err(refusal)) => refusal,
            Some(Ok(())) | None => ApiError::unauthorized("Invalid or expired token"),
        }
    }

    /// Records that an unknown credential exceeded the limit of its address.
    pub(crate) fn count_guess(&self, verdict: Verdict) {
        self.inner.passed_guesses.get_or_init(|| verdict);
    }

    /// Builds an entry of the operators' audit trail: actions of staff belong to no account.
    #[must_use]
    pub fn audit_system<'a>(
        &self,
        action: &'a str,
        resource_type: &'a str,
        resource_id: impl ToString,
    ) -> audit::Entry<'a> {
        audit::Entry { scope: audit::Scope::System, ..self.audit(action, resource_type, resource_id) }
    }

    /// Builds an entry of the audit trail of the caller's account, or of the person without one.
    #[must_use]
    pub fn audit<'a>(
        &self,
        action: &'a str,
        resource_type: &'a str,
        resource_id: impl ToString,
    ) -> audit::Entry<'a> {
        let scope = self
            .inner
            .principal
            .account()
            .map_or(audit::Scope::User, |account| audit::Scope::Account(account.uuid()));
        audit::Entry {
            scope,
            actor: self.actor(),
            action,
            resource_type,
            resource_id: Some(resource_id.to_string()),
            metadata: serde_json::json!({}),
            ip: self.inner.request.truncated_ip(),
        }
    }

    /// Announces a change of cached data to every process; this process applies it immediately. Call it after
    /// the commit.
    pub async fn changed(&self, what: Invalidation) {
        self.after_commit(apply_change(self.inner.state.clone(), what)).await;
    }

    /// Runs work on a task of its own, so that a client that disconnects does not cut it off between its parts.
    ///
    /// # Errors
    /// Those of the work; 500 when it panics.
    pub async fn detached<T: 'static, E: From<ApiError> + 'static>(
        &self,
        work: impl Future<Output = Result<T, E>> + 'static,
    ) -> Result<T, E> {
        let work = Arc::clone(self.connections()).run(work);
        spawn(carried(work).in_current_span()).await.map_err(ApiError::internal)?
    }

    /// Actor in the audit trail.
    #[must_use]
    pub fn actor(&self) -> Actor {
        self.inner.principal.actor()
    }

    /// State of the process.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.inner.state
    }

    /// Caller of the request.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.inner.principal
    }

    /// Origin of the request.
    #[must_use]
    pub fn request(&self) -> &RequestInfo {
        &self.inner.request
    }

    /// Database connections of the request.
    #[must_use]
    pub fn connections(&self) -> &Arc<db::Request> {
        &self.inner.connections
    }

    /// Refuses a request over an operation's own limit. The response headers then describe that limit instead
    /// of the tier's.
    ///
    /// # Errors
    /// 429 over the limit.
    pub fn refuse_over(&self, verdict: &Verdict) -> Result<()> {
        let Some(refusal) = verdict.refusal() else { return Ok(()) };
        // Several fields of one GraphQL request may be refused; the headers hold one limit, the first.
        self.inner.passed_limit.get_or_init(|| *verdict);
        Err(refusal)
    }

    /// Makes the response headers describe a count that was taken after the request's own.
    pub fn report_limit(&self, verdict: &Verdict) {
        self.inner.counted_limit.get_or_init(|| *verdict);
    }

    /// Limit that the headers describe instead of the tier's: the one that refused something, else the later
    /// count.
    #[must_use]
    pub fn reported_limit(&self) -> Option<Verdict> {
        self.inner.passed_limit.get().or(self.inner.counted_limit.get()).copied()
    }

    /// Adds a cookie to the response of either protocol. A later one of the same name replaces it.
    pub fn set_cookie(&self, cookie: Cookie<'static>) {
        let mut cookies = self.inner.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        cookies.retain(|other| other.name() != cookie.name());
        cookies.push(cookie);
    }

    /// Returns the secret that ties a started flow to the browser: the one of the request, else a new one.
    /// The response sets it as a cookie that only the browser sends back (reference/conventions.md#cookies).
    #[must_use]
    pub fn bind_browser(&self) -> &Secret {
        let held = || self.inner.request.browser.clone().unwrap_or_else(browser::mint);
        let secret = self.inner.browser.get_or_init(held);
        self.set_cookie(browser::cookie(secret, self.inner.state.config.environment));
        secret
    }

    /// Takes the cookies that the response sets.
    pub(crate) fn take_cookies(&self) -> Vec<Cookie<'static>> {
        std::mem::take(&mut self.inner.cookies.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Permit for the long lists of the answer, taken by the first of them.
    pub(crate) fn long_list_permit(&self) -> &OnceCell<Permit> {
        &self.inner.long_lists
    }

    /// Place of the state of a request with an `Idempotency-Key`.
    pub(super) fn keyed_slot(&self) -> &OnceLock<Arc<Keyed>> {
        &self.inner.keyed
    }

    /// Count of the request, when a session makes it.
    pub(crate) fn session_count(&self) -> &SessionCount {
        &self.inner.session_count
    }

    /// Lock that is held while one mutation field runs.
    #[must_use]
    pub fn mutation_lock(&self) -> &Mutex<()> {
        &self.inner.mutation
    }
}

/// Database share of a request: that of the person over all accounts, or else of the key or the address. A
/// credential that is bound to an account uses the account's share as well. The account of a session counts
/// only once its membership was found ([`Cx::membership`]).
fn connections(principal: &Principal, request: &RequestInfo) -> Arc<db::Request> {
    let credential = principal.credential_id().map(db::Holder::Credential);
    let caller = match principal {
        Principal::SystemKey { .. } => None,
        Principal::Session { user, .. } | Principal::PersonalKey { user, .. } => {
            Some(db::Holder::Person(user.0))
        }
        _ => credential.or_else(|| Some(db::Holder::Address(rate_key(request.ip)))),
    };
    let connections = db::Request::new(caller);
    if let Principal::ServiceKey { account, .. } | Principal::Surface { account, .. } = principal {
        connections.acts_in(account.uuid());
    }
    connections
}

async fn apply_change(state: State, what: Invalidation) {
    state.caches.invalidate(&what);
    if let Err(error) = invalidation::announce(&state.redis, &what).await {
        tracing::warn!(%error, ?what, "a change could not be announced; trying again");
        announce_later(state, what);
    }
}

/// Repeats an announcement every second until it succeeds, or until every entry that it concerns has expired.
/// Beyond the limit of waiting announcements, entries of other processes are left to expire.
fn announce_later(state: State, what: Invalidation) {
    static WAITING: Semaphore = Semaphore::const_new(MAX_WAITING);
    let Ok(place) = WAITING.try_acquire() else {
        tracing::error!(?what, "too many changes wait for their announcement");
        return;
    };
    tokio::spawn(async move {
        let _place = place;
        for _ in 0..cache::MAX_ENTRY_AGE.as_secs() {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if invalidation::announce(&state.redis, &what).await.is_ok() {
                return;
            }
        }
        tracing::error!(?what, "a change was never announced; cached copies have expired");
    });
}

fn truncated(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            format!("{a}.{b}.{c}.0")
        }
        IpAddr::V6(v6) => {
            let [a, b, c, ..] = v6.segments();
            std::net::Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0).to_string()
        }
    }
}
