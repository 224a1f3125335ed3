//! Latency and failures of a bystander under attacks, each at the rate that a caller of its kind is allowed: rounds without and with the
//! attack in turn.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures::{StreamExt, stream::FuturesUnordered};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use stack::{
    Stack,
    hostile::{SHAPES, is_too_complex, largest},
    measure::{percentile, processor_time, short},
    text,
};

use crate::table::{Row, Table};

/// Pause between two requests of the bystander.
const BYSTANDER_INTERVAL: Duration = Duration::from_millis(150);
/// Time after which an answer counts as missing.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// 120 requests a minute without a credential, 600 of a session (reference/limits.md#rate-limits).
const ANONYMOUS_INTERVAL: Duration = Duration::from_millis(500);
const MEMBER_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum number of concurrent requests of an attacker.
const MAX_IN_FLIGHT: usize = 64;

/// Creates the request with a number.
type MakeRequest = Box<dyn Fn(&Attacker, usize) -> RequestBuilder>;

/// One attack. The number makes each request a new one.
struct Attack {
    work: &'static str,
    interval: Duration,
    request: MakeRequest,
}

/// The attacker.
struct Attacker {
    client: Client,
    origin: String,
    session: String,
    role: String,
}

/// Responses to the bystander.
#[derive(Default)]
struct Seen {
    millis: Vec<f64>,
    failed: usize,
}

pub async fn run(stack: &Stack, table: &mut Table, rounds: usize, seconds: u64) -> Result<()> {
    let client = Client::builder().no_proxy().timeout(ANSWER_TIMEOUT).build()?;
    let role = json!({ "name": "Bench", "permissions": ["chat:read"] });
    let role = text(&stack.post("/v1/roles", &stack.session, role).await?, "/data/id")?;
    let attacker = Attacker { client, origin: stack.origin.clone(), session: stack.session.clone(), role };
    let bystander = stack.session_of("bystander").await?;
    let bystander = attacker.client.get(format!("{}/v1/roles", stack.origin)).bearer_auth(bystander);
    let length = Duration::from_secs(seconds);
    for attack in attacks().into_iter().chain(at_the_bounds(&attacker).await?) {
        let (mut without, mut with) = (Seen::default(), Seen::default());
        let (mut idle, mut used, mut sent) = (Duration::ZERO, Duration::ZERO, 0);
        for _ in 0..rounds {
            let before = processor_time(stack.api_pid)?;
            watch(&bystander, length, &mut without).await?;
            let between = processor_time(stack.api_pid)?;
            let (watched, requests) =
                tokio::join!(watch(&bystander, length, &mut with), attack.send(&attacker, length));
            watched?;
            sent += requests;
            idle += between - before;
            used += processor_time(stack.api_pid)? - between;
        }
        #[expect(clippy::cast_precision_loss, reason = "requests of seconds")]
        let each = used.saturating_sub(idle).as_secs_f64() * 1000.0 / sent.max(1) as f64;
        table.add(Row {
            work: attack.work,
            figure: format!(
                "{} → {}; {} of {} failed; {} ms CPU each",
                without.summary(),
                with.summary(),
                with.failed,
                with.millis.len() + with.failed,
                short(each)
            ),
            bar: "bystander: none failed",
            met: Some(with.failed == 0),
        });
    }
    Ok(())
}

/// Requests the roles of the bystander's account repeatedly.
async fn watch(request: &RequestBuilder, length: Duration, seen: &mut Seen) -> Result<()> {
    let began = Instant::now();
    while began.elapsed() < length {
        let (request, asked) = (request.try_clone().context("a request without a stream")?, Instant::now());
        match request.send().await {
            Ok(response) if response.status().is_success() => {
                response.bytes().await?;
                seen.millis.push(asked.elapsed().as_secs_f64() * 1000.0);
            }
            Ok(_) | Err(_) => seen.failed += 1,
        }
        tokio::time::sleep(BYSTANDER_INTERVAL).await;
    }
    Ok(())
}

impl Seen {
    fn summary(&self) -> String {
        let mut millis = self.millis.clone();
        let (middle, high) = (percentile(&mut millis, 50.0), percentile(&mut millis, 95.0));
        format!("p50 {}, p95 {} ms", short(middle), short(high))
    }
}

impl Attack {
    /// Sends requests at the rate, independent of earlier responses. Returns their number.
    async fn send(&self, attacker: &Attacker, length: Duration) -> usize {
        let (began, mut in_flight, mut sent) = (Instant::now(), FuturesUnordered::new(), 0);
        let mut ticks = tokio::time::interval(self.interval);
        while began.elapsed() < length {
            tokio::select! {
                _ = ticks.tick(), if in_flight.len() < MAX_IN_FLIGHT => {
                    let request = (self.request)(attacker, sent);
                    in_flight.push(async move {
                        // The results of an attack do not concern the bystander.
                        if let Ok(response) = request.send().await {
                            drop(response.bytes().await);
                        }
                    });
                    sent += 1;
                }
                Some(()) = in_flight.next() => {}
            }
        }
        while in_flight.next().await.is_some() {}
        sent
    }
}

impl Attacker {
    fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.origin))
    }

    fn graphql(&self, body: &Value) -> RequestBuilder {
        self.client.post(format!("{}/v1/gql", self.origin)).json(body)
    }
}

