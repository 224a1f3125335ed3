//! Objects of another account do not exist: every place that takes an id, found in the two published documents, gets
//! each id of a stranger's, in paths, queries, bodies and GraphQL arguments, with the caller's own ids at every other
//! place. The object is not found (reference/conventions.md#foreign-objects), no response shows data of the stranger,
//! and no row of the stranger's changes. With an own id the same call finds its object: otherwise it would prove
//! nothing.

pub(crate) mod graphql;
mod rest;
pub(crate) mod scene;
mod things;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use api_core::access::{Needs, Who};
use lumio_tests::{Answer, Belongings, TestApp};
use uuid::Uuid;

use scene::{Credential, Scene};

/// Places where a stranger's id is not 404: `operation place answer reason`. A place is written as REST names it, and
/// the line holds on both protocols; the answer is the code of the refusal, `done` where the id is no secret or names
/// nothing, `done:table` where that may change this one table of the stranger's, or `OWN` where one's own id is 404
/// too. An unused line fails the test.
const OTHERWISE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/parity/foreign_inputs/otherwise.txt");

/// Response of a place to an id.
struct Asked {
    /// `operation place`
    place: String,
    given: Uuid,
    /// True when an id that names nothing gives an empty result: it narrows a read.
    is_filter: bool,
    answer: Answer,
}

/// Number of tests that divide the places among them, each with a server of its own.
const SHARES: usize = 4;
const _: () = assert!(SHARES == 4, "there is a test for each share");

#[tokio::test]
async fn foreign_inputs_of_the_first_share_reach_nothing_of_another_account() {
    check_share(0).await;
}

#[tokio::test]
async fn foreign_inputs_of_the_second_share_reach_nothing_of_another_account() {
    check_share(1).await;
}

#[tokio::test]
async fn foreign_inputs_of_the_third_share_reach_nothing_of_another_account() {
    check_share(2).await;
}

#[tokio::test]
async fn foreign_inputs_of_the_fourth_share_reach_nothing_of_another_account() {
    check_share(3).await;
}

#[test]
fn foreign_inputs_are_each_in_one_of_the_shares() {
    let (rest, graphql) = (rest::places(), graphql::places());
    let in_paths = rest.iter().filter(|place| place.is_in_path()).count();
    assert!(in_paths >= 90, "only {in_paths} places in paths of REST were found");
    assert!(rest.len() - in_paths >= 20, "only {} other places of REST were found", rest.len() - in_paths);
    assert!(graphql.len() >= 80, "only {} places of GraphQL were found", graphql.len());
    let mut sizes = [0; SHARES];
    for name in rest.iter().map(rest::Place::name).chain(graphql.iter().map(graphql::Place::name)) {
        let share = shares().get(&name).unwrap_or_else(|| panic!("`{name}` is in no share"));
        sizes[*share] += 1;
    }
    assert_eq!(sizes.iter().sum::<usize>(), rest.len() + graphql.len());
    let (smallest, largest) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(largest * 2 <= smallest * 3, "the shares differ too much: {sizes:?}");
    for line in otherwise() {
        let place = place_of(line);
        assert!(shares().contains_key(place), "no place is named `{place}`, take it out of otherwise.txt");
    }
}

/// Parts of the names of places that are in one share.
const DEPENDENT: [&str; 2] = ["automation", "extensionaccess"];

/// Share of each place, by name: REST and GraphQL have one name for a place, with which the lines of `otherwise.txt`
/// begin. Places whose calls depend on each other are in one share: a call of automations names what another has
/// saved, and access to an extension is granted anew after it was revoked.
fn shares() -> &'static BTreeMap<String, usize> {
    static SHARES_BY_NAME: LazyLock<BTreeMap<String, usize>> = LazyLock::new(|| {
        let (rest, graphql) = (rest::places(), graphql::places());
        let names: BTreeSet<String> =
            rest.iter().map(rest::Place::name).chain(graphql.iter().map(graphql::Place::name)).collect();
        let (together, others): (Vec<String>, Vec<String>) = names.into_iter().partition(|name| {
            let name = name.to_lowercase();
            DEPENDENT.iter().any(|part| name.contains(part))
        });
        let mut sizes = [0; SHARES];
        sizes[0] = together.len();
        let mut shares: BTreeMap<String, usize> = together.into_iter().map(|name| (name, 0)).collect();
        for name in others {
            let smallest = (0..SHARES).min_by_key(|share| sizes[*share]).expect("a share");
            sizes[smallest] += 1;
            shares.insert(name, smallest);
        }
        shares
    });
    &SHARES_BY_NAME
}

/// Name of the place of a line of `otherwise.txt`.
fn place_of(line: &str) -> &str {
    line.rsplit_once(' ').expect("a place and an answer").0
}

