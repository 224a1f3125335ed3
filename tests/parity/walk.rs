//! The walk: every operation, as every caller, over both protocols. The expected response follows from the declared
//! rule and from the catalogue's roles alone (reference/permissions.md#check-order).

use std::{collections::BTreeMap, time::Instant};

use api_core::access::{Needs, Rule, Who};
use api_core::token::TokenKind;
use diesel::{prelude::*, update};
use diesel_async::RunQueryDsl;
use futures::{StreamExt, stream};
use lumio_api::operations;
use lumio_tests::{Caller, Person, TestApp};
use shared::{
    catalogue::{AccountPermission, account_roles},
    schema::developer_profiles,
};
use uuid::Uuid;

use super::{
    access::{AUTHENTICATION_REQUIRED, call_graphql, call_rest, is_refusal_of_rights},
    names::excepted,
    published::{Field, Route, every_route, fields},
};

/// Permissions that depend on a value of the input, of operations that need none for another: operation, value as REST
/// writes it, permission.
const GATES: &[(&str, &str, AccountPermission)] = &[
    ("enabledProviders", "channel", AccountPermission::ConnectionsRead),
    ("enabledProviders", "bot", AccountPermission::ConnectionsRead),
];

/// Kind of credential, as far as rules distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Anonymous,
    Session,
    PersonalKey,
    ServiceKey,
    Popout,
    Surface,
    SystemKey,
}

/// A caller of the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Walker {
    Anonymous,
    Owner,
    Administrator,
    Moderator,
    Viewer,
    MemberWithout,
    OwnerElsewhere,
    PopoutWith,
    PopoutWithout,
    ServiceKeyWith,
    ServiceKeyWithout,
    PersonalKeyWith,
    PersonalKeyWithout,
    Overlay,
    Share,
    Widget,
    Extension,
    SystemKey,
    Operator,
    /// A key of the operator's, with the needed permission among its scopes: no key acts as staff.
    OperatorKey,
}

impl Walker {
    const ALL: [Self; 20] = [
        Self::Anonymous,
        Self::Owner,
        Self::Administrator,
        Self::Moderator,
        Self::Viewer,
        Self::MemberWithout,
        Self::OwnerElsewhere,
        Self::PopoutWith,
        Self::PopoutWithout,
        Self::ServiceKeyWith,
        Self::ServiceKeyWithout,
        Self::PersonalKeyWith,
        Self::PersonalKeyWithout,
        Self::Overlay,
        Self::Share,
        Self::Widget,
        Self::Extension,
        Self::SystemKey,
        Self::Operator,
        Self::OperatorKey,
    ];

    const fn kind(self) -> Kind {
        match self {
            Self::Anonymous => Kind::Anonymous,
            Self::Owner
            | Self::Administrator
            | Self::Moderator
            | Self::Viewer
            | Self::MemberWithout
            | Self::OwnerElsewhere
            | Self::Operator => Kind::Session,
            Self::PopoutWith | Self::PopoutWithout => Kind::Popout,
            Self::ServiceKeyWith | Self::ServiceKeyWithout => Kind::ServiceKey,
            Self::PersonalKeyWith | Self::PersonalKeyWithout | Self::OperatorKey => Kind::PersonalKey,
            Self::Overlay | Self::Share | Self::Widget | Self::Extension => Kind::Surface,
            Self::SystemKey => Kind::SystemKey,
        }
    }

    /// True when the walker's role or scopes hold the permission.
    fn holds(self, permission: AccountPermission) -> bool {
        let role = match self {
            Self::Owner | Self::OwnerElsewhere | Self::Operator => "owner",
            Self::Administrator => "administrator",
            Self::Moderator => "moderator",
            Self::Viewer => "viewer",
            Self::PopoutWith | Self::ServiceKeyWith | Self::PersonalKeyWith => return true,
            _ => return false,
        };
        let role = account_roles().into_iter().find(|known| known.slug == role).expect("a default role");
        role.permissions.contains(permission)
    }
}

