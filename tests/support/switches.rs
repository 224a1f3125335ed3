//! Feature flags, and reading the audit log.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::invalidation::Invalidation;
use serde_json::Value;
use shared::schema::{account_feature_overrides, audit_log, feature_flags};
use uuid::Uuid;

use crate::TestApp;

impl TestApp {
    /// Switches a flag globally.
    pub async fn switch(&self, key: &str, on: bool) {
        let flag = feature_flags::table.filter(feature_flags::key.eq(key));
        let mut db = self.databases.postgres.get().await.unwrap();
        let changed =
            diesel::update(flag).set(feature_flags::globally_enabled.eq(on)).execute(&mut *db).await.unwrap();
        assert_eq!(changed, 1, "there is no flag {key}");
        self.state.caches.invalidate(&Invalidation::AllFeatures);
    }

    /// Overrides a flag for an account.
    pub async fn override_feature(&self, account_id: Uuid, key: &str, on: bool) {
        use account_feature_overrides::dsl;
        let mut db = self.databases.postgres.get().await.unwrap();
        let flag = feature_flags::table.filter(feature_flags::key.eq(key)).select(feature_flags::id);
        let feature_id: Uuid = flag.first(&mut *db).await.unwrap();
        diesel::insert_into(dsl::account_feature_overrides)
            .values((dsl::account_id.eq(account_id), dsl::feature_id.eq(feature_id), dsl::enabled.eq(on)))
            .on_conflict((dsl::account_id, dsl::feature_id))
            .do_update()
            .set(dsl::enabled.eq(on))
            .execute(&mut *db)
            .await
            .unwrap();
        self.state.caches.invalidate(&Invalidation::Features { account_id });
    }

    /// Overrides every flag for an account; what is overridden already stays.
    pub async fn override_every_feature(&self, account_id: Uuid, on: bool) {
        use account_feature_overrides::dsl;
        let mut db = self.databases.postgres.get().await.unwrap();
        let flags: Vec<Uuid> = feature_flags::table.select(feature_flags::id).load(&mut *db).await.unwrap();
        let row = |flag| (dsl::account_id.eq(account_id), dsl::feature_id.eq(flag), dsl::enabled.eq(on));
        let rows: Vec<_> = flags.into_iter().map(row).collect();
        diesel::insert_into(dsl::account_feature_overrides)
            .values(rows)
            .on_conflict_do_nothing()
            .execute(&mut *db)
            .await
            .unwrap();
        self.state.caches.invalidate(&Invalidation::Features { account_id });
    }

    /// The audit entries of an action, oldest first: scope, account, actor, resource and metadata.
    pub async fn audited(&self, action: &str) -> Vec<AuditEntry> {
        audit_log::table
            .filter(audit_log::action.eq(action))
            .order(audit_log::id.asc())
            .select((
                audit_log::scope,
                audit_log::account_id,
                audit_log::actor_id,
                audit_log::resource_id,
                audit_log::metadata,
            ))
            .load(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }

    /// The only audit entry of an action.
    pub async fn audited_once(&self, action: &str) -> AuditEntry {
        let mut entries = self.audited(action).await;
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries.remove(0)
    }
}

/// An entry of the audit trail.
#[derive(Debug, Clone, PartialEq, Queryable)]
pub struct AuditEntry {
    pub scope: String,
    pub account_id: Option<Uuid>,
    pub actor_id: Option<Uuid>,
    pub resource_id: Option<String>,
    pub metadata: Value,
}
