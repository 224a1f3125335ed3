//! Every operation with a key, many times at once in two processes, once more, and with another body, over both
//! protocols.

use std::collections::BTreeSet;

use api_core::access::Answer as Form;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Nullable, Text},
};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Answer, TestApp, is_slow};
use regex::Regex;
use serde_json::Value;

use super::{
    NOT_REPEATABLE, OTHER_BODY, Post, RUNNING, SHARES,
    answers::is_secret_name,
    is_replay, is_right_repetition, is_success, posts, posts_of,
    requests::{self, Keyed, Place},
    says,
    stage::{Stage, stored},
    world::World,
};
use crate::{
    foreign_inputs::scene::Scene,
    published::{Field, fields},
};

const _: () = assert!(SHARES == 4, "there is a test for each share");
/// First requests with one key at the same time, in two processes.
const CONCURRENT: usize = 4;
/// The same over REST where tests may take their full time.
const HUNDRED: usize = 100;
/// Shortest text that is searched for among the stored answers.
const MIN_SECRET_LENGTH: usize = 16;

#[tokio::test]
async fn idempotency_of_the_first_share_repeats_answers_and_no_effects() {
    check_share(0).await;
}

#[tokio::test]
async fn idempotency_of_the_second_share_repeats_answers_and_no_effects() {
    check_share(1).await;
}

#[tokio::test]
async fn idempotency_of_the_third_share_repeats_answers_and_no_effects() {
    check_share(2).await;
}

#[tokio::test]
async fn idempotency_of_the_fourth_share_repeats_answers_and_no_effects() {
    check_share(3).await;
}

/// Protocol of a call.
enum Protocol {
    Rest,
    Graphql(Field),
}

impl Protocol {
    const fn name(&self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Graphql(_) => "graphql",
        }
    }

    fn concurrent(&self) -> usize {
        if matches!(self, Self::Rest) && is_slow() { HUNDRED } else { CONCURRENT }
    }

    async fn call(&self, stage: &Stage<'_>, post: &Post, keyed: Keyed<'_>) -> Answer {
        match self {
            Self::Rest => requests::rest(stage, post, Some(keyed)).await,
            Self::Graphql(field) => requests::graphql(stage, post, field, keyed).await,
        }
    }
}

/// Findings of a walk.
#[derive(Default)]
struct Findings {
    surprises: Vec<String>,
    /// Texts that secret answers gave under the name of a secret.
    secrets: BTreeSet<String>,
}

async fn check_share(share: usize) {
    let app = TestApp::builder().with("LUMIO_HTTP_THREADS", 2).start().await;
    let (mut process, address) = app.second_process().await;
    let (scene, staff, fields) = (Scene::set(&app).await, app.system_admin().await, fields());
    let mut findings = Findings::default();
    for post in posts_of(share) {
        let field = fields.get(post.name()).filter(|field| field.is_mutation).cloned();
        // Sessions are shorter than the walk may be.
        let staff = app.session(staff.user_id, staff.account_id).await;
        for protocol in [Some(Protocol::Rest), field.map(Protocol::Graphql)].into_iter().flatten() {
            let stage = Stage::set(scene.renewed().await, &staff, post.name()).await;
            if post.is_refused() {
                findings.check_refused(&stage, &post, &protocol).await;
            } else {
                findings.check(&app, &address, &stage, (&post, &protocol)).await;
            }
        }
    }
    findings.surprises.extend(stored_credentials(&app, &findings.secrets).await);
    findings.surprises.extend(open_answers(&app).await);
    let surprises = findings.surprises;
    assert!(surprises.is_empty(), "{} surprises: {surprises:#?}", surprises.len());
    process.kill();
    drop(scene);
    app.stop().await;
}

impl Findings {
    /// Checks an operation that refuses for want of input or rights: nothing is stored.
    async fn check_refused(&mut self, stage: &Stage<'_>, post: &Post, protocol: &Protocol) {
        let place = format!("{} over {}", post.name(), protocol.name());
        for _ in 0..2 {
            let answer = protocol.call(stage, post, Keyed::first("refused")).await;
            if answer.error().0 != "BAD_REQUEST" || is_replay(&answer) {
                self.surprises.push(format!("{place} is not refused each time: {}", answer.text));
            }
        }
    }

