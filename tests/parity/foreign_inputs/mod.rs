//! Another's ids in bodies, queries and GraphQL arguments: every place that takes a UUID, found in the two published
//! documents, is given each id of a stranger's. What it names does not exist (specification C §1), and no row of the
//! stranger's changes.

mod graphql;
mod rest;
mod scene;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use api_core::access::{Needs, Who};
use lumio_tests::Answer;

use scene::Scene;

/// Places where a stranger's id is not 404: `operation place answer reason`. A place is written as REST names it, and the
/// line holds on both protocols; the answer is the code of the refusal, or `done` where the id is no secret or names
/// nothing. A line that nothing needs is found.
const OTHERWISE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/parity/foreign_inputs/otherwise.txt");

/// What a place answered to an id.
struct Asked {
    /// `operation place`
    place: String,
    is_change: bool,
    answer: Answer,
}

#[tokio::test]
async fn nobody_reaches_into_another_account_by_an_input() {
    let scene = Scene::set().await;
    let mut walk = Walk { before: scene.belongings().await, ..Walk::default() };
    let rest = rest::places();
    assert!(rest.len() >= 20, "only {} places of REST were found", rest.len());
    for place in rest {
        walk.judge(&scene, rest::ask(&scene, &place).await).await;
    }
    let graphql = graphql::places();
    assert!(graphql.len() >= 80, "only {} places of GraphQL were found", graphql.len());
    for place in graphql {
        walk.judge(&scene, graphql::ask(&scene, &place).await).await;
    }
    let surprises: Vec<&String> = walk.surprises.iter().collect();
    assert!(surprises.is_empty(), "{} surprises: {surprises:#?}", surprises.len());
    for line in otherwise() {
        assert!(walk.used.contains(line), "no place answers so: take `{line}` out of otherwise.txt");
    }
    scene.app.stop().await;
}

/// Whether people of an account may call the operation.
fn is_ours(operation: &str) -> bool {
    let rule = lumio_api::operations::rules().find(|rule| rule.name == operation);
    rule.is_some_and(|rule| {
        !matches!(rule.needs, Needs::Admin(_) | Needs::AnyAdmin(_))
            && matches!(rule.who, Who::Anyone | Who::FirstParty | Who::Session)
    })
}

/// `operation place answer` of every line.
fn otherwise() -> &'static BTreeSet<String> {
    static LINES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let text = std::fs::read_to_string(OTHERWISE).expect("the list of exceptions");
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        lines
            .map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                assert!(words.len() > 3, "otherwise.txt: `{line}` gives no reason");
                words[..3].join(" ")
            })
            .collect()
    });
    &LINES
}

#[derive(Default)]
struct Walk {
    before: BTreeMap<String, (i64, Option<String>)>,
    /// Lines of `otherwise.txt`.
    used: BTreeSet<String>,
    surprises: BTreeSet<String>,
}

impl Walk {
    /// Judges what one place answered to the stranger's ids.
    async fn judge(&mut self, scene: &Scene, asked: Vec<Asked>) {
        for asked in &asked {
            self.surprises.extend(surprise(scene, asked, &mut self.used));
        }
        let after = scene.belongings().await;
        for (table, was) in &self.before {
            if &after[table] != was {
                let place = &asked[0].place;
                self.surprises.insert(format!("{place} changed `{table}` of the other account"));
            }
        }
        self.before = after;
    }
}

/// What is wrong with an answer.
fn surprise(scene: &Scene, asked: &Asked, used: &mut BTreeSet<String>) -> Option<String> {
    let Asked { place, is_change, answer } = asked;
    let (code, message) = answer.error();
    let told = if code.is_empty() { "done" } else { code.as_str() };
    if told == "done" && scene.is_told_in(&answer.body["data"].to_string()) {
        return Some(format!("{place} tells of the other account: {}", answer.text));
    }
    if told == "NOT_FOUND" || (told == "done" && !is_change) {
        return None;
    }
    let line = format!("{place} {told}");
    if otherwise().contains(&line) {
        used.insert(line);
        return None;
    }
    Some(format!("{line}: {} {message}", answer.status))
}
