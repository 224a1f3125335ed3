//! Every operation refuses the callers that its rule refuses, on both protocols, with the same code and message, for
//! any input: access is checked before the body is read.

use std::collections::BTreeMap;

use api_core::access::{Needs, Rule, Who};
use api_core::token::TokenKind;
use lumio_tests::{Answer, Caller, Person, TestApp};
use reqwest::Method;
use serde_json::{Map, Value, json};
use shared::catalogue::UserPermission;
use uuid::Uuid;

use super::published::{Field, Route, every_route, fields, innermost, type_named};

/// Number of cases of every operation at each of its places.
const CASES: usize = 6;

/// A caller, and the refusal by the rule: `None` when it admits the caller.
struct Case {
    who: &'static str,
    caller: Caller,
    expected: Option<(String, String)>,
}

#[tokio::test]
async fn access_rules_hold_on_both_protocols() {
    // One popout and one extension make all calls.
    let limits = ["LUMIO_RATE_POPOUT", "LUMIO_RATE_SURFACE"];
    let app = limits.iter().fold(TestApp::builder(), |app, limit| app.with(limit, 100_000)).start().await;
    let (routes, fields) = (every_route(), fields());
    let callers = Callers::new(&app).await;
    for rule in lumio_api::operations::rules() {
        let mut asked = 0;
        // New callers for each protocol: a call may end its own session.
        for route in routes.iter().filter(|route| route.operation_id == rule.name) {
            for case in callers.cases(&app, rule).await {
                let answer = call_rest(&case.caller, route).await;
                check(rule, &case, &format!("{} {}", route.method, route.path), &answer);
                asked += 1;
            }
        }
        if let Some(field) = fields.get(rule.name) {
            for case in callers.cases(&app, rule).await {
                let answer = call_graphql(&case.caller, field).await;
                check(rule, &case, &format!("GraphQL {}", field.name), &answer);
                asked += 1;
            }
        }
        assert!(asked >= CASES, "`{}` was called {asked} times: it has no place to be called at", rule.name);
    }
}

#[track_caller]
fn check(rule: &Rule, case: &Case, place: &str, answer: &Answer) {
    let (code, message) = answer.error();
    match &case.expected {
        Some(expected) => assert_eq!(
            (&code, &message),
            (&expected.0, &expected.1),
            "{place} as {} answered {}: {}\n(rule: {rule:?})",
            case.who,
            answer.status,
            answer.text
        ),
        None => assert!(
            !is_refusal_of_rights(rule, &code, &message),
            "{place} as {} was refused although its rule admits it: {}\n(rule: {rule:?})",
            case.who,
            answer.text
        ),
    }
}

/// True for the refusals by the check of the rule. An operation may refuse for reasons of its own with other messages.
pub(super) fn is_refusal_of_rights(rule: &Rule, code: &str, message: &str) -> bool {
    match code {
        "UNAUTHORIZED" => message == AUTHENTICATION_REQUIRED,
        "FORBIDDEN" => match message.strip_prefix("Missing permission: ") {
            Some(permission) => !is_chosen_by_input(rule, permission),
            // A profile is a matter of the person, not of the rule.
            None => message.ends_with(" required") && message != "Developer profile required",
        },
        // Both protocols create an account for a caller without one: the call that is later needs the feature.
        "FEATURE_DISABLED" => rule.name != "createAccount" || !message.contains("feature:multi_account"),
        _ => false,
    }
}

/// True when the rule takes one of several permissions, and the input selects this one.
fn is_chosen_by_input(rule: &Rule, permission: &str) -> bool {
    let any = rule.needs.of_account();
    any.len() > 1 && any.iter().any(|one| one.text() == permission)
}

pub(super) const AUTHENTICATION_REQUIRED: &str = "Authentication required";

/// Callers that do not depend on the rule.
struct Callers {
    owner: Person,
    powerless: Person,
    popout: Caller,
    service_key: Caller,
    extension: Caller,
    system_key: Caller,
}

impl Callers {
    async fn new(app: &TestApp) -> Self {
        let owner = app.owner().await;
        Self {
            powerless: app.member_with(owner.account_id, &[]).await,
            popout: app.popout(&owner, &["chat:*", "account:read", "extension-store:read"]).await,
            service_key: app.service_key(owner.account_id, &[]).await,
            extension: app
                .surface_token(TokenKind::Extension, owner.account_id, &Uuid::now_v7().to_string(), None)
                .await,
            system_key: app.system_key().await,
            owner,
        }
    }

