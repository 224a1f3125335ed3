//! Explanations equal the decisions of the enforcer, whatever the policy.

use std::pin::Pin;

use api_core::{
    Cx, State,
    access::{
        AccessStepEffect, AccessStepKind, AnyOperation, Explanation, Presented, Principal, RequestInfo, Step,
        Subject, SystemReason, Transport, key_subject, member_subject, resolve,
    },
};
use lumio_tests::{Caller, Person, TestApp};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use shared::{
    id::{AccountId, Trust},
    secret::Secret,
};
use uuid::Uuid;

use super::{personal_key_of, run, service_key_of};

const POLICIES: u64 = 300;
/// Policies of which real requests are made, too.
const REQUESTED_POLICIES: u64 = 40;

type Decision = Pin<Box<dyn Future<Output = api_core::Result<()>> + Send>>;

/// An operation, and the check that a call of it begins with.
struct Checked {
    operation: &'static dyn AnyOperation,
    authorize: fn(Cx) -> Decision,
    /// Address of the list that the operation returns.
    path: Option<&'static str>,
}

macro_rules! checked {
    ($($operation:path $(=> $path:literal)?,)+) => {
        [$(Checked {
            operation: &$operation,
            authorize: |cx| Box::pin(async move { cx.authorize(&$operation).await.map(drop) }),
            path: [$(Some($path),)? None][0],
        },)+]
    };
}

fn operations() -> Vec<Checked> {
    checked![
        accounts::members::MEMBERS,
        accounts::invites::INVITES => "/v1/invites",
        accounts::invites::ACCEPT_INVITE,
        accounts::invites::INVITE_BY_CODE,
        accounts::login_assignments::ASSIGN_LOGIN_CONNECTION,
        accounts::audit_log::AUDIT_LOG => "/v1/audit-log",
        accounts::accounts::CREATE_ACCOUNT,
        accounts::audit_log::ADMIN_AUDIT => "/v1/admin/audit",
        community::support::ADMIN_SUPPORT_TICKETS => "/v1/admin/support/tickets",
        community::notifications::NOTIFICATIONS => "/v1/notifications",
        connections::app_credentials::APP_CREDENTIALS => "/v1/connections/app-credentials",
        connections::bot_control::BOT_STATUS => "/v1/bot-status",
        connections::bot_control::BOT_CHANNELS,
        connections::channel_connections::CHANNEL_STATUS => "/v1/channel-status",
        bots::bot_commands::BOT_COMMANDS => "/v1/bot-commands",
        bots::bot_modules::BOT_MODULES_LIST => "/v1/bot-modules",
        ideas::ideas::CREATE_IDEA,
        ideas::ideas::DELETE_IDEA,
    ]
    .into_iter()
    .collect()
}

const PERMISSIONS: [&str; 10] = [
    "members:read",
    "login-assignments:create",
    "audit-log:read",
    "connections:read",
    "spotify:read",
    "bot-connections:read",
    "bot-commands:read",
    "bot-modules:read",
    "roles:read",
    "ideas:create",
];
const USER_PERMISSIONS: [&str; 3] = ["ideas:create", "ideas:delete", "ideas:read"];
const ADMIN_PERMISSIONS: [&str; 4] =
    ["audit:read", "audit-log:read", "support:read", "ideas:moderate_delete"];
const FLAGS: [&str; 7] = [
    "feature:audit_log",
    "feature:bots",
    "feature:bot_commands",
    "feature:bot_modules",
    "system:ideas_hub",
    "system:account_creation",
    "feature:multi_account",
];

/// Account whose policy changes, with credentials of every kind.
struct Scene {
    account: AccountId,
    member: Person,
    staff_role: Uuid,
    user_role: Uuid,
    keys: [Uuid; 2],
    /// Credentials as they are sent: session, personal key, service key, popout.
    callers: [Caller; 4],
}

impl Scene {
    async fn set(app: &TestApp) -> Self {
        let owner = app.owner().await;
        let member = app.member_with(owner.account_id, &[]).await;
        let (staff_role, user_role) = (Uuid::now_v7(), Uuid::now_v7());
        let user = member.user_id;
        run(
            app,
            &format!(
                "INSERT INTO admin_roles (id, name, permissions) VALUES ('{staff_role}', 'Random', '{{}}');
                 INSERT INTO admin_role_members (role_id, user_id) VALUES ('{staff_role}', '{user}');
                 INSERT INTO user_roles (id, slug, name, permissions)
                     VALUES ('{user_role}', 'random', 'Random', '{{}}');
                 INSERT INTO user_role_assignments (user_id, role_id) VALUES ('{user}', '{user_role}')"
            ),
        )
        .await;
        let callers = [
            member.caller.clone(),
            app.personal_key(&member, &[]).await,
            app.service_key(owner.account_id, &[]).await,
            app.popout_by(&owner, &member, &[]).await,
        ];
        Self {
            account: AccountId::trusted(owner.account_id, Trust::Test),
            keys: [personal_key_of(app, user).await, service_key_of(app, owner.account_id).await],
            member,
            staff_role,
            user_role,
            callers,
        }
    }

