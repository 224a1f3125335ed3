//! Events of an account: follows, raids, subscriptions and events that the account emits itself
//! (reference/events.md#event).

mod db;
mod draft;
mod emit;
pub mod graphql;
pub mod rest;
mod switches;

use api_core::{
    ApiError, CursorPage, CursorRequest, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::{Int64, Json},
    validate,
};
use juniper::{GraphQLInputObject, GraphQLObject};
use live_model::{AccountEvent, EVENT_TYPES, EventType, MAX_EVENT_TYPE_LENGTH, is_custom};
use serde::{Deserialize, Deserializer, Serialize};
use shared::catalogue::{AccountPermission, Feature};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub(crate) use draft::Draft;
pub(crate) use emit::{emit, emit_of_run, show, start_automations, triggers};
pub(crate) use switches::check_type;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&EVENTS, &EVENT, &EMIT_EVENT];

const MAX_TYPES: usize = 50;
const MAX_SEARCH_LENGTH: usize = 100;

/// Event of an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct Event {
    /// Id of the event.
    pub id: Uuid,
    /// Account that it belongs to.
    pub account_id: Uuid,
    /// `{platform}:{name}` of the catalogue, or `custom:{name}`.
    pub event_type: String,
    /// Slug of the platform; null for events of no platform.
    pub platform: Option<String>,
    /// The platform's id of the user who caused it.
    pub platform_user_id: Option<String>,
    /// Name of that user in addresses.
    pub username: Option<String>,
    /// Name of that user as the platform shows it.
    pub display_name: Option<String>,
    /// Picture of that user.
    pub avatar_url: Option<String>,
    /// Bits, points, viewers or a count; minor units of money when the currency is one of money.
    pub amount: Option<Int64>,
    /// `bits`, `points`, or a currency of money in three capital letters.
    pub currency: Option<String>,
    /// Message of that user.
    pub message: Option<String>,
    /// Payload with the keys of the type in the catalogue.
    pub data: Json,
    /// True for a test, which counts nowhere.
    pub is_test: bool,
    /// Time of the event.
    pub occurred_at: Timestamp,
}

/// Filter and page of events.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct EventsFilter {
    /// Only these types, at most 50; over REST separated by commas.
    #[serde(default, deserialize_with = "separated_by_commas")]
    #[param(value_type = Option<String>, example = "twitch:raid,kick:raid")]
    pub types: Option<Vec<String>>,
    /// Only of this platform.
    pub platform: Option<String>,
    /// Only events whose user name or message contains this, in any case.
    pub search: Option<String>,
    /// Only events at or after this time.
    pub from: Option<String>,
    /// Only events before this time.
    pub to: Option<String>,
    /// 1 or more; 1 when absent. Not with `cursor`.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i32>,
    /// Cursor of the page before, from its `Link` or `nextCursor`.
    #[param(max_length = 71)]
    pub cursor: Option<String>,
}

/// Input of an event to emit.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({
    "event_type": "twitch:raid",
    "data": { "from_broadcaster_name": "Ada", "from_broadcaster_id": "1001", "viewer_count": 42 },
    "is_test": true,
}))]
pub struct EmitEventInput {
    /// Type of the catalogue, or `custom:{name}` with 1 to 64 characters of `a-z`, `0-9` and `_`.
    #[schema(extensions(("maxLength" = json!(MAX_EVENT_TYPE_LENGTH))))]
    pub event_type: String,
    /// Determined by the type; only a `custom:` type may be of any platform, or of none.
    #[schema(extensions(("enum" = json!(known_platforms()))))]
    pub platform: Option<String>,
    /// Values of the type's keys. Missing keys are null, unknown ones are left out. A `custom:` type accepts
    /// any object. At most 65,536 bytes of JSON.
    #[schema(value_type = Object)]
    pub data: Json,
    /// True, the default, for a test: sockets get `event:test`, and it counts nowhere.
    pub is_test: Option<bool>,
}

pub static EVENTS: Operation<AccountCaller> =
    Operation::account("events", AccountPermission::EventsRead, Grants::Nothing)
        .feature(Feature::Events)
        .polled();