#[tokio::test]
async fn walk_of_every_caller_gets_the_answer_of_the_rule() {
    // One popout and one token of each surface make all calls.
    let limits = ["LUMIO_RATE_POPOUT", "LUMIO_RATE_OVERLAY", "LUMIO_RATE_SURFACE"];
    let app = TestApp::builder().with("LUMIO_HTTP_THREADS", 2);
    let app = limits.iter().fold(app, |app, limit| app.with(limit, 100_000)).start().await;
    let stage = Stage::set(&app).await;
    let routes: Vec<Route> = every_route().iter().flat_map(Route::with_each_value).collect();
    let fields: Vec<Field> = fields().values().flat_map(Field::with_each_value).collect();
    let (graphql_only, rest_twins) = (excepted("graphql-only"), excepted("rest-twin"));
    let began = Instant::now();
    let mut asked = 0;
    let mut gates = 0;
    let mut surprises = Vec::new();
    for rule in operations::rules() {
        let calls = stage.calls(&app, rule, &routes, &fields).await;
        let is_over_rest = !graphql_only.contains(rule.name);
        let is_over_graphql = !rule.rest_only && !rest_twins.contains(rule.name);
        let over_rest = calls.iter().filter(|call| call.place.is_rest()).count();
        for (protocol, is_on, met) in
            [("REST", is_over_rest, over_rest), ("GraphQL", is_over_graphql, calls.len() - over_rest)]
        {
            let least = if is_on { Walker::ALL.len() } else { 0 };
            assert!(met >= least, "`{}`: {met} calls over {protocol}, not {least}", rule.name);
        }
        asked += calls.len();
        gates += calls.iter().filter(|call| call.gate.is_some()).count();
        surprises.extend(made(rule, calls).await);
    }
    let rate = f64::from(u32::try_from(asked).expect("a count")) / began.elapsed().as_secs_f64();
    println!("access walk: {asked} calls of {} operations, {rate:.0} a second", operations::rules().count());
    assert!(surprises.is_empty(), "{} surprises:\n{}", surprises.len(), surprises.join("\n"));
    assert_eq!(gates, 2 * GATES.len() * Walker::ALL.len(), "a gate is not where the list says");
}

/// One request of the walk.
struct Call<'a> {
    walker: Walker,
    caller: Caller,
    place: Place<'a>,
    gate: Option<AccountPermission>,
}

#[derive(Clone, Copy)]
enum Place<'a> {
    Rest(&'a Route),
    GraphQl(&'a Field),
}

impl Place<'_> {
    const fn is_rest(self) -> bool {
        matches!(self, Self::Rest(_))
    }

    /// True when one of the chosen values is this.
    fn has(self, value: &str) -> bool {
        match self {
            Self::Rest(route) => route.required_query.iter().any(|(_, chosen)| chosen == value),
            Self::GraphQl(field) => {
                let mut chosen = field.chosen.values().filter_map(serde_json::Value::as_str);
                chosen.any(|chosen| chosen.eq_ignore_ascii_case(value))
            }
        }
    }

    /// The permission that its value needs.
    fn gate(self, rule: &Rule) -> Option<AccountPermission> {
        let mut gates = GATES.iter().filter(|(operation, ..)| *operation == rule.name);
        gates.find(|(_, value, _)| self.has(value)).map(|(.., permission)| *permission)
    }
}

/// Makes the calls and returns those with another response than the rule's.
async fn made(rule: &Rule, calls: Vec<Call<'_>>) -> Vec<String> {
    let answers = stream::iter(calls).map(|call| async move {
        let (answer, place) = match call.place {
            Place::Rest(route) => {
                (call_rest(&call.caller, route).await, format!("{} {}", route.method, route.path))
            }
            Place::GraphQl(field) => {
                (call_graphql(&call.caller, field).await, format!("GraphQL {}", field.name))
            }
        };
        let outcome = answer.error();
        let wanted = match call.gate {
            Some(permission) => {
                expected(&Rule { who: Who::Anyone, needs: Needs::Account(permission), ..*rule }, call.walker)
            }
            None => expected(rule, call.walker),
        };
        let surprise = match &wanted {
            Some(wanted) => outcome != *wanted,
            None => is_refusal_of_rights(rule, &outcome.0, &outcome.1),
        };
        surprise.then(|| {
            format!("{place} as {:?}: {} {outcome:?}, expected {wanted:?}", call.walker, answer.status)
        })
    });
    answers.buffer_unordered(8).filter_map(async |surprise| surprise).collect().await
}