    async fn check(
        &mut self,
        app: &TestApp,
        address: &str,
        stage: &Stage<'_>,
        (post, protocol): (&Post, &Protocol),
    ) {
        let place = format!("{} over {}", post.name(), protocol.name());
        let key = format!("{}-{}", post.name(), protocol.name());
        let sent = (0..protocol.concurrent()).map(|number| {
            let elsewhere = (number % 2 == 1).then_some(address);
            protocol.call(stage, post, Keyed::first(&key).to(elsewhere))
        });
        let Some(first) = self.only_execution(&place, post, join_all(sent).await) else { return };
        let later = async |place| protocol.call(stage, post, Keyed { place, ..Keyed::first(&key) }).await;
        if post.rule.answer == Form::Secret {
            collect_secrets(&first.body, &mut self.secrets);
        }
        let before = World::of(app, stage.owner()).await;
        let repeated = later(Place::Repeated).await;
        self.check_repeated(&place, post, &first, &repeated);
        let after = World::of(app, stage.owner()).await;
        let differences = before.differences(&after);
        if !differences.is_empty() {
            self.surprises.push(format!("{place} has a second effect on {differences:?}"));
        }
        let has_body = matches!(protocol, Protocol::Graphql(_)) || requests::has_body(stage, post);
        if has_body {
            let changed = later(Place::Changed).await;
            if !says(&changed, OTHER_BODY) {
                self.surprises
                    .push(format!("{place} with another body: {} {}", changed.status, changed.text));
            }
        }
    }

    /// Answer of the one execution among requests that were sent at the same time. The others are to wait, or got
    /// this answer; `None` when the operation did not succeed once.
    fn only_execution(&mut self, place: &str, post: &Post, answers: Vec<Answer>) -> Option<Answer> {
        let is_secret = post.rule.answer == Form::Secret;
        let is_known = |answer: &Answer| {
            is_replay(answer) || says(answer, RUNNING) || (is_secret && says(answer, NOT_REPEATABLE))
        };
        let (others, mut executed): (Vec<Answer>, Vec<Answer>) = answers.into_iter().partition(is_known);
        let first = executed.pop();
        if first.as_ref().is_none_or(|first| !is_success(first)) || !executed.is_empty() {
            let all: Vec<(u16, &str)> =
                first.iter().chain(&executed).map(|answer| (answer.status, answer.text.as_str())).collect();
            self.surprises.push(format!("{place} does not succeed exactly once: {all:?}"));
            return None;
        }
        let first = first?;
        for other in others.iter().filter(|other| is_replay(other)) {
            self.check_repeated(place, post, &first, other);
        }
        Some(first)
    }

    fn check_repeated(&mut self, place: &str, post: &Post, first: &Answer, repeated: &Answer) {
        if !is_right_repetition(post, first, repeated) {
            let (was, is) = (&first.text, &repeated.text);
            self.surprises.push(format!(
                "{place}: the second answer is {} {is}\n  and the first was {} {was}",
                repeated.status, first.status
            ));
        }
    }
}

/// Texts of an answer below names of secrets.
fn collect_secrets(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(text) if is_secret_name(name) && text.len() >= MIN_SECRET_LENGTH => {
                        found.insert(text.clone());
                    }
                    _ => collect_secrets(field, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_secrets(item, found)),
        _ => {}
    }
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    operation: String,
    #[diesel(sql_type = Nullable<Text>)]
    text: Option<String>,
    #[diesel(sql_type = Bool)]
    is_sealed: bool,
}

async fn rows(app: &TestApp) -> Vec<Row> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let sql = "SELECT operation, concat(answer::text, ' ', headers::text) AS text, sealed_answer IS NOT NULL AS is_sealed
        FROM idempotent_requests";
    sql_query(sql).load(&mut *db).await.unwrap()
}

/// Stored answers with a credential, or with a text that a secret answer gave.
async fn stored_credentials(app: &TestApp, secrets: &BTreeSet<String>) -> Vec<String> {
    let credential =
        Regex::new(r"lm_[a-z]+_[0-9a-f]{16}|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+|whsec_").expect("a pattern");
    let holds =
        |text: &str| credential.is_match(text) || secrets.iter().any(|secret| text.contains(secret.as_str()));
    let holding = rows(app).await.into_iter().filter(|row| row.text.as_deref().is_some_and(&holds));
    holding
        .map(|row| format!("the stored answer of {} holds a secret: {:?}", row.operation, row.text))
        .collect()
}

/// Answers that must be stored sealed and are not, and the other way round.
async fn open_answers(app: &TestApp) -> Vec<String> {
    let sealed: BTreeSet<&str> =
        posts().iter().filter(|post| post.rule.answer == Form::Sealed).map(Post::name).collect();
    let wrong =
        rows(app).await.into_iter().filter(|row| row.is_sealed != sealed.contains(row.operation.as_str()));
    let mut found: Vec<String> =
        wrong.map(|row| format!("the answer of {} is stored wrongly", row.operation)).collect();
    let unanswered = stored(app, "status IS NULL").await;
    found.extend((unanswered > 0).then(|| format!("{unanswered} claims have no answer")));
    found
}
