//! Callers of the walk.

use std::collections::BTreeMap;

use api_core::access::{Needs, Rule};
use api_core::token::TokenKind;
use diesel::{prelude::*, update};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp};
use shared::{
    catalogue::{AccountPermission, account_roles},
    schema::developer_profiles,
};
use uuid::Uuid;

use super::{Call, Place};
use crate::published::{Field, Route};

/// Kind of credential, as far as rules distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) enum Walker {
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
    pub const ALL: [Self; 20] = [
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

    pub const fn kind(self) -> Kind {
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
    pub fn holds(self, permission: AccountPermission) -> bool {
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

/// The people and the credentials that do not depend on the operation.
pub(super) struct Stage {
    people: BTreeMap<&'static str, Person>,
    lasting: Vec<(Walker, Caller)>,
}

impl Stage {
    pub async fn set(app: &TestApp) -> Self {
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
    pub async fn calls<'a>(
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
