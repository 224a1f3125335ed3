//! Access rules in the document, in words and in machine-readable form.

use api_core::access::{Answer, Idempotency, Needs, Rule, Who};
use serde_json::{Value, json};

use super::Operation;

/// Ways to present a credential (reference/credentials.md#transports).
pub fn security_schemes() -> Value {
    json!({
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "A session (`lm_` and a JWT), a personal key (`lm_usr_`), a service key (`lm_svc_`), a \
                system key (`lm_sys_`) or a popout token (`lm_pop_`).",
        },
        "popoutCookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": api_core::http::POPOUT_COOKIE,
            "description": "The session that `POST /v1/auth/popout/exchange` gives to a popout.",
        },
        "queryToken": {
            "type": "apiKey",
            "in": "query",
            "name": "token",
            "description": "A popout token, for pages that cannot set headers.",
        },
        "developerKey": {
            "type": "http",
            "scheme": "bearer",
            "description": "A personal key (`lm_usr_`) with the `extension-dev:*` permission that the operation names.",
        },
    })
}

/// Operations of REST that are a second route of another operation, with its rule.
const TWINS: [(&str, &str); 1] = [("accountFeatureStatuses", "accountFeatures")];

/// Name of the rule that applies to an operation of the document.
pub fn rule_name(operation_id: &str) -> &str {
    TWINS.iter().find(|(twin, _)| *twin == operation_id).map_or(operation_id, |(_, name)| name)
}

/// Adds the rule: as `x-lumio-rule` for machines, as words in the description, and as security requirements.
/// Operations without a rule are open.
pub fn describe(operation: &mut Operation, rule: Option<&Rule>) {
    let Some(rule) = rule else {
        operation.insert("security".into(), json!([]));
        operation.entry("description").or_insert_with(|| "Anybody may call.".into());
        return;
    };
    operation.insert("security".into(), security(rule));
    operation.insert(
        "x-lumio-rule".into(),
        json!({
            "who": name(rule.who),
            "scope": rule.needs.scope(),
            "permission": rule.needs.text(),
            "or_own": rule.or_own,
            "in_team": rule.in_team_text(),
            "feature": rule.feature.map(|feature| feature.key()),
            "rest_only": rule.rest_only,
            "idempotency": rule.idempotency.map(|protocol| idempotency(rule, protocol)),
        }),
    );
    let own = operation.get("description").and_then(Value::as_str).filter(|text| !text.is_empty());
    let description = own.map_or_else(|| in_words(rule), |own| format!("{own}\n\n{}", in_words(rule)));
    operation.insert("description".into(), description.into());
}

/// Protocol of an operation for requests with an `Idempotency-Key` (reference/conventions.md#idempotency).
fn idempotency(rule: &Rule, protocol: Idempotency) -> Value {
    json!({
        "kind": protocol.name(),
        "repeatable": protocol.is_repeatable(),
        "answer": protocol.reason().is_none().then(|| rule.answer.name()),
        "reason": protocol.reason(),
    })
}

fn security(rule: &Rule) -> Value {
    match rule.who {
        Who::Anyone if is_for_staff(rule) => json!([{ "bearer": [] }]),
        Who::Everybody => json!([]),
        Who::AnyCredential => json!([{}, { "bearer": [] }, { "popoutCookie": [] }]),
        Who::Anyone => json!([{ "bearer": [] }, { "popoutCookie": [] }, { "queryToken": [] }]),
        Who::PopoutSession => json!([{ "bearer": [] }, { "popoutCookie": [] }]),
        Who::FirstParty | Who::Session | Who::ExtensionToken | Who::SystemKey => json!([{ "bearer": [] }]),
        Who::PersonalKey => json!([{ "developerKey": [] }]),
    }
}

const fn name(who: Who) -> &'static str {
    match who {
        Who::Everybody => "everybody",
        Who::AnyCredential => "any_credential",
        Who::Anyone => "authenticated",
        Who::FirstParty => "first_party",
        Who::Session => "session",
        Who::PersonalKey => "personal_key",
        Who::PopoutSession => "popout_session",
        Who::ExtensionToken => "extension_token",
        Who::SystemKey => "system_key",
    }
}

/// True when only operator staff may call. No key and no popout holds their permissions.
const fn is_for_staff(rule: &Rule) -> bool {
    matches!(rule.needs, Needs::Admin(_) | Needs::AnyAdmin(_))
}

fn in_words(rule: &Rule) -> String {
    let who = match rule.who {
        Who::Anyone if is_for_staff(rule) => "Needs a session of operator staff.",
        Who::Everybody => "Anybody may call.",
        Who::AnyCredential => {
            "Anybody may call; what is not published needs a credential with a right to it."
        }
        Who::Anyone => "Needs a session, a personal key, a service key or a popout.",
        Who::FirstParty => "Needs a session or a personal key.",
        Who::Session => "Needs a session.",
        Who::PersonalKey => "Needs a personal key.",
        Who::PopoutSession => "Needs the session of an exchanged popout token.",
        Who::ExtensionToken => "Needs the token of an installed extension.",
        Who::SystemKey => "Needs a system key.",
    };
    let mut words = who.to_owned();
    if let Some(permission) = rule.needs.text() {
        let scope = rule.needs.scope();
        let own = if rule.or_own { "; none for what is the caller's own" } else { "" };
        words.push_str(&format!(" Permission: `{permission}` ({scope} scope){own}."));
    }
    if rule.needs == Needs::TeamOwnership {
        words.push_str(" Only for the owner of the team.");
    }
    if let Some(permission) = rule.in_team_text() {
        words.push_str(&format!(" Members of a team need `{permission}` (team scope) for what it owns."));
    }
    if let Some(feature) = rule.feature {
        words.push_str(&format!(" Feature: `{}`.", feature.key()));
    }
    words.push_str(&of_key(rule));
    words
}

/// Effect of an `Idempotency-Key`; empty where operations of the method take none.
fn of_key(rule: &Rule) -> String {
    match (rule.idempotency, rule.answer) {
        (None, _) => String::new(),
        (Some(Idempotency::Exempt(reason)), _) => format!(" An `Idempotency-Key` is ignored: {reason}."),
        (Some(_), Answer::Secret) => {
            " A repetition with the same `Idempotency-Key` has no second effect and gets 409, \
            because the first answer may hold a credential."
                .to_owned()
        }
        (Some(_), Answer::Kept | Answer::Sealed) => {
            " A repetition with the same `Idempotency-Key` has no second effect \
            and gets the first answer."
                .to_owned()
        }
    }
}