    /// Replaces the policy by a random one.
    async fn change(&self, app: &TestApp, random: &mut StdRng) {
        let (account, user) = (self.account, self.member.user_id);
        let mut sql = format!(
            "DELETE FROM account_permission_overrides WHERE account_id = '{account}';
             DELETE FROM user_permission_overrides WHERE user_id = '{user}';
             DELETE FROM account_feature_overrides WHERE account_id = '{account}';
             UPDATE account_roles SET permissions = {} WHERE id =
                 (SELECT role_id FROM memberships WHERE user_id = '{user}' AND account_id = '{account}');
             UPDATE admin_roles SET permissions = {} WHERE id = '{}';
             UPDATE user_roles SET permissions = {} WHERE id = '{}';
             UPDATE user_api_keys SET permissions = {} WHERE user_id = '{user}';
             UPDATE account_service_keys SET permissions = {} WHERE account_id = '{account}';
             UPDATE popout_tokens SET permissions = {} WHERE account_id = '{account}';
             UPDATE accounts SET plan_id = (SELECT id FROM plans WHERE slug = '{}') WHERE id = '{account}';
             UPDATE users SET account_creation_override = '{}' WHERE id = '{user}';",
            some(random, &PERMISSIONS),
            some(random, &ADMIN_PERMISSIONS),
            self.staff_role,
            some(random, &USER_PERMISSIONS),
            self.user_role,
            some(random, &PERMISSIONS),
            some(random, &PERMISSIONS),
            some(random, &PERMISSIONS),
            ["free", "pro"].choose(random).expect("a plan"),
            ["default", "allow", "deny"].choose(random).expect("an override"),
        );
        let mut insert = |table: &str, holder: &str, id: Uuid, name: &str, is_on: bool| {
            sql.push_str(&format!(
                "INSERT INTO {table} ({holder}, permission, granted) VALUES ('{id}', '{name}', {is_on});"
            ));
        };
        for permission in PERMISSIONS.iter().filter(|_| random.random_bool(0.2)).collect::<Vec<_>>() {
            insert(
                "account_permission_overrides",
                "account_id",
                account.uuid(),
                permission,
                random.random_bool(0.5),
            );
        }
        for permission in USER_PERMISSIONS.iter().filter(|_| random.random_bool(0.2)).collect::<Vec<_>>() {
            insert("user_permission_overrides", "user_id", user, permission, random.random_bool(0.5));
        }
        for flag in FLAGS {
            let (is_on, is_overridden, own) =
                (random.random_bool(0.85), random.random_bool(0.3), random.random_bool(0.5));
            sql.push_str(&format!(
                "UPDATE feature_flags SET globally_enabled = {is_on} WHERE key = '{flag}';
                 INSERT INTO account_feature_overrides (account_id, feature_id, enabled)
                     SELECT '{account}', id, {own} FROM feature_flags WHERE key = '{flag}' AND {is_overridden};"
            ));
        }
        run(app, &sql).await;
        app.state.caches.open();
    }

    /// Credential of a number, as a call presents it and as an explanation finds it.
    async fn subject(&self, state: &State, number: usize) -> (Cx, Subject) {
        let caller = self.context(state, number).await;
        let found = match number {
            0 => member_subject(state, self.account, self.member.user_id).await,
            1 | 2 => key_subject(state, self.account, self.keys[number - 1]).await,
            _ => Ok(Some(Subject::caller(&caller))),
        };
        (caller, found.expect("the database answers").expect("a subject of the account"))
    }

    async fn context(&self, state: &State, number: usize) -> Cx {
        let presented =
            Presented { text: Secret::new(self.callers[number].token()), transport: Transport::Header };
        let resolved = resolve(state, Some(&presented)).await.expect("the database answers");
        assert!(!matches!(resolved.principal, Principal::Anonymous { .. }));
        Cx::new(state.clone(), resolved.principal, RequestInfo::default())
    }
}

/// Some of the texts, as an array in SQL.
fn some(random: &mut StdRng, texts: &[&str]) -> String {
    let chosen: Vec<String> =
        texts.iter().filter(|_| random.random_bool(0.6)).map(|text| format!("'{text}'")).collect();
    format!("ARRAY[{}]::text[]", chosen.join(", "))
}