/// The refusal that the rule has for the walker; `None` when it lets the walker pass.
fn expected(rule: &Rule, walker: Walker) -> Option<(String, String)> {
    let refused = |code: &str, message: &str| Some((code.to_owned(), message.to_owned()));
    // Webhooks and reports of browsers are outside of authentication.
    if rule.who == Who::AnyCredential || (rule.who == Who::Everybody && rule.rest_only) {
        return None;
    }
    if walker.kind() == Kind::Anonymous && rule.who != Who::Everybody {
        return refused("UNAUTHORIZED", AUTHENTICATION_REQUIRED);
    }
    if !admits(rule.who, walker) {
        let message = match rule.who {
            Who::FirstParty | Who::Session => "First-party session required",
            Who::PersonalKey => "Personal API key required",
            Who::PopoutSession => "Popout session required",
            Who::ExtensionToken => "Extension token required",
            Who::SystemKey => "System key required",
            Who::Anyone | Who::Everybody | Who::AnyCredential => "This token cannot call the API",
        };
        return refused("FORBIDDEN", message);
    }
    if rule.or_own || has_what_is_needed(rule.needs, walker) {
        return None;
    }
    refused("FORBIDDEN", &format!("Missing permission: {}", rule.needs.text()?))
}

fn has_what_is_needed(needs: Needs, walker: Walker) -> bool {
    match needs {
        // The walk names no existing team: a member of none gets 404.
        Needs::Nothing | Needs::Team(_) | Needs::TeamOwnership => true,
        Needs::Account(_) | Needs::AnyAccount(_) => {
            needs.of_account().iter().any(|permission| walker.holds(*permission))
        }
        Needs::Admin(_) | Needs::AnyAdmin(_) => walker == Walker::Operator,
        // A person without a role in this scope is a Member, who holds all ten (reference/permissions.md#user-roles).
        Needs::User(_) => walker.kind() == Kind::Session || walker == Walker::PersonalKeyWith,
        // Moderation is not among the ten. The operator holds it in the admin scope, and keys never do.
        Needs::UserOrAdmin(any) => {
            let is_of_members = any.iter().any(|permission| !permission.text().contains(":moderate_"));
            let is_member = walker.kind() == Kind::Session || walker == Walker::PersonalKeyWith;
            walker == Walker::Operator || (is_of_members && is_member)
        }
    }
}

fn admits(who: Who, walker: Walker) -> bool {
    let kind = walker.kind();
    match who {
        Who::AnyCredential => true,
        Who::ExtensionToken => walker == Walker::Extension,
        Who::Everybody => !matches!(kind, Kind::Surface | Kind::SystemKey),
        Who::Anyone => !matches!(kind, Kind::Anonymous | Kind::Surface | Kind::SystemKey),
        Who::FirstParty => matches!(kind, Kind::Session | Kind::PersonalKey),
        Who::Session => kind == Kind::Session,
        Who::PersonalKey => kind == Kind::PersonalKey,
        Who::PopoutSession => false,
        Who::SystemKey => kind == Kind::SystemKey,
    }
}

/// The people and the credentials that do not depend on the operation.
struct Stage {
    people: BTreeMap<&'static str, Person>,
    lasting: Vec<(Walker, Caller)>,
}

