//! One request: who asks, from where, and the one check that every operation begins with.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex as SyncMutex, OnceLock, PoisonError},
    time::Duration,
};

use actix_web::cookie::Cookie;
use shared::{
    audit::{self, Actor},
    catalogue::Feature,
    db,
    id::UserId,
    invalidation::{self, Invalidation},
    secret::Secret,
};
use tokio::sync::{Mutex, Semaphore};

use super::{
    Caller, Needs, Operation, Principal, Rule, Who, account_creation, account_features, global_features,
    rights::missing,
};
use crate::{
    ApiError, Code, Result, State, cache,
    http::{Verdict, browser, rate_key},
};

/// Announcements that may wait for Redis at once.
const MAX_WAITING: usize = 1000;

/// Where a request comes from.
#[derive(Debug, Clone, Default)]
pub struct RequestInfo {
    pub request_id: String,
    pub ip: Option<IpAddr>,
    pub user_agent: Option<String>,
    /// The secret of the browser, if it holds one (see [`Cx::bind_browser`]).
    pub browser: Option<Secret>,
}

impl RequestInfo {
    /// The address cut to /24 or /48: enough to see a pattern, too little to follow a person (C §3, §14).
    #[must_use]
    pub fn truncated_ip(&self) -> Option<String> {
        self.ip.map(truncated)
    }
}

/// One request. Cheap to clone.
#[derive(Clone)]
pub struct Cx {
    inner: Arc<Inner>,
}

struct Inner {
    state: State,
    principal: Principal,
    request: RequestInfo,
    /// What the request may hold of the databases.
    connections: Arc<db::Request>,
    /// Mutations of one GraphQL request run one after the other (A §1).
    mutation: Mutex<()>,
    /// The limit of a single operation that refused the request.
    passed_limit: OnceLock<Verdict>,
    /// The count of a batch, which is taken after the request's own.
    counted_limit: OnceLock<Verdict>,
    /// The limit of unknown credentials, when the request's address has passed it.
    passed_guesses: OnceLock<Verdict>,
    /// What the response sets, on both protocols.
    cookies: SyncMutex<Vec<Cookie<'static>>>,
    /// What ties to the browser what this request begins.
    browser: OnceLock<Secret>,
}

impl juniper::Context for Cx {}