    async fn cases(&self, app: &TestApp, rule: &Rule) -> Vec<Case> {
        let powerless = app.session(self.powerless.user_id, self.powerless.account_id).await;
        let mut cases = vec![
            self.case("anonymous", &app.anonymous(), expected_of_anonymous(rule)),
            self.case("an invalid token", &app.bearer("lm_usr_wrong"), expected_of_invalid(rule)),
            self.case("an extension token", &self.extension, expected_of_kind(rule, &[Who::ExtensionToken])),
            self.case("a system key", &self.system_key, expected_of_kind(rule, &[Who::SystemKey])),
            self.case(
                "a service key without permission",
                &self.service_key,
                self.unpermitted(rule, &[Who::Everybody, Who::Anyone]),
            ),
            self.case(
                "a member without permission",
                &powerless.caller,
                self.unpermitted(rule, SESSION).filter(|_| !is_of_every_member(rule)),
            ),
        ];
        if rule.who != Who::Anyone {
            let expected = self.unpermitted(rule, &[Who::Everybody]);
            cases.push(self.case("a popout", &self.popout, expected));
        }
        if let (Some(feature), Some(permission)) = (rule.feature, rule.needs.of_account().first()) {
            let off = app.owner().await;
            app.override_feature(off.account_id, feature.key(), false).await;
            let caller = match rule.who {
                Who::PersonalKey => app.personal_key(&off, &[permission.text()]).await,
                _ => off.caller.clone(),
            };
            let message = format!("Feature is disabled: {}", feature.key());
            cases.push(self.case(
                "an owner with the feature off",
                &caller,
                Some(("FEATURE_DISABLED".into(), message)),
            ));
        }
        for permission in rule.needs.of_account() {
            if !matches!(rule.who, Who::Anyone | Who::FirstParty) {
                continue;
            }
            let member = app.member_with(self.owner.account_id, &[permission.text()]).await;
            cases.push(self.case("a member with the permission", &member.caller, None));
        }
        cases
    }

    fn case(&self, who: &'static str, caller: &Caller, expected: Option<(String, String)>) -> Case {
        Case { who, caller: caller.clone(), expected }
    }

    /// Refusal of an admitted kind of caller that lacks the permission, if one is needed.
    fn unpermitted(&self, rule: &Rule, admitted: &[Who]) -> Option<(String, String)> {
        expected_of_kind(rule, admitted).or_else(|| {
            if rule.or_own {
                return None;
            }
            missing(rule)
        })
    }
}

const SESSION: &[Who] = &[Who::Everybody, Who::Anyone, Who::FirstParty, Who::Session];

/// True when every person holds a permission of the rule, by the default role of the platform
/// (reference/permissions.md#user-roles).
fn is_of_every_member(rule: &Rule) -> bool {
    let is_held = |permission: &UserPermission| !permission.text().contains(":moderate_");
    match rule.needs {
        Needs::User(permission) => is_held(&permission),
        Needs::UserOrAdmin(any) => any.iter().any(is_held),
        _ => false,
    }
}

fn missing(rule: &Rule) -> Option<(String, String)> {
    // The request names no existing team: a member of none gets 404.
    let permission = rule.needs.text().filter(|_| !rule.needs.is_in_team())?;
    Some(("FORBIDDEN".into(), format!("Missing permission: {permission}")))
}

/// True when the rule needs no credential.
fn is_open(rule: &Rule) -> bool {
    matches!(rule.who, Who::Everybody | Who::AnyCredential)
}

fn expected_of_anonymous(rule: &Rule) -> Option<(String, String)> {
    if is_open(rule) {
        return missing(rule);
    }
    Some(("UNAUTHORIZED".into(), AUTHENTICATION_REQUIRED.into()))
}

fn expected_of_invalid(rule: &Rule) -> Option<(String, String)> {
    let asks_for_something = !is_open(rule) || rule.needs.text().is_some();
    asks_for_something.then(|| ("UNAUTHORIZED".into(), "Invalid or expired token".into()))
}

/// Refusal of the kind of credential by the rule.
fn expected_of_kind(rule: &Rule, admitted: &[Who]) -> Option<(String, String)> {
    // Webhooks are outside of authentication: their credentials are ignored.
    if (rule.who == Who::Everybody && rule.rest_only)
        || rule.who == Who::AnyCredential
        || admitted.contains(&rule.who)
    {
        return None;
    }
    let message = match rule.who {
        Who::FirstParty | Who::Session => "First-party session required",
        Who::PersonalKey => "Personal API key required",
        Who::PopoutSession => "Popout session required",
        Who::ExtensionToken => "Extension token required",
        Who::SystemKey => "System key required",
        Who::Anyone | Who::Everybody | Who::AnyCredential => "This token cannot call the API",
    };
    Some(("FORBIDDEN".into(), message.into()))
}