impl Stage {
    async fn set(app: &TestApp) -> Self {
        let (owner, elsewhere) = (app.owner().await, app.owner().await);
        let account = owner.account_id;
        let developer = app.developer_profile(owner.user_id).await;
        // Only a verified developer is paid.
        update(developer_profiles::table.find(developer))
            .set(developer_profiles::verified.eq(true))
            .execute(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        for account in [account, elsewhere.account_id] {
            // Features are not part of this walk.
            app.override_every_feature(account, true).await;
        }
        let subject = Uuid::now_v7().to_string();
        let mut lasting = vec![
            (Walker::Anonymous, app.anonymous()),
            (Walker::SystemKey, app.system_key().await),
            (Walker::ServiceKeyWithout, app.service_key(account, &[]).await),
            (Walker::PersonalKeyWithout, app.personal_key(&owner, &[]).await),
            (Walker::PopoutWithout, app.popout(&owner, &[]).await),
        ];
        for (walker, kind) in [
            (Walker::Overlay, TokenKind::Overlay),
            (Walker::Share, TokenKind::Share),
            (Walker::Widget, TokenKind::Widget),
            (Walker::Extension, TokenKind::Extension),
        ] {
            lasting.push((walker, app.surface_token(kind, account, &subject, None).await));
        }
        let people = BTreeMap::from([
            ("administrator", app.member_as(account, "administrator").await),
            ("moderator", app.member_as(account, "moderator").await),
            ("viewer", app.member_as(account, "viewer").await),
            ("without", app.member_with(account, &[]).await),
            ("elsewhere", elsewhere),
            ("owner", owner),
        ]);
        Self { people, lasting }
    }

    /// Calls of one operation as every caller. Sessions and keys are new for each: a call may end its own.
    async fn calls<'a>(
        &self,
        app: &TestApp,
        rule: &Rule,
        routes: &'a [Route],
        fields: &'a [Field],
    ) -> Vec<Call<'a>> {
        let rest = routes.iter().filter(|route| route.operation_id == rule.name).map(Place::Rest);
        let graphql = fields.iter().filter(|field| field.name == rule.name).map(Place::GraphQl);
        let places: Vec<_> = rest.chain(graphql).collect();
        let mut calls = Vec::new();
        for place in places {
            let gate = place.gate(rule);
            for walker in Walker::ALL {
                let caller = self.caller(app, rule, gate, walker).await;
                calls.push(Call { walker, caller, place, gate });
            }
        }
        calls
    }

    async fn caller(
        &self,
        app: &TestApp,
        rule: &Rule,
        gate: Option<AccountPermission>,
        walker: Walker,
    ) -> Caller {
        let permission: Vec<&str> = match gate.map_or(rule.needs, Needs::Account) {
            Needs::User(permission) => vec![permission.text()],
            Needs::UserOrAdmin(any) => any.iter().map(|permission| permission.text()).collect(),
            needs => needs.of_account().iter().map(|permission| permission.text()).collect(),
        };
        let owner = &self.people["owner"];
        let person = match walker {
            Walker::Owner => owner,
            Walker::Administrator => &self.people["administrator"],
            Walker::Moderator => &self.people["moderator"],
            Walker::Viewer => &self.people["viewer"],
            Walker::MemberWithout => &self.people["without"],
            Walker::OwnerElsewhere => &self.people["elsewhere"],
            Walker::PopoutWith => return app.popout(owner, &permission).await,
            Walker::ServiceKeyWith => return app.service_key(owner.account_id, &permission).await,
            Walker::PersonalKeyWith => return app.personal_key(owner, &permission).await,
            Walker::Operator | Walker::OperatorKey => {
                let needed: Vec<&str> = match rule.needs {
                    Needs::Admin(permission) => vec![permission.text()],
                    Needs::AnyAdmin(any) => any.iter().map(|permission| permission.text()).collect(),
                    Needs::UserOrAdmin(any) => {
                        let needed_of_moderators = any.iter().map(|permission| permission.text());
                        needed_of_moderators.filter(|text| text.contains(":moderate_")).collect()
                    }
                    _ => Vec::new(),
                };
                // Every role of staff opens the dashboard, and a new one grants no more than its author holds.
                let operator = app.admin_with(&[&["admin:access"][..], &needed].concat()).await;
                app.override_every_feature(operator.account_id, true).await;
                return match walker {
                    Walker::OperatorKey => app.personal_key(&operator, &needed).await,
                    _ => operator.caller,
                };
            }
            lasting => {
                let known = self.lasting.iter().find(|(walker, _)| *walker == lasting);
                return known.expect("a lasting credential").1.clone();
            }
        };
        app.session(person.user_id, person.account_id).await.caller
    }
}
