//! Payouts to developers: their settings, requests and history, and the revenue that they are paid from
//! (reference/programme.md#payout-settings). Staff moves the status of a payout
//! (reference/billing.md#payouts).

mod db;
mod details;
pub mod graphql;
mod method;
mod objects;
mod payee;
mod requests;
pub mod rest;
mod revenue;
mod settings;

use api_core::access::AnyOperation;

pub use method::{DeveloperPayoutMethod, DeveloperPayoutStatus};
pub use objects::{DeveloperPayout, DeveloperRevenueItem};
pub use payee::DeveloperPayeeQuery;
pub use requests::{
    DeveloperPayoutQuery, RequestDeveloperPayoutInput, developer_payouts, request_developer_payout,
};
pub use revenue::{DeveloperRevenue, DeveloperRevenueQuery, developer_revenue};
pub use settings::{
    DeveloperPayoutSettings, UpdateDeveloperPayoutSettingsInput, developer_payout_settings,
    update_developer_payout_settings,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &settings::DEVELOPER_PAYOUT_SETTINGS,
    &settings::UPDATE_DEVELOPER_PAYOUT_SETTINGS,
    &requests::REQUEST_DEVELOPER_PAYOUT,
    &requests::DEVELOPER_PAYOUTS,
    &revenue::DEVELOPER_REVENUE,
];
