//! Hostile GraphQL documents: the maximum cost of each shape, and the effect on others (reference/graphql.md#cost).

use std::time::Duration;

use futures::future::join_all;
use lumio_tests::{Answer, Caller, Person, TestApp};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use stack::hostile::{SHAPES, Shape, is_too_complex, largest};

/// Highest ratio of a hostile question's cost to the cheapest one's.
const MAX_RATIO: f64 = 50.0;
const ROUNDS: usize = 5;

/// Processor time of the process. Not of the thread: documents are parsed on another thread than the one that serves.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}

async fn send(caller: &Caller, request: Value) -> Answer {
    caller.post("/v1/gql", request).await
}

/// Median of several rounds, in milliseconds.
async fn cost(caller: &Caller, mut request: impl FnMut(usize) -> Value) -> f64 {
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        let (request, before) = (request(round), processor_time());
        send(caller, request).await;
        rounds.push((processor_time() - before).as_secs_f64() * 1000.0);
    }
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}

/// Number of requests that a request counts as against the caller's limit.
async fn counted(caller: &Caller, request: Value) -> i32 {
    let left = |answer: &Answer| answer.header("x-ratelimit-remaining").parse::<i32>().unwrap();
    let before = left(&send(caller, json!({ "query": "{ plans { id } }" })).await);
    before - left(&send(caller, request).await)
}

/// Largest accepted size of a shape.
async fn at_the_bound(caller: &Caller, shape: Shape) -> usize {
    let refused =
        async |size| Ok::<_, ()>(is_too_complex(&send(caller, (shape.request)(size, 0)).await.body));
    largest(refused).await.unwrap()
}

#[tokio::test]
async fn hostile_documents_cost_at_most_fifty_times_the_cheapest() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let question = || json!({ "query": "{ plans { id } }" });
    send(&anonymous, question()).await.expect(200);
    let cheapest = cost(&anonymous, |_| question()).await;
    let mut table = format!("{:<20} {:>8} {:>9} {:>9} {:>7}\n", "shape", "size", "bytes", "ms", "times");
    let mut dear = Vec::new();
    for shape in SHAPES {
        let size = at_the_bound(&anonymous, shape).await;
        assert!(size > 0, "{}: nothing of this shape is admitted", shape.name);
        let bytes = (shape.request)(size, 0).to_string().len();
        let of_request = cost(&anonymous, |round| (shape.request)(size, round + 1)).await;
        // A document beyond the bound must be refused without the work.
        let beyond = cost(&anonymous, |round| (shape.request)(size * 2, round + 1)).await;
        // Each operation of a batch counts as a request.
        let operations = (shape.request)(size, 0).as_array().map_or(1, Vec::len) as f64;
        let times = of_request.max(beyond) / operations / cheapest;
        let name = shape.name;
        table += &format!("{name:<20} {size:>8} {bytes:>9} {of_request:>9.2} {times:>7.1}\n");
        if times > MAX_RATIO {
            dear.push(shape.name);
        }
    }
    println!("{{ plans {{ id }} }}: {cheapest:.2} ms\n{table}");
    assert!(dear.is_empty(), "{dear:?} cost more than {MAX_RATIO} times {cheapest:.2} ms:\n{table}");
}

#[tokio::test]
async fn hostile_documents_that_introspect_count_as_several_requests() {
    let app = TestApp::builder().with("LUMIO_RATE_ANONYMOUS", 4).start().await;
    app.begin_a_window(60);
    let anonymous = app.anonymous();
    let small = json!({ "query": "{ __schema { queryType { name } } }" });
    assert_eq!(counted(&anonymous, small).await, 1);
    let shape = SHAPES.into_iter().find(|shape| shape.name == "introspection").unwrap();
    let refused = send(&anonymous, (shape.request)(3, 0)).await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    refused.refused_with("RATE_LIMIT_EXCEEDED");
    app.stop().await;
}

#[tokio::test]
async fn hostile_documents_get_at_most_a_hundred_errors() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let shape = SHAPES.into_iter().find(|shape| shape.name == "unknown fields").unwrap();
    let answer = send(&anonymous, (shape.request)(900, 0)).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert_eq!(answer.body["errors"].as_array().map(Vec::len), Some(100));
    assert!(answer.text.len() < 64 * 1024, "{} bytes", answer.text.len());
}

