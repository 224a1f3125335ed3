//! Events of an account: follows, raids, subscriptions and what the account emits itself (specification C B12).

mod db;
mod draft;
mod emit;
pub mod graphql;
pub mod rest;
mod switches;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::{Int64, Json},
    validate,
};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Deserializer, Serialize};
use shared::{
    catalogue::{AccountPermission, Feature},
    ingest::{AccountEvent, EVENT_TYPES, EventType, MAX_EVENT_TYPE_LENGTH, is_custom},
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub(crate) use draft::Draft;
pub(crate) use emit::{emit, triggers};
pub(crate) use switches::check_type;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&EVENTS, &EVENT, &EMIT_EVENT];

const MAX_TYPES: usize = 50;
const MAX_SEARCH_LENGTH: usize = 100;

/// Something that happened to an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct Event {
    pub id: Uuid,
    pub account_id: Uuid,
    /// `{platform}:{name}` out of the catalogue, or `custom:{name}`.
    pub event_type: String,
    pub platform: Option<String>,
    /// The platform's id of whoever did it.
    pub platform_user_id: Option<String>,
    pub username: Option<String>,
    pub display_name: Option<String>,
    pub avatar_url: Option<String>,
    /// Bits, points, viewers or a count; with a currency of money, its minor units.
    pub amount: Option<Int64>,
    /// `bits`, `points`, or a currency of money in three capital letters.
    pub currency: Option<String>,
    pub message: Option<String>,
    /// The keys that the catalogue names for the type.
    pub data: Json,
    /// Made to be looked at: it counts nowhere.
    pub is_test: bool,
    pub occurred_at: Timestamp,
}

/// Which events, and which page of them.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct EventsFilter {
    /// Only these types, at most 50; over REST separated by commas.
    #[serde(default, deserialize_with = "separated_by_commas")]
    #[param(value_type = Option<String>, example = "twitch:raid,kick:raid")]
    pub types: Option<Vec<String>>,
    /// Only of this platform.
    pub platform: Option<String>,
    /// Only where the name of whoever did it, or the message, contains this, whatever the case.
    pub search: Option<String>,
    /// Not before this time.
    pub from: Option<String>,
    /// Before this time.
    pub to: Option<String>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i32>,
}

/// An event to emit.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({
    "event_type": "twitch:raid",
    "data": { "from_broadcaster_name": "Ada", "from_broadcaster_id": "1001", "viewer_count": 42 },
    "is_test": true,
}))]
pub struct EmitEventInput {
    /// A type of the catalogue, or `custom:{name}` with 1 to 64 characters out of `a-z`, `0-9` and `_`.
    #[schema(extensions(("maxLength" = json!(MAX_EVENT_TYPE_LENGTH))))]
    pub event_type: String,
    /// Follows from the type; only a `custom:` type may be of any platform, or of none.
    #[schema(extensions(("enum" = json!(known_platforms()))))]
    pub platform: Option<String>,
    /// What the type's keys hold; keys that are missing are null, others are left out. A `custom:` type takes any
    /// object. At most 65,536 bytes of JSON.
    #[schema(value_type = Object)]
    pub data: Json,
    /// Whether it is made to be looked at: `event:test` for sockets, and nothing counts it. True when absent.
    pub is_test: Option<bool>,
}

/// The account's events.
pub static EVENTS: Operation<AccountCaller> =
    Operation::account("events", AccountPermission::EventsRead, Grants::Nothing).feature(Feature::Events);

/// One page of the account's events, newest first.
///
/// # Errors
/// As the rule; 400 for a wrong filter.
pub async fn events(cx: &Cx, filter: Input<EventsFilter>) -> Result<Page<Event>> {
    let caller = cx.authorize(&EVENTS).await?;
    let filter = filter?;
    let page = PageRequest { page: filter.page.map(i64::from), limit: filter.limit.map(i64::from) };
    let window = page.check()?;
    let wanted = db::Wanted {
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
    let (items, total) = db::page(&mut *caller.timeseries().await?, &wanted, window).await?;
    Ok(Page { items, total, window })
}

/// One event.
pub static EVENT: Operation<AccountCaller> =
    Operation::account("event", AccountPermission::EventsRead, Grants::Nothing).feature(Feature::Events);

/// One event of the account.
///
/// # Errors
/// As the rule; 404 when the account has no such event, or no longer.
pub async fn event(cx: &Cx, id: Input<Uuid>) -> Result<Event> {
    let caller = cx.authorize(&EVENT).await?;
    let found = db::find(&mut *caller.timeseries().await?, caller.account, id?).await?;
    found.ok_or_else(|| ApiError::not_found("Event not found"))
}

/// Emits an event.
pub static EMIT_EVENT: Operation<AccountCaller> =
    Operation::account("emitEvent", AccountPermission::EventsCreate, Grants::Nothing)
        .feature(Feature::Events);

/// Stores an event of the account, tells sockets of it and runs the handlers that it triggers.
///
/// # Errors
/// As the rule; 400 for an unknown type, a platform that is not the type's, or data that is not what the type takes;
/// 403 `FEATURE_DISABLED` for a type that is switched off.
pub async fn emit_event(cx: &Cx, input: Input<EmitEventInput>) -> Result<Event> {
    let caller = cx.authorize(&EMIT_EVENT).await?;
    let draft = Draft::check(input?)?;
    check_type(cx.state(), caller.account, draft.event_type()).await?;
    let event = draft.into_event(caller.account, shared::id::new(), cx.state().clock.now());
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

/// The platforms that events are of.
fn known_platforms() -> Vec<&'static str> {
    let mut known: Vec<&str> = EVENT_TYPES.iter().map(EventType::platform).collect();
    known.dedup();
    known
}

/// A platform that events are of.
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
