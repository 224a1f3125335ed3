//! Store: the extensions that accounts find and may install (reference/extensions.md#store).

pub(crate) mod db;
mod detail;
pub mod graphql;
pub mod rest;
mod search;
mod version;

use api_core::{
    Cx, Input, Operation, Page, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    page::PageRequest,
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::catalogue::{AccountPermission, Feature};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub use detail::{RatingCount, STORE_EXTENSION, StoreExtensionDetail, StoreReviewSummary, store_extension};
use search::Search;
pub use version::StoreVersion;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&STORE_EXTENSIONS, &STORE_EXTENSION];

/// An extension in the store's list.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct StoreExtension {
    /// Id.
    pub id: Uuid,
    /// Short id of eight characters.
    pub short_id: String,
    /// Slug.
    pub slug: String,
    /// Name.
    pub name: String,
    /// Short description.
    pub description: String,
    /// `widget`, `bot_module`, `automation_node`, `theme` or `integration`.
    pub category: Option<String>,
    /// Path of an image in the bundle.
    pub icon_key: Option<String>,
    /// `free`, `one_time` or `subscription`.
    pub pricing_type: String,
    /// Price in cents; null when it is free.
    pub pricing_amount: Option<Int64>,
    /// `EUR`; null when it is free.
    pub pricing_currency: Option<String>,
    /// Number of installs.
    pub install_count: i32,
    /// Average, 1 to 5; 0 without reviews.
    pub rating_avg: f64,
    /// Number of reviews.
    pub rating_count: i32,
    /// Time of the first publication.
    pub published_at: Option<Timestamp>,
    /// Developer; null for a built-in extension.
    pub developer: Option<StoreDeveloper>,
    /// True when the caller's account has installed it.
    pub installed: bool,
}

/// Developer of an extension.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct StoreDeveloper {
    /// Slug of the developer.
    pub slug: String,
    /// Display name.
    pub display_name: String,
}

/// Kind of an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreCategory {
    /// Layer of an overlay.
    Widget,
    /// Module of the bot.
    BotModule,
    /// Node of an automation.
    AutomationNode,
    /// Theme.
    Theme,
    /// Integration of another service.
    Integration,
}

/// Kind of an extension's price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StorePricing {
    /// Free of charge.
    Free,
    /// Paid once.
    OneTime,
    /// Paid periodically.
    Subscription,
}

/// Order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreSort {
    /// Most installs first.
    #[default]
    Popular,
    /// Latest publication first.
    Newest,
    /// Best rating first.
    Rating,
    /// By name.
    Name,
}

/// Filter, order and page of the list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StoreQuery {
    /// Words, or beginnings of words, in name or short description; at most 100 characters.
    pub search: Option<String>,
    /// Kind of extension; all when absent.
    #[param(inline)]
    pub category: Option<StoreCategory>,
    /// Kind of price; all when absent.
    #[param(inline)]
    pub pricing: Option<StorePricing>,
    /// `popular` when absent.
    #[param(inline)]
    pub sort: Option<StoreSort>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

pub static STORE_EXTENSIONS: Operation<AccountCaller> =
    Operation::account("storeExtensions", AccountPermission::ExtensionStoreRead, Grants::Nothing)
        .feature(Feature::Extensions)
        .polled();

/// Lists the extensions of the store.
///
/// A search finds extensions with all of its words, or with words that begin so, in name or short
/// description. A search without a letter or digit finds nothing.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an unknown filter or order, a search of more than 100 characters, or a page out of bounds.
#[api_core::operation]
pub async fn store_extensions(cx: &Cx, query: Input<StoreQuery>) -> Result<Page<StoreExtension>> {
    let caller = cx.authorize(&STORE_EXTENSIONS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let search = Search::parse(query.search.as_deref())?;
    if search == Search::Nothing {
        return Ok(Page { items: Vec::new(), total: 0, window });
    }
    let filter = db::Filter {
        words: search.words(),
        category: query.category.map(StoreCategory::as_str),
        pricing: query.pricing.map(StorePricing::as_str),
        sort: query.sort.unwrap_or_default(),
    };
    let (items, total) = db::list(&mut *caller.db().await?, caller.account, &filter, window).await?;
    Ok(Page { items, total, window })
}

impl StoreCategory {
    /// Stored name.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Widget => "widget",
            Self::BotModule => "bot_module",
            Self::AutomationNode => "automation_node",
            Self::Theme => "theme",
            Self::Integration => "integration",
        }
    }
}

impl StorePricing {
    /// Stored name.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::OneTime => "one_time",
            Self::Subscription => "subscription",
        }
    }
}