/// Sends every shape at its bound, several at a time, again and again.
async fn attack_with_documents(caller: &Caller, rounds: usize) {
    let mut requests = Vec::new();
    for shape in SHAPES {
        let size = at_the_bound(caller, shape).await;
        requests.extend((0..rounds).map(|round| (shape.request)(size, round + 1)));
    }
    for some in requests.chunks(8) {
        join_all(some.iter().map(|request| send(caller, request.clone()))).await;
    }
}

/// Sends as many root fields as allowed, each of which needs the database, several such operations at a time.
async fn attack_with_fields(member: &Person, rounds: usize) {
    let fields: String =
        (0..20).map(|n| format!("a{n}: roles {{ id name }} b{n}: userApiKeys {{ id }} ")).collect();
    for _ in 0..rounds {
        let query = format!("{{ {fields} }}");
        answered_or_refused(&join_all((0..8).map(|_| member.graphql(&query, json!({})))).await);
    }
}

/// Requests of one member that wait for the same row.
async fn attack_with_waits(member: &Person, rounds: usize) {
    let role = json!({ "name": "Helper", "permissions": ["chat:read"] });
    let made = member.post("/v1/roles", role).await;
    let id = made.data()["id"].as_str().expect("an id").to_owned();
    let path = format!("/v1/roles/{id}/position");
    for _ in 0..rounds {
        let waits = (0..30).map(|n| member.put(&path, json!({ "position": 1 + n % 3 })));
        answered_or_refused(&join_all(waits).await);
    }
}

/// Asserts that a caller above its share is served or rate limited, never that the database failed.
#[track_caller]
fn answered_or_refused(answers: &[Answer]) {
    for answer in answers {
        let (code, message) = answer.error();
        assert!(code.is_empty() || code == "RATE_LIMIT_EXCEEDED", "{}: {code} {message}", answer.status);
    }
}

/// Another caller: a read over both protocols, and a document that was not sent before.
async fn bystander(person: &Person, number: usize) -> Vec<Answer> {
    let document = format!("{{ roles {{ id n{number}: name }} }}");
    let answers = [
        person.get("/v1/roles").await,
        person.graphql("{ me { id } }", json!({})).await,
        person.graphql(&document, json!({})).await,
    ];
    answers.into()
}

#[tokio::test]
async fn hostile_callers_fail_no_request_of_others_and_exceed_no_permit() {
    // Fewer connections than an attacker has requests.
    let app = TestApp::builder().with("LUMIO_DATABASE_POOL", 12).start().await;
    let (person, member, other) = (app.owner().await, app.owner().await, app.owner().await);
    let anonymous = app.anonymous();
    let attacks = async {
        tokio::join!(
            attack_with_documents(&anonymous, 3),
            attack_with_fields(&member, 6),
            attack_with_waits(&other, 4),
        );
    };
    let mut attacks = std::pin::pin!(attacks);
    let (mut failed, mut number) = (Vec::new(), 0);
    loop {
        let answers = tokio::select! {
            biased;
            answers = bystander(&person, number) => answers,
            // Polled only while the bystander waits for its responses.
            () = &mut attacks => break,
        };
        failed.extend(
            answers.into_iter().filter(|answer| answer.status != 200 || answer.body["errors"].is_array()),
        );
        number += 1;
    }
    assert!(number > 3, "the bystander asked {number} times");
    assert!(failed.is_empty(), "{} of {number} rounds: {}", failed.len(), failed[0].text);

    let metrics = app.anonymous().at(app.metrics_url()).get("/metrics").await.text;
    let gauge = |name: &str| -> f64 {
        let mut lines =
            metrics.lines().filter(|line| line.starts_with(name) && !line.contains("timescaledb"));
        let line = lines.next_back().unwrap_or_else(|| panic!("{name} in {metrics}"));
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let (share, peak) = (gauge("lumio_db_share_connections"), gauge("lumio_db_share_peak_connections"));
    assert_eq!(share, 3.0, "a quarter of twelve");
    assert!(peak > 0.0 && peak <= share, "{peak} of {share}");
    let of_request = gauge("lumio_db_request_peak_connections");
    assert!(of_request > 0.0 && of_request <= 3.0, "{of_request}");
    let threads = gauge("lumio_graphql_document_threads{");
    let of_threads = gauge("lumio_graphql_document_threads_peak");
    assert!(of_threads > 0.0 && of_threads <= threads, "{of_threads} of {threads}");
}