/// Checks the places of one share.
async fn check_share(share: usize) {
    let app = TestApp::builder().with("LUMIO_HTTP_THREADS", 2).start().await;
    let scene = Scene::set(&app).await;
    let mut walk = Walk { before: scene.belongings().await, ..Walk::default() };
    let is_in_share = |name: &str| shares()[name] == share;
    for place in rest::places().into_iter().filter(|place| is_in_share(&place.name())) {
        walk.check(&scene, rest::ask(&scene, &place).await).await;
        let fresh = if place.is_change() { Some(scene.renewed().await) } else { None };
        walk.check_own(&rest::ask_own(fresh.as_ref().unwrap_or(&scene), &place).await);
    }
    for place in graphql::places().into_iter().filter(|place| is_in_share(&place.name())) {
        walk.check(&scene, graphql::ask(&scene, &place).await).await;
        let fresh = if place.is_change() { Some(scene.renewed().await) } else { None };
        walk.check_own(&graphql::ask_own(fresh.as_ref().unwrap_or(&scene), &place).await);
    }
    let surprises: Vec<&String> = walk.surprises.iter().collect();
    assert!(surprises.is_empty(), "{} surprises: {surprises:#?}", surprises.len());
    let needless: Vec<&String> =
        otherwise().difference(&walk.used).filter(|line| is_in_share(place_of(line))).collect();
    assert!(needless.is_empty(), "no place answers so, take it out of otherwise.txt: {needless:#?}");
    drop(scene);
    app.stop().await;
}

/// True when people of an account may call the operation.
fn is_ours(operation: &str) -> bool {
    !credentials(operation).is_empty()
}

/// Credentials that people of an account call an operation with; empty where it is not for them.
fn credentials(operation: &str) -> &'static [Credential] {
    let Some(rule) = lumio_api::operations::rules().find(|rule| rule.name == operation) else { return &[] };
    if matches!(rule.needs, Needs::Admin(_) | Needs::AnyAdmin(_)) {
        return &[];
    }
    match rule.who {
        Who::Anyone => &[Credential::Session, Credential::ServiceKey],
        Who::FirstParty | Who::Session => &[Credential::Session],
        Who::PersonalKey => &[Credential::PersonalKey],
        Who::ExtensionToken => &[Credential::ExtensionToken],
        Who::Everybody | Who::AnyCredential | Who::PopoutSession | Who::SystemKey => &[],
    }
}

/// Entries as `operation place answer`.
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
    before: Belongings,
    /// Lines of `otherwise.txt`.
    used: BTreeSet<String>,
    surprises: BTreeSet<String>,
}

impl Walk {
    /// Checks the responses of one place to the stranger's ids.
    async fn check(&mut self, scene: &Scene<'_>, asked: Vec<Asked>) {
        for asked in &asked {
            self.surprises.extend(surprise(scene, asked, &mut self.used));
        }
        let after = scene.belongings().await;
        let place = &asked[0].place;
        for table in changed(&self.before, &after) {
            let line = format!("{place} done:{table}");
            if otherwise().contains(&line) {
                self.used.insert(line);
            } else {
                self.surprises.insert(format!("{place} changed `{table}` of the other account"));
            }
        }
        self.before = after;
    }

    /// Checks that a place finds the caller's own object.
    fn check_own(&mut self, own: &Asked) {
        let (code, message) = own.answer.error();
        if code != "NOT_FOUND" {
            return;
        }
        let line = format!("{} OWN", own.place);
        if otherwise().contains(&line) {
            self.used.insert(line);
        } else {
            self.surprises.insert(format!("{line}: {message}"));
        }
    }
}

fn changed<'a>(before: &'a Belongings, after: &Belongings) -> Vec<&'a String> {
    before.iter().filter(|(table, was)| after[*table] != **was).map(|(table, _)| table).collect()
}

/// Problem of a response.
fn surprise(scene: &Scene<'_>, asked: &Asked, used: &mut BTreeSet<String>) -> Option<String> {
    let Asked { place, given, is_filter, answer } = asked;
    let (code, message) = answer.error();
    let outcome = match code.as_str() {
        "" if answer.status < 300 => "done",
        "" => "FAILED",
        code => code,
    };
    let line = format!("{place} {outcome}");
    let changes = format!("{line}:");
    let is_known = otherwise().contains(&line) || otherwise().iter().any(|other| other.starts_with(&changes));
    // A success without a line contains data of the named object, if the id is returned at all.
    let repeated = (is_known || outcome != "done").then_some(*given);
    // The resource's own address repeats the id of the request.
    let mut body = answer.body.clone();
    body.as_object_mut().map(|fields| fields.remove("_links"));
    if scene.is_shown_in(&body.to_string(), repeated) {
        return Some(format!("{place} tells of the other account: {}", answer.text));
    }
    if is_known {
        used.insert(line);
        return None;
    }
    if outcome == "NOT_FOUND" || (outcome == "done" && *is_filter) {
        return None;
    }
    Some(format!("{line}: {} {message}", answer.status))
}
