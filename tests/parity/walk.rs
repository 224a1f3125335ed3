//! The walk: every operation, as everybody, over both protocols. What each is expected to be told follows from the
//! declared rule and from the catalogue's roles alone (specification A §5, C §1, §2.3).

use std::{collections::BTreeMap, time::Instant};

use api_core::access::{Needs, Rule, Who};
use futures::{StreamExt, stream};
use lumio_api::operations;
use lumio_tests::{Caller, Person, TestApp};
use shared::{
    catalogue::{AccountPermission, account_roles},
    token::TokenKind,
};
use uuid::Uuid;

use super::{
    access::{AUTHENTICATION_REQUIRED, call_graphql, call_rest, is_refusal_of_rights},
    published::{Field, Route, fields, routes},
};

/// What a credential is, as far as rules distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nobody,
    Session,
    PersonalKey,
    ServiceKey,
    Popout,
    Surface,
    SystemKey,
}

/// Somebody on the walk.
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
}

impl Walker {
    const ALL: [Self; 19] = [
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
    ];

    const fn kind(self) -> Kind {
        match self {
            Self::Anonymous => Kind::Nobody,
            Self::Owner
            | Self::Administrator
            | Self::Moderator
            | Self::Viewer
            | Self::MemberWithout
            | Self::OwnerElsewhere
            | Self::Operator => Kind::Session,
            Self::PopoutWith | Self::PopoutWithout => Kind::Popout,
            Self::ServiceKeyWith | Self::ServiceKeyWithout => Kind::ServiceKey,
            Self::PersonalKeyWith | Self::PersonalKeyWithout => Kind::PersonalKey,
            Self::Overlay | Self::Share | Self::Widget | Self::Extension => Kind::Surface,
            Self::SystemKey => Kind::SystemKey,
        }
    }

    /// Whether the walker's role or scopes hold the permission.
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
async fn everybody_is_told_what_the_rule_says() {
    let app = TestApp::builder().with("LUMIO_HTTP_THREADS", 2).start().await;
    let (stage, routes, fields) = (Stage::set(&app).await, routes(), fields());
    let began = Instant::now();
    let mut asked = 0;
    let mut surprises = Vec::new();
    for rule in operations::rules() {
        let calls = stage.calls(&app, rule, &routes, fields.get(rule.name)).await;
        asked += calls.len();
        surprises.extend(made(rule, calls).await);
    }
    let rate = f64::from(u32::try_from(asked).expect("a count")) / began.elapsed().as_secs_f64();
    println!("access walk: {asked} calls of {} operations, {rate:.0} a second", operations::rules().count());
    assert!(surprises.is_empty(), "{} surprises:\n{}", surprises.len(), surprises.join("\n"));
    assert!(
        asked > 30 * operations::rules().count(),
        "only {asked} calls: the walk does not reach the operations"
    );
}

/// One request of the walk.
struct Call<'a> {
    walker: Walker,
    caller: Caller,
    place: Place<'a>,
}

#[derive(Clone, Copy)]
enum Place<'a> {
    Rest(&'a Route),
    GraphQl(&'a Field),
}

/// Makes the calls and answers those that were told something else than the rule says.
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
        let told = answer.error();
        let surprise = match expected(rule, call.walker) {
            Some(expected) => told != expected,
            None => is_refusal_of_rights(rule, &told.0, &told.1),
        };
        let wanted = expected(rule, call.walker);
        surprise
            .then(|| format!("{place} as {:?}: {} {told:?}, expected {wanted:?}", call.walker, answer.status))
    });
    answers.buffer_unordered(8).filter_map(async |surprise| surprise).collect().await
}

/// The refusal that the rule has for the walker; `None` when it lets the walker pass.
fn expected(rule: &Rule, walker: Walker) -> Option<(String, String)> {
    let refused = |code: &str, message: &str| Some((code.to_owned(), message.to_owned()));
    // Webhooks and reports of browsers stand outside of authentication.
    if rule.who == Who::AnyCredential || (rule.who == Who::Everybody && rule.rest_only) {
        return None;
    }
    if walker.kind() == Kind::Nobody && rule.who != Who::Everybody {
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
        Needs::Nothing => true,
        Needs::Account(_) | Needs::AnyAccount(_) => {
            needs.of_account().iter().any(|permission| walker.holds(*permission))
        }
        Needs::Admin(_) | Needs::AnyAdmin(_) => walker == Walker::Operator,
        // Whoever has no role in this scope is a Member, who holds all ten (A §2.9).
        Needs::User(_) | Needs::UserOrAdmin(_) => {
            walker.kind() == Kind::Session || walker == Walker::PersonalKeyWith
        }
    }
}

fn admits(who: Who, walker: Walker) -> bool {
    let kind = walker.kind();
    match who {
        Who::AnyCredential => true,
        Who::ExtensionToken => walker == Walker::Extension,
        Who::Everybody => !matches!(kind, Kind::Surface | Kind::SystemKey),
        Who::Anyone => !matches!(kind, Kind::Nobody | Kind::Surface | Kind::SystemKey),
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
        app.developer_profile(owner.user_id).await;
        for account in [account, elsewhere.account_id] {
            // Features are not what this walk is about.
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

    /// Everybody's calls of one operation. Sessions and keys are new for each: a call may end the one it is made with.
    async fn calls<'a>(
        &self,
        app: &TestApp,
        rule: &Rule,
        routes: &'a [Route],
        field: Option<&'a Field>,
    ) -> Vec<Call<'a>> {
        let rest = routes.iter().filter(|route| route.operation_id == rule.name).map(Place::Rest);
        let places: Vec<_> = rest.chain(field.map(Place::GraphQl)).collect();
        let mut calls = Vec::new();
        for place in places {
            for walker in Walker::ALL {
                let caller = self.caller(app, rule, walker).await;
                calls.push(Call { walker, caller, place });
            }
        }
        calls
    }

    async fn caller(&self, app: &TestApp, rule: &Rule, walker: Walker) -> Caller {
        let permission: Vec<&str> = match rule.needs {
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
            Walker::Operator => {
                let needed: Vec<&str> = match rule.needs {
                    Needs::Admin(permission) => vec![permission.text()],
                    Needs::AnyAdmin(any) => any.iter().map(|permission| permission.text()).collect(),
                    _ => Vec::new(),
                };
                let operator = app.admin_with(&needed).await;
                app.override_every_feature(operator.account_id, true).await;
                return operator.caller;
            }
            lasting => {
                let known = self.lasting.iter().find(|(walker, _)| *walker == lasting);
                return known.expect("a lasting credential").1.clone();
            }
        };
        app.session(person.user_id, person.account_id).await.caller
    }
}
