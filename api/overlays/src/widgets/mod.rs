//! Widgets: single browser sources of an account (reference/overlays.md#widgets).

mod db;
mod fields;
pub mod graphql;
mod kinds;
pub mod rest;
mod stored;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, account_features},
    graphql::Json,
    token::{NewToken, TokenKind},
    validate,
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use juniper::{GraphQLInputObject, GraphQLObject};
use live_model::surfaces::publish_widget_change;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{
    fields::{MAX_NAME_LENGTH, MAX_SIZE},
    surface_tokens::{self, Subject},
};
use fields::{Changes, Fields, MAX_TYPE_LENGTH};
use stored::{found, insert, locked};
use surfaces::object_access::{ObjectAccess, ObjectKind, ObjectRole};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &WIDGETS,
    &WIDGET,
    &CREATE_WIDGET,
    &UPDATE_WIDGET,
    &DELETE_WIDGET,
    &DUPLICATE_WIDGET,
    &ROTATE_WIDGET_TOKEN,
];

/// Number of widgets of an account (reference/overlays.md#widgets).
const MAX_WIDGETS: i64 = 100;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "widgets",
        MAX_WIDGETS,
        "SELECT count(*) FROM widgets WHERE account_id = $1",
    )
}

/// Length of a search, in characters (reference/overlays.md#widgets).
const MAX_SEARCH_LENGTH: usize = 100;

/// Widget: one layer as a browser source of its own.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct Widget {
    /// Identifier.
    pub id: Uuid,
    /// Account.
    pub account_id: Uuid,
    /// Name.
    pub name: String,
    /// Name of a system widget, or slug of an extension.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub widget_type: String,
    /// Install that shows the widget. Null: a system widget.
    pub install_id: Option<Uuid>,
    /// Settings of the widget, by its type.
    pub config: Json,
    /// Width in pixels.
    pub width: i32,
    /// Height in pixels.
    pub height: i32,
    /// False when the page shows nothing.
    pub enabled: bool,
    /// Text of the token, `lm_widget_…`. Only the responses that create, copy or rotate it contain it; null in
    /// all others.
    pub access_token: Option<String>,
    /// Display prefix of the token.
    pub token_prefix: String,
    /// Address of the page; with the token in its fragment where `access_token` is given.
    pub url: String,
    /// Present use by the caller: `viewer` reads, `editor` reads and changes.
    pub my_access: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Filter of the list of widgets.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WidgetsQuery {
    /// Name of a system widget, or slug of an extension; 1 to 100 characters.
    #[serde(rename = "type")]
    #[param(max_length = 100)]
    pub widget_type: Option<String>,
    /// Part of the name, in any case; 1 to 100 characters.
    #[param(max_length = 100)]
    pub search: Option<String>,
}

/// New widget.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({ "name": "Chat", "type": "chat_box", "config": {}, "width": 400, "height": 600 }))]
pub struct CreateWidgetInput {
    /// 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: String,
    /// Name of a system widget, or slug of an extension that runs in the account and has a layer.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    #[schema(extensions(("maxLength" = json!(MAX_TYPE_LENGTH))))]
    pub widget_type: String,
    /// Object of at most 64 KiB; empty when absent.
    pub config: Option<Json>,
    /// 1 to 7,680 pixels; 800 when absent.
    #[schema(extensions(("minimum" = json!(1)), ("maximum" = json!(MAX_SIZE))))]
    pub width: Option<i32>,
    /// 1 to 7,680 pixels; 600 when absent.
    #[schema(extensions(("minimum" = json!(1)), ("maximum" = json!(MAX_SIZE))))]
    pub height: Option<i32>,
}

/// Changes of a widget. Absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({ "name": "Chat", "enabled": true }))]
pub struct UpdateWidgetInput {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// Object of at most 64 KiB; replaces all settings.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub config: Patch<Json>,
    /// 1 to 7,680 pixels.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(1)), ("maximum" = json!(MAX_SIZE))))]
    pub width: Patch<i32>,
    /// 1 to 7,680 pixels.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(1)), ("maximum" = json!(MAX_SIZE))))]
    pub height: Patch<i32>,
    /// False: the page shows nothing.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub enabled: Patch<bool>,
}

pub static WIDGETS: Operation<AccountCaller> =
    Operation::account("widgets", AccountPermission::WidgetsRead, Grants::Nothing).feature(Feature::Widgets);

