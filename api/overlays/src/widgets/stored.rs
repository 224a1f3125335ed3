//! Stored widgets, as callers create and see them (reference/overlays.md#widgets).

use api_core::{ApiError, Code, Cx, Result, State, access::AccountCaller, graphql::Json, token::NewToken};
use diesel_async::AsyncPgConnection;
use shared::{
    catalogue::AccountPermission,
    id::{self, AccountId},
    secret::Secret,
};
use uuid::Uuid;

use super::{MAX_WIDGETS, Widget, db, fields::Fields};
use crate::surface_tokens::{self, Subject};
use surfaces::object_access::{ObjectAccess, ObjectKind, ObjectRole, stored_role};

/// Stores a widget with its token, unless the account has the highest number; returns its id.
pub(super) async fn insert(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: AccountId,
    fields: &Fields,
    token: &NewToken,
) -> Result<Uuid> {
    db::lock_all(connection, account).await?;
    if db::count(connection, account).await? >= MAX_WIDGETS {
        return Err(ApiError::new(Code::PlanLimitReached, "Widget limit reached"));
    }
    let (id, now) = (id::new(), cx.state().clock.now());
    let widget = db::NewRow {
        id,
        account_id: account,
        name: &fields.name,
        widget_type: &fields.widget_type,
        install_id: fields.install_id,
        config: &fields.config,
        width: fields.width,
        height: fields.height,
        enabled: fields.enabled,
        token_prefix: &token.prefix,
        created_at: now,
        updated_at: now,
    };
    db::insert(connection, &widget).await?;
    let subject = Subject { account, kind: surface_tokens::WIDGET, name: &id.to_string() };
    surface_tokens::insert(connection, subject, token, now, None).await?;
    Ok(id)
}

/// Widget as the caller sees it, with a new token if there is one.
pub(super) async fn found(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    caller: &AccountCaller,
    access: &ObjectAccess,
    id: Uuid,
    token: Option<&Secret>,
) -> Result<Widget> {
    let row = db::find(connection, access, id).await?.ok_or_else(|| access.kind().not_found())?;
    row.into_widget(cx.state(), caller, token)
}

/// Locks a widget that the caller reaches and reads it.
pub(super) async fn locked(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
    needed: ObjectRole,
) -> Result<db::Row> {
    access.lock(connection, id, needed).await?;
    db::find(connection, access, id).await?.ok_or_else(|| access.kind().not_found())
}

impl db::Row {
    /// Widget as the caller sees it; 403 when its entries do not name the caller.
    pub(super) fn into_widget(
        self,
        state: &State,
        caller: &AccountCaller,
        token: Option<&Secret>,
    ) -> Result<Widget> {
        let access = stored_role(self.access.as_deref())?;
        ObjectKind::Widget.require(access, ObjectRole::Viewer)?;
        let may_edit = caller.permissions.contains(AccountPermission::WidgetsEdit);
        let my_access = access.unwrap_or(ObjectRole::Viewer).within(may_edit);
        Ok(Widget {
            id: self.id,
            account_id: self.account_id,
            name: self.name,
            widget_type: self.widget_type,
            install_id: self.install_id,
            config: Json(self.config),
            width: self.width,
            height: self.height,
            enabled: self.enabled,
            access_token: token.map(|token| token.expose().to_owned()),
            token_prefix: self.token_prefix,
            url: surface_tokens::widget_url(state, self.id, token),
            my_access: my_access.as_str().to_owned(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}