fn attacks() -> Vec<Attack> {
    vec![
        anonymous("50 fragments beside each other", |by, n| by.graphql(&beside(50, n))),
        anonymous("100 fragments", |by, n| by.graphql(&beside(100, n))),
        anonymous("200 fragments", |by, n| by.graphql(&beside(200, n))),
        anonymous("400 fragments", |by, n| by.graphql(&beside(400, n))),
        anonymous("1,000 fragments", |by, n| by.graphql(&beside(1000, n))),
        Attack {
            interval: ANONYMOUS_INTERVAL / 2,
            ..anonymous("1,000 fragments, two senders", |by, n| by.graphql(&beside(1000, n)))
        },
        anonymous("9,900 unknown fields", |by, n| by.graphql(&unknown(9900, n))),
        anonymous("a batch of ten times 9,900 unknown fields", |by, n| {
            by.graphql(&(0..10).map(|m| unknown(9900, n * 10 + m)).collect())
        }),
        anonymous("introspection", |by, n| by.graphql(&introspection(n))),
        anonymous("a batch of ten introspections", |by, n| {
            by.graphql(&(0..10).map(|m| introspection(n * 10 + m)).collect())
        }),
        anonymous("GET /v1/openapi.json, gzip", |by, _| {
            by.get("/v1/openapi.json").header("accept-encoding", "gzip")
        }),
        anonymous("GET /v1/schema, gzip", |by, _| by.get("/v1/schema").header("accept-encoding", "gzip")),
        anonymous("GET /v1/plans", |by, _| by.get("/v1/plans")),
        anonymous("GET /v1/live", |by, _| by.get("/v1/live")),
        anonymous("GET /v1/swagger-ui/", |by, _| by.get("/v1/swagger-ui/")),
        Attack {
            interval: Duration::from_millis(2),
            ..anonymous("GET /v1/health, not limited", |by, _| by.get("/v1/health"))
        },
        anonymous("guessed keys", |by, n| by.get("/v1/users/me").bearer_auth(format!("lm_usr_{n:064}"))),
        anonymous("guessed tokens of 7 kB", |by, n| {
            by.get("/v1/users/me").bearer_auth(format!("e30.{n:07000}.c2ln"))
        }),
        member("220 root fields", |by, n| by.graphql(&root_fields(220, n)).bearer_auth(&by.session)),
        member("40 root fields", |by, n| by.graphql(&root_fields(40, n)).bearer_auth(&by.session)),
        member("waits for one row", |by, n| {
            let address = format!("{}/v1/roles/{}/position", by.origin, by.role);
            let body = json!({ "position": 1 + n % 3 });
            by.client.put(address).json(&body).bearer_auth(&by.session)
        }),
        member("store search", |by, _| by.get("/v1/extensions?search=a&limit=100").bearer_auth(&by.session)),
        member("members/search", |by, _| by.get("/v1/members/search?query=be").bearer_auth(&by.session)),
    ]
}

/// Every shape of hostile document, at its largest accepted size.
async fn at_the_bounds(attacker: &Attacker) -> Result<Vec<Attack>> {
    let mut attacks = Vec::new();
    for shape in SHAPES {
        let is_refused = async |size: usize| -> Result<bool> {
            let answer = attacker.graphql(&(shape.request)(size, 0)).send().await?;
            Ok(is_too_complex(&answer.json().await?))
        };
        let size = largest(is_refused).await?;
        attacks.push(anonymous(shape.name, move |by, n| by.graphql(&(shape.request)(size, n + 1))));
    }
    Ok(attacks)
}

fn anonymous(work: &'static str, request: impl Fn(&Attacker, usize) -> RequestBuilder + 'static) -> Attack {
    Attack { work, interval: ANONYMOUS_INTERVAL, request: Box::new(request) }
}

fn member(work: &'static str, request: impl Fn(&Attacker, usize) -> RequestBuilder + 'static) -> Attack {
    Attack { work, interval: MEMBER_INTERVAL, request: Box::new(request) }
}

fn beside(fragments: usize, seed: usize) -> Value {
    let spreads: String = (0..fragments).map(|n| format!("...f{n} ")).collect();
    let all: String = (0..fragments).map(|n| format!("fragment f{n} on CurrentUser{{id}} ")).collect();
    json!({ "query": format!("{{ me {{ {spreads} }} }} {all} # {seed}") })
}

fn unknown(fields: usize, seed: usize) -> Value {
    let fields: String = (0..fields).map(|n| format!("x{n} ")).collect();
    json!({ "query": format!("{{ {fields} }} # {seed}") })
}

fn introspection(seed: usize) -> Value {
    let query = "{ __schema { types { kind name description fields { name args { name type { name ofType { name } } } \
        type { kind name ofType { kind name } } } inputFields { name } enumValues { name } } } }";
    json!({ "query": format!("{query} # {seed}") })
}

fn root_fields(fields: usize, seed: usize) -> Value {
    const ROOTS: [&str; 11] = [
        "roles { id }",
        "members { id }",
        "invites { id }",
        "popoutTokens { id }",
        "accountServiceKeys { id }",
        "botCommands { id }",
        "notifications { unreadCount }",
        "storeExtensions { total }",
        "me { id }",
        "plans { id }",
        "accounts { id }",
    ];
    let fields: String = (0..fields).map(|n| format!("a{n}: {} ", ROOTS[n % ROOTS.len()])).collect();
    json!({ "query": format!("{{ {fields} }} # {seed}") })
}