/// Lists the account's widgets, oldest first.
///
/// The list leaves out widgets whose access entries do not name the caller.
///
/// # Errors
/// Refusals of the access rule; 400 for a filter out of bounds.
#[api_core::operation]
pub async fn widgets(cx: &Cx, query: Input<WidgetsQuery>) -> Result<Vec<Widget>> {
    let caller = cx.authorize(&WIDGETS).await?;
    let query = query?;
    let text = |field: &str, text: Option<String>, max: usize| {
        text.map(|text| validate::text(field, &text, 1, max)).transpose()
    };
    let widget_type = text("type", query.widget_type, MAX_TYPE_LENGTH)?;
    let search = text("search", query.search, MAX_SEARCH_LENGTH)?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Widget).await?;
    let connection = &mut *caller.db().await?;
    let rows = db::list(connection, &access, widget_type.as_deref(), search.as_deref()).await?;
    rows.into_iter().map(|row| row.into_widget(cx.state(), &caller, None)).collect()
}

pub static WIDGET: Operation<AccountCaller> =
    Operation::account("widget", AccountPermission::WidgetsRead, Grants::Nothing).feature(Feature::Widgets);

/// Returns one of the account's widgets.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such widget; 403 when its access entries do not
/// name the caller.
#[api_core::operation]
pub async fn widget(cx: &Cx, id: Input<Uuid>) -> Result<Widget> {
    let caller = cx.authorize(&WIDGET).await?;
    let id = id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Widget).await?;
    found(cx, &mut *caller.db().await?, &caller, &access, id, None).await
}

// The token of a widget holds no permission. It opens one channel, whose data the widget's editors choose.
pub static CREATE_WIDGET: Operation<AccountCaller> =
    Operation::account("createWidget", AccountPermission::WidgetsCreate, Grants::Credentials)
        .feature(Feature::Widgets)
        .idempotent()
        .secret_answer();

/// Creates a widget.
///
/// The response contains the token of its page. Only this call, copies and `rotateWidgetToken` return a token.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field or an unknown type; 403 `FEATURE_DISABLED` when the
/// flag of the system widget is off; 403 `PLAN_LIMIT_REACHED` beyond 100 widgets.
#[api_core::operation]
pub async fn create_widget(cx: &Cx, input: Input<CreateWidgetInput>) -> Result<Widget> {
    let caller = cx.authorize(&CREATE_WIDGET).await?;
    let fields = Fields::new(input?)?;
    kinds::require_flag(&*account_features(cx.state(), caller.account).await?, &fields.widget_type)?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Widget).await?;
    let token = NewToken::generate(TokenKind::Widget);
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let install = kinds::install_of(connection, caller.account, &fields.widget_type).await?;
            let fields = Fields { install_id: install, ..fields };
            let id = insert(cx, connection, caller.account, &fields, &token).await?;
            let mut entry = cx.audit("widget:created", "widget", id);
            entry.metadata = json!({ "name": fields.name, "type": fields.widget_type });
            audit::record(connection, entry).await?;
            found(cx, connection, &caller, &access, id, Some(&token.text)).await
        })
        .await
}

pub static UPDATE_WIDGET: Operation<AccountCaller> =
    Operation::account("updateWidget", AccountPermission::WidgetsEdit, Grants::Nothing)
        .feature(Feature::Widgets);

/// Changes a widget. Its type stays.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 404 when the account has no such widget; 403 when
/// its access entries do not let the caller change it; 403 `FEATURE_DISABLED` when it is switched on while the
/// flag of its type is off.
#[api_core::operation]
pub async fn update_widget(cx: &Cx, id: Input<Uuid>, input: Input<UpdateWidgetInput>) -> Result<Widget> {
    let caller = cx.authorize(&UPDATE_WIDGET).await?;
    let (id, changes) = (id?, Changes::new(input?)?);
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Widget).await?;
    let features = account_features(cx.state(), caller.account).await?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let before = locked(connection, &access, id, ObjectRole::Editor).await?;
            if changes.set.enabled == Some(true) {
                kinds::require_flag(&features, &before.widget_type)?;
            }
            let names = changes.names();
            if !names.is_empty() {
                db::change(connection, caller.account, id, &changes.set, cx.state().clock.now()).await?;
                publish_widget_change(connection, id, cx.state().clock.now()).await?;
                let mut entry = cx.audit("widget:updated", "widget", id);
                entry.metadata = json!({ "fields": names });
                audit::record(connection, entry).await?;
            }
            found(cx, connection, &caller, &access, id, None).await
        })
        .await
}