/// Calls a route with unused ids and an empty body.
pub(super) async fn call_rest(caller: &Caller, route: &Route) -> Answer {
    let path = filled(&route.path);
    let method = Method::from_bytes(route.method.as_bytes()).expect("a method");
    let mut request = caller.request(method, &path).query(&route.required_query);
    if route.takes_body {
        request = request.json(&json!({}));
    }
    in_main_terms(caller.send(request).await)
}

/// A response with the codes of the main API: the developer API has an envelope of its own
/// (reference/errors.md#developer-error-body).
pub(super) fn in_main_terms(mut answer: Answer) -> Answer {
    if let Some(error) = answer.body["error"].as_object().cloned() {
        answer.body = json!({ "error": main_code(&error["code"]), "message": error["message"] });
    }
    answer
}

fn main_code(developer_code: &Value) -> &'static str {
    match developer_code.as_str() {
        Some("unauthorized") => "UNAUTHORIZED",
        Some("forbidden") => "FORBIDDEN",
        Some("validation_error") => "VALIDATION_ERROR",
        Some(code) if code.ends_with("_not_found") => "NOT_FOUND",
        _ => "OTHER",
    }
}

fn filled(pattern: &str) -> String {
    let segments = pattern.split('/').map(|segment| {
        if segment.starts_with('{') { Uuid::now_v7().to_string() } else { segment.to_owned() }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Calls a field with the minimal arguments of the schema.
pub(super) async fn call_graphql(caller: &Caller, field: &Field) -> Answer {
    let (mut declarations, mut uses, mut variables) = (Vec::new(), Vec::new(), Map::new());
    for argument in field.arguments.iter().filter(|argument| argument["type"]["kind"] == "NON_NULL") {
        let name = argument["name"].as_str().expect("a name");
        declarations.push(format!("${name}: {}", written(&argument["type"])));
        uses.push(format!("{name}: ${name}"));
        let value = field.chosen.get(name).cloned().unwrap_or_else(|| least(&argument["type"]));
        variables.insert(name.to_owned(), value);
    }
    let parenthesised =
        |parts: &[String]| if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) };
    let kind = if field.is_mutation { "mutation" } else { "query" };
    let selection = if innermost(&field.returns)["kind"] == "OBJECT" { " { __typename }" } else { "" };
    let document = format!(
        "{kind} Q{} {{ {}{}{selection} }}",
        parenthesised(&declarations),
        field.name,
        parenthesised(&uses)
    );
    caller.graphql(&document, Value::Object(variables)).await
}

/// A type in the syntax of a document.
pub(super) fn written(kind: &Value) -> String {
    match kind["kind"].as_str() {
        Some("NON_NULL") => format!("{}!", written(&kind["ofType"])),
        Some("LIST") => format!("[{}]", written(&kind["ofType"])),
        _ => kind["name"].as_str().expect("a named type").to_owned(),
    }
}

/// The minimal value of a type.
pub(super) fn least(kind: &Value) -> Value {
    match kind["kind"].as_str() {
        Some("NON_NULL") => least(&kind["ofType"]),
        Some("LIST") => json!([]),
        Some("ENUM") => named(kind)["enumValues"][0]["name"].clone(),
        Some("INPUT_OBJECT") => {
            let fields = named(kind)["inputFields"].as_array().expect("fields");
            let required = fields.iter().filter(|field| field["type"]["kind"] == "NON_NULL");
            let entries: BTreeMap<String, Value> = required
                .map(|field| (field["name"].as_str().expect("a name").to_owned(), least(&field["type"])))
                .collect();
            json!(entries)
        }
        _ => match kind["name"].as_str() {
            Some("UUID") => json!(Uuid::now_v7()),
            Some("Int" | "Float" | "Int64") => json!(1),
            Some("Boolean") => json!(false),
            Some("Timestamp") => json!("2030-01-01T00:00:00.000Z"),
            Some("JSON") => json!({}),
            _ => json!("x"),
        },
    }
}

pub(super) fn named(kind: &Value) -> &'static Value {
    type_named(kind["name"].as_str().expect("a name"))
}