#[tokio::test]
async fn explain_access_agrees_with_the_enforcer_on_random_policies() {
    let app = TestApp::start().await;
    let scene = Scene::set(&app).await;
    let operations = operations();
    let (mut allowed, mut denied) = (0, 0);
    for policy in 0..POLICIES {
        let mut random = StdRng::seed_from_u64(policy);
        scene.change(&app, &mut random).await;
        for number in 0..scene.callers.len() {
            let checked = operations.choose(&mut random).expect("an operation");
            let (caller, subject) = scene.subject(&app.state, number).await;
            let rule = checked.operation.rule();
            let databases = app.state.system(SystemReason::Console);
            let explanation = subject.explain(rule, &databases).await.expect("an explanation");
            let decision = (checked.authorize)(caller).await;
            let place = || format!("policy {policy}, caller {number}, {}: {explanation:#?}", rule.name);
            assert_eq!(explanation.refusal, decision.err(), "{}", place());
            assert_eq!(follows(&explanation), explanation.refusal.is_none(), "{}", place());
            if explanation.refusal.is_none() {
                allowed += 1
            } else {
                denied += 1
            }
            if let Some(path) = checked.path.filter(|_| policy < REQUESTED_POLICIES) {
                let answer = scene.callers[number].get(path).await;
                let is_refused = matches!(answer.status, 401 | 403);
                assert_eq!(is_refused, explanation.refusal.is_some(), "{}\n{}", answer.text, place());
            }
        }
    }
    assert!(allowed > 200 && denied > 200, "{allowed} allowed, {denied} denied: the policies decide nothing");
    app.stop().await;
}

/// Decision that follows from the sources which the steps name, without the checks.
fn follows(explanation: &Explanation) -> bool {
    use AccessStepKind as Kind;
    let (mut group, mut groups) = (Vec::new(), Vec::new());
    for step in &explanation.steps {
        if matches!(step.kind, Kind::Credential | Kind::Permission | Kind::Feature) {
            groups.push((step, std::mem::take(&mut group)));
        } else {
            group.push(step);
        }
    }
    groups.iter().all(|(check, sources)| match check.kind {
        Kind::Permission if !is_for_own(check) => sources.is_empty() || is_held(sources),
        Kind::Feature if !sources.is_empty() && check.name != "system:account_creation" => is_on(sources),
        _ => check.effect != AccessStepEffect::Denies,
    })
}

/// True for the check of a rule that admits members for what is their own.
fn is_for_own(check: &Step) -> bool {
    check.detail.starts_with("Members may do this")
}

/// True when the sources of one of the permissions end in a grant.
fn is_held(sources: &[&Step]) -> bool {
    use AccessStepKind as Kind;
    let effect = |kind: Kind| sources.iter().filter(move |step| step.kind == kind).map(|step| step.effect);
    let is_membership_denied = effect(Kind::Membership).any(|effect| effect == AccessStepEffect::Denies);
    if is_membership_denied {
        return false;
    }
    if effect(Kind::AdminRole).any(|effect| effect == AccessStepEffect::Grants) {
        return true;
    }
    let of_person =
        sources.iter().filter(|step| step.kind != Kind::AdminRole && step.kind != Kind::Membership);
    // A role, or the scopes of a service key, begins the sources of a permission.
    let mut permissions: Vec<Vec<&Step>> = Vec::new();
    for step in of_person {
        let begins = match step.kind {
            Kind::Role | Kind::UserRole => true,
            Kind::Scopes => step.detail.starts_with("The service key"),
            _ => false,
        };
        if begins {
            permissions.push(Vec::new());
        }
        permissions.last_mut().expect("sources begin with a role or scopes").push(step);
    }
    permissions.iter().any(|steps| {
        let decisive = |kinds: &[Kind]| steps.iter().rev().find(|step| kinds.contains(&step.kind));
        let held = decisive(&[Kind::Role, Kind::Override, Kind::UserRole, Kind::UserOverride]);
        let is_granted = held.is_none_or(|step| step.effect == AccessStepEffect::Grants);
        let narrowing = [Kind::Scopes, Kind::Maker];
        let is_narrowed = steps
            .iter()
            .any(|step| narrowing.contains(&step.kind) && step.effect == AccessStepEffect::Denies);
        is_granted && !is_narrowed
    })
}

/// True when no layer of a flag denies, or the override of the account lifts the plan.
fn is_on(sources: &[&Step]) -> bool {
    let last = sources.iter().rev().find(|step| step.kind != AccessStepKind::Switch);
    let is_switched_on = sources
        .iter()
        .all(|step| step.kind != AccessStepKind::Switch || step.effect == AccessStepEffect::Grants);
    is_switched_on && last.is_none_or(|step| step.effect == AccessStepEffect::Grants)
}