/// Returns one page of the account's events, newest first.
///
/// (reference/events.md#history)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an invalid filter.
#[api_core::operation]
pub async fn events(cx: &Cx, filter: Input<EventsFilter>) -> Result<CursorPage<Event>> {
    let caller = cx.authorize(&EVENTS).await?;
    let filter = filter?;
    let wanted = db::EventSelection {
        account: caller.account,
        types: filter.types.map(known_types).transpose()?,
        platform: filter.platform.map(known_platform).transpose()?,
        search: filter
            .search
            .map(|text| validate::text("search", &text, 1, MAX_SEARCH_LENGTH))
            .transpose()?,
        from: filter.from.map(|text| validate::timestamp("from", &text)).transpose()?,
        to: filter.to.map(|text| validate::timestamp("to", &text)).transpose()?,
    };
    if wanted.from.zip(wanted.to).is_some_and(|(from, to)| from > to) {
        return Err(ApiError::invalid("from must not be after to"));
    }
    let part = CursorRequest::new(filter.page, filter.limit, filter.cursor).check(cx, &EVENTS, &wanted)?;
    db::page(&mut *caller.timeseries().await?, &wanted, part).await
}

pub static EVENT: Operation<AccountCaller> =
    Operation::account("event", AccountPermission::EventsRead, Grants::Nothing)
        .feature(Feature::Events)
        .polled();

/// Returns one event of the account.
///
/// (reference/events.md#history)
///
/// # Errors
/// 401 or 403 by the access rule; 404 when the account has no such event, or no longer.
#[api_core::operation]
pub async fn event(cx: &Cx, id: Input<Uuid>) -> Result<Event> {
    let caller = cx.authorize(&EVENT).await?;
    let found = db::find(&mut *caller.timeseries().await?, caller.account, id?).await?;
    found.ok_or_else(|| ApiError::not_found("Event not found"))
}

pub static EMIT_EVENT: Operation<AccountCaller> =
    Operation::account("emitEvent", AccountPermission::EventsCreate, Grants::Nothing)
        .feature(Feature::Events)
        .idempotent_by_claim()
        .repeatable();

/// Emits an event of the account.
///
/// The event is stored, published on the events channel, and runs the handlers that it triggers. Nothing is
/// sent to the platform.
///
/// (reference/events.md#emitting)
///
/// # Errors
/// 401 or 403 by the access rule; 403 `FEATURE_DISABLED` for a type that is switched off; 400 for an unknown
/// type, a platform that does not fit the type, or data that does not fit the type.
#[api_core::operation]
pub async fn emit_event(cx: &Cx, input: Input<EmitEventInput>) -> Result<Event> {
    let caller = cx.authorize(&EMIT_EVENT).await?;
    let draft = Draft::check(input?)?;
    check_type(cx.state(), caller.account, draft.event_type()).await?;
    let event = draft.into_event(caller.account, cx.effect_id(), cx.effect_time());
    cx.begin_effect();
    emit(cx.state(), &event).await?;
    Ok(event.into())
}

impl From<AccountEvent> for Event {
    fn from(event: AccountEvent) -> Self {
        Self {
            id: event.id,
            account_id: event.account_id,
            event_type: event.event_type,
            platform: event.platform,
            platform_user_id: event.platform_user_id,
            username: event.username,
            display_name: event.display_name,
            avatar_url: event.avatar_url,
            amount: event.amount.map(Int64),
            currency: event.currency,
            message: event.message,
            data: Json(event.data),
            is_test: event.is_test,
            occurred_at: event.occurred_at.into(),
        }
    }
}

fn known_types(types: Vec<String>) -> Result<Vec<String>> {
    if types.is_empty() || types.len() > MAX_TYPES {
        return Err(ApiError::invalid(format!("types must name between 1 and {MAX_TYPES} types")));
    }
    match types.iter().find(|name| EventType::find(name).is_none() && !is_custom(name)) {
        Some(unknown) => Err(ApiError::invalid(format!("Unknown event type: {unknown}"))),
        None => Ok(types),
    }
}

/// Platforms of events.
fn known_platforms() -> Vec<&'static str> {
    let mut known: Vec<&str> = EVENT_TYPES.iter().map(EventType::platform).collect();
    known.dedup();
    known
}

/// Parses a platform of events.
fn known_platform(platform: String) -> Result<String> {
    let known = known_platforms();
    if known.contains(&platform.as_str()) {
        return Ok(platform);
    }
    Err(ApiError::invalid(format!("platform must be one of {}", known.join(", "))))
}

fn separated_by_commas<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.map(|text| {
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }))
}