impl Cx {
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
        };
        Self { inner: Arc::new(inner) }
    }

    /// Checks an operation's rule, in the one order of C §1: credential, kind of credential, permission, feature.
    ///
    /// # Errors
    /// 401 without a valid credential; 403 for the wrong kind, a missing permission, or a feature that is off.
    pub async fn authorize<C: Caller>(&self, operation: &'static Operation<C>) -> Result<C> {
        let rule = operation.declared();
        self.check_credential(rule)?;
        self.check_permission(rule).await?;
        if let Some(feature) = rule.feature {
            self.check_feature(feature).await?;
        }
        C::of(self).await
    }

    fn check_credential(&self, rule: &Rule) -> Result<()> {
        match (&self.inner.principal, rule.who) {
            // Where a right is needed, a credential that is no longer valid is not the same as none.
            (Principal::Anonymous { refused: true }, _) if !matches!(rule.needs, Needs::Nothing) => {
                Err(self.unauthorized())
            }
            (principal, who) if principal.is_admitted(who) => Ok(()),
            (Principal::Anonymous { .. }, _) => Err(self.unauthorized()),
            (_, Who::FirstParty | Who::Session) => Err(ApiError::forbidden("First-party session required")),
            (_, Who::PersonalKey) => Err(ApiError::forbidden("Personal API key required")),
            (_, Who::PopoutSession) => Err(ApiError::forbidden("Popout session required")),
            (_, Who::ExtensionToken) => Err(ApiError::forbidden("Extension token required")),
            (_, Who::SystemKey) => Err(ApiError::forbidden("System key required")),
            (_, Who::Anyone | Who::Everybody | Who::AnyCredential) => {
                Err(ApiError::forbidden("This token cannot call the API"))
            }
        }
    }

    /// The refusal of a request without a valid credential: 401, or 429 from an address that has presented too many
    /// unknown ones (specification E, 4).
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

    /// Notes that the credential is unknown, and what came of counting that.
    pub(crate) fn count_guess(&self, verdict: Verdict) {
        self.inner.passed_guesses.get_or_init(|| verdict);
    }

    async fn check_permission(&self, rule: &Rule) -> Result<()> {
        if rule.or_own && self.active_account().await?.is_some() {
            return Ok(());
        }
        let held = match rule.needs {
            Needs::Nothing => true,
            Needs::Account(_) | Needs::AnyAccount(_) => {
                let held = self.account_permissions().await?;
                rule.needs.of_account().iter().any(|permission| held.contains(*permission))
            }
            Needs::Admin(permission) => self.admin_permissions().await?.contains(permission),
            Needs::AnyAdmin(any) => {
                let held = self.admin_permissions().await?;
                any.iter().any(|permission| held.contains(*permission))
            }
            Needs::User(permission) => self.user_permissions().await?.contains(permission),
            Needs::UserOrAdmin(any) => self.holds_as_user_or_admin(any).await?,
        };
        if held { Ok(()) } else { Err(missing(&rule.needs.text().unwrap_or_default())) }
    }

    /// Refuses when the feature is off for the caller's account, or in the case of account creation for the person.
    ///
    /// # Errors
    /// 403 `FEATURE_DISABLED`, or the answer of its own that A §4.3 and §7 give account creation.
    pub async fn check_feature(&self, feature: Feature) -> Result<()> {
        if let (Feature::AccountCreation, Some(user)) = (feature, self.inner.principal.user()) {
            return self.check_account_creation(user).await;
        }
        let features = match self.active_account().await? {
            Some(account) => account_features(&self.inner.state, account).await?,
            None => global_features(&self.inner.state).await?,
        };
        features.require(feature.key())
    }

    async fn check_account_creation(&self, user: UserId) -> Result<()> {
        if account_creation(&self.inner.state, user).await?.enabled {
            return Ok(());
        }
        Err(ApiError::new(Code::AccountCreationDisabled, "Account creation is currently disabled"))
    }

    /// An entry for the operators' own audit trail: what staff does belongs to no account of theirs.
    #[must_use]
    pub fn audit_system<'a>(
        &self,
        action: &'a str,
        resource_type: &'a str,
        resource_id: impl ToString,
    ) -> audit::Entry<'a> {
        audit::Entry { scope: audit::Scope::System, ..self.audit(action, resource_type, resource_id) }
    }

    /// An entry for the audit trail of the account the caller acts in, or of the person.
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
            .map_or(audit::Scope::User, |account| audit::Scope::Account(account.0));
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

    /// Tells every process, this one at once, that something it may have cached has changed. Call it after the
    /// commit.
    pub async fn changed(&self, what: Invalidation) {
        self.inner.state.caches.invalidate(&what);
        if let Err(error) = invalidation::announce(&self.inner.state.redis, &what).await {
            tracing::warn!(%error, ?what, "a change could not be announced; trying again");
            announce_later(self.inner.state.clone(), what);
        }
    }

    /// Who the audit trail names.
    #[must_use]
    pub fn actor(&self) -> Actor {
        self.inner.principal.actor()
    }

    #[must_use]
    pub fn state(&self) -> &State {
        &self.inner.state
    }

    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.inner.principal
    }

    #[must_use]
    pub fn request(&self) -> &RequestInfo {
        &self.inner.request
    }

    /// What the request may hold of the databases.
    #[must_use]
    pub fn connections(&self) -> &Arc<db::Request> {
        &self.inner.connections
    }

    /// Refuses a request over an operation's own limit. The response's headers then tell of that limit instead of
    /// the tier's.
    ///
    /// # Errors
    /// 429 over the limit.
    pub fn refuse_over(&self, verdict: &Verdict) -> Result<()> {
        let Some(refusal) = verdict.refusal() else { return Ok(()) };
        // Several fields of one GraphQL request may be refused; the headers hold one limit, the first.
        self.inner.passed_limit.get_or_init(|| *verdict);
        Err(refusal)
    }

    /// Lets the response's headers tell of a count that was taken after the request's own.
    pub fn tell_limit(&self, verdict: &Verdict) {
        self.inner.counted_limit.get_or_init(|| *verdict);
    }

    /// The limit that the headers tell of instead of the tier's as it was when the request began: the one that refused
    /// something, else the later count.
    #[must_use]
    pub fn told_limit(&self) -> Option<Verdict> {
        self.inner.passed_limit.get().or(self.inner.counted_limit.get()).copied()
    }

    /// Lets the response set a cookie, whichever protocol it is; a later one of the same name replaces it.
    pub fn set_cookie(&self, cookie: Cookie<'static>) {
        let mut cookies = self.inner.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        cookies.retain(|other| other.name() != cookie.name());
        cookies.push(cookie);
    }

    /// The secret that ties what is begun here to the browser that asks: the one that it holds, else a new one. The
    /// response sets it as a cookie that only the browser sends back.
    #[must_use]
    pub fn bind_browser(&self) -> &Secret {
        let held = || self.inner.request.browser.clone().unwrap_or_else(browser::mint);
        let secret = self.inner.browser.get_or_init(held);
        self.set_cookie(browser::cookie(secret, self.inner.state.config.environment));
        secret
    }

    /// The cookies that the response sets.
    pub(crate) fn take_cookies(&self) -> Vec<Cookie<'static>> {
        std::mem::take(&mut self.inner.cookies.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Held while one mutation field runs.
    #[must_use]
    pub fn mutation_lock(&self) -> &Mutex<()> {
        &self.inner.mutation
    }
}

/// Whose share of the databases a request uses: that of a person over all accounts, or else of a key or an address. A
/// credential that is bound to an account by itself uses the account's as well; of a session the account only counts once
/// its membership was looked up ([`Cx::membership`]).
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
        connections.acts_in(account.0);
    }
    connections
}

/// Announces a change every second until it succeeds, or until every entry that it concerns has expired anyway. Beyond
/// the limit of waiting announcements, entries of other processes are left to expire.
fn announce_later(state: State, what: Invalidation) {
    static WAITING: Semaphore = Semaphore::const_new(MAX_WAITING);
    let Ok(place) = WAITING.try_acquire() else {
        tracing::error!(?what, "too many changes wait for being announced");
        return;
    };
    tokio::spawn(async move {
        let _place = place;
        for _ in 0..cache::LIFETIME.as_secs() {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if invalidation::announce(&state.redis, &what).await.is_ok() {
                return;
            }
        }
        tracing::error!(?what, "a change was never announced; what was cached of it has expired");
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