pub static DELETE_WIDGET: Operation<AccountCaller> =
    Operation::account("deleteWidget", AccountPermission::WidgetsDelete, Grants::Nothing)
        .feature(Feature::Widgets);

/// Deletes a widget with its access entries.
///
/// Its token ends at once, also for open sockets.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such widget; 403 when its access entries do not
/// let the caller change it.
#[api_core::operation]
pub async fn delete_widget(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_WIDGET).await?;
    let id = id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Widget).await?;
    let account = caller.account;
    let revoked = caller
        .db()
        .await?
        .transaction(async |connection| {
            let widget = locked(connection, &access, id, ObjectRole::Editor).await?;
            let kinds = [surface_tokens::WIDGET];
            let revoked = surface_tokens::delete_all(connection, account, &kinds, &id.to_string()).await?;
            db::delete(connection, account, id).await?;
            publish_widget_change(connection, id, cx.state().clock.now()).await?;
            let mut entry = cx.audit("widget:deleted", "widget", id);
            entry.metadata = json!({ "name": widget.name, "type": widget.widget_type });
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(revoked)
        })
        .await?;
    for token in revoked {
        cx.changed(token).await;
    }
    Ok(())
}

// As of `createWidget`.
pub static DUPLICATE_WIDGET: Operation<AccountCaller> =
    Operation::account("duplicateWidget", AccountPermission::WidgetsCreate, Grants::Credentials)
        .idempotent()
        .secret_answer();

/// Copies a widget.
///
/// The copy has ` (copy)` at the end of its name and a token of its own, which the response contains. Access
/// entries are not copied.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such widget; 403 when its access entries do not
/// name the caller; 403 `FEATURE_DISABLED` when the widget is switched on while the flag of its type is off;
/// 403 `PLAN_LIMIT_REACHED` beyond 100 widgets.
#[api_core::operation]
pub async fn duplicate_widget(cx: &Cx, id: Input<Uuid>) -> Result<Widget> {
    let caller = cx.authorize(&DUPLICATE_WIDGET).await?;
    let id = id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Widget).await?;
    let features = account_features(cx.state(), caller.account).await?;
    let token = NewToken::generate(TokenKind::Widget);
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let fields = Fields::of_copy(locked(connection, &access, id, ObjectRole::Viewer).await?);
            if fields.enabled {
                kinds::require_flag(&features, &fields.widget_type)?;
            }
            let copy = insert(cx, connection, caller.account, &fields, &token).await?;
            let metadata = json!({ "name": fields.name, "type": fields.widget_type, "source_id": id });
            let entry = Entry { metadata, ..cx.audit("widget:duplicated", "widget", copy) };
            audit::record(connection, entry).await?;
            found(cx, connection, &caller, &access, copy, Some(&token.text)).await
        })
        .await
}

// As of `createWidget`.
pub static ROTATE_WIDGET_TOKEN: Operation<AccountCaller> =
    Operation::account("rotateWidgetToken", AccountPermission::WidgetsEdit, Grants::Credentials)
        .feature(Feature::Widgets)
        .idempotent()
        .secret_answer();

/// Replaces the token of a widget. The response contains the new one.
///
/// The former token ends at once: open sockets end with `TOKEN_REVOKED`.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such widget; 403 when its access entries do not
/// let the caller change it.
#[api_core::operation]
pub async fn rotate_widget_token(cx: &Cx, id: Input<Uuid>) -> Result<Widget> {
    let caller = cx.authorize(&ROTATE_WIDGET_TOKEN).await?;
    let id = id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Widget).await?;
    let (account, now) = (caller.account, cx.state().clock.now());
    let token = NewToken::generate(TokenKind::Widget);
    let (revoked, widget) = caller
        .db()
        .await?
        .transaction(async |connection| {
            access.lock(connection, id, ObjectRole::Editor).await?;
            let subject = Subject { account, kind: surface_tokens::WIDGET, name: &id.to_string() };
            let revoked = surface_tokens::rotate(connection, subject, &token, now).await?;
            db::put_token_prefix(connection, account, id, &token.prefix, now).await?;
            let mut entry = cx.audit("widget:token_rotated", "widget", id);
            entry.metadata = json!({ "token_prefix": token.prefix });
            audit::record(connection, entry).await?;
            let widget = found(cx, connection, &caller, &access, id, Some(&token.text)).await?;
            Ok::<_, ApiError>((revoked, widget))
        })
        .await?;
    for former in revoked {
        cx.changed(former).await;
    }
    Ok(widget)
}
