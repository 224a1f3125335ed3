//! The store: what accounts find and may install (specification C B4).

pub(crate) mod db;
mod detail;
pub mod graphql;
pub mod rest;
mod search;

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

pub use detail::{
    RatingCount, STORE_EXTENSION, StoreExtensionDetail, StoreReviewSummary, StoreVersion, store_extension,
};
use search::Search;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&STORE_EXTENSIONS, &STORE_EXTENSION];

/// An extension in the store's list.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct StoreExtension {
    pub id: Uuid,
    /// Eight characters that name it.
    pub short_id: String,
    pub slug: String,
    pub name: String,
    /// The short description.
    pub description: String,
    /// `widget`, `bot_module`, `automation_node`, `theme` or `integration`.
    pub category: Option<String>,
    /// Path of an image in the bundle.
    pub icon_key: Option<String>,
    /// `free`, `one_time` or `subscription`.
    pub pricing_type: String,
    /// In cents; null when it is free.
    pub pricing_amount: Option<Int64>,
    /// `EUR`; null when it is free.
    pub pricing_currency: Option<String>,
    pub install_count: i32,
    /// 1 to 5; 0 without reviews.
    pub rating_avg: f64,
    pub rating_count: i32,
    pub published_at: Option<Timestamp>,
    /// Null for one that is built in.
    pub developer: Option<StoreDeveloper>,
    /// Whether the caller's account has it.
    pub installed: bool,
}

/// Whose extension it is.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct StoreDeveloper {
    pub slug: String,
    pub display_name: String,
}

/// What kind of extension it is (C B1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreCategory {
    Widget,
    BotModule,
    AutomationNode,
    Theme,
    Integration,
}

/// How an extension is paid for (C B1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StorePricing {
    Free,
    OneTime,
    Subscription,
}

/// The order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreSort {
    /// The most installed first.
    #[default]
    Popular,
    /// The latest published first.
    Newest,
    /// The best rated first.
    Rating,
    /// By name.
    Name,
}

/// Which extensions are listed.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StoreQuery {
    /// Words, or the beginnings of words, in name or short description; at most 100 characters.
    pub search: Option<String>,
    #[param(inline)]
    pub category: Option<StoreCategory>,
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

/// What the store offers.
pub static STORE_EXTENSIONS: Operation<AccountCaller> =
    Operation::account("storeExtensions", AccountPermission::ExtensionStoreRead, Grants::Nothing)
        .feature(Feature::Extensions);

/// Lists what the store offers.
///
/// # Errors
/// As the rule; 400 for an unknown filter or order, a search that is too long, or a page out of bounds.
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
    /// The stored text.
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
    /// The stored text.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::OneTime => "one_time",
            Self::Subscription => "subscription",
        }
    }
}
