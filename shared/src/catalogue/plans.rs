//! Seeded plans (specification C §8.1).

/// How "unlimited" is stored: limits may not be negative.
pub const UNLIMITED: i64 = 2_147_483_647;
/// The plan of a new account, unless the configuration names another.
pub const FREE_PLAN: &str = "free";

/// One plan.
#[derive(Debug)]
pub struct PlanSeed {
    pub slug: &'static str,
    pub name: &'static str,
    /// Minor units.
    pub price_monthly: i64,
    pub price_yearly: i64,
    pub sort_order: i32,
    pub max_overlays: i64,
    pub max_storage_bytes: i64,
    pub max_upload_size_bytes: i64,
    pub max_integrations: i64,
    pub chat_retention_days: i64,
    pub max_accounts: i32,
    /// Feature keys (without category) that this plan does not include.
    pub without: &'static [&'static str],
}

/// The three plans, in order.
pub const PLANS: [PlanSeed; 3] = [
    PlanSeed {
        slug: FREE_PLAN,
        name: "Free",
        price_monthly: 0,
        price_yearly: 0,
        sort_order: 0,
        max_overlays: 3,
        max_storage_bytes: 104_857_600,
        max_upload_size_bytes: 5_242_880,
        max_integrations: 2,
        chat_retention_days: 7,
        max_accounts: 1,
        without: &[
            "feature:multi_account",
            "feature:copyright_detection",
            "feature:bot_modules",
            "bot_module:*",
        ],
    },
    PlanSeed {
        slug: "pro",
        name: "Pro",
        price_monthly: 999,
        price_yearly: 9990,
        sort_order: 10,
        max_overlays: 25,
        max_storage_bytes: 2_147_483_648,
        max_upload_size_bytes: 26_214_400,
        max_integrations: UNLIMITED,
        chat_retention_days: 90,
        max_accounts: 3,
        without: &[],
    },
    PlanSeed {
        slug: "enterprise",
        name: "Enterprise",
        price_monthly: 2999,
        price_yearly: 29_990,
        sort_order: 20,
        max_overlays: 100,
        max_storage_bytes: 10_737_418_240,
        max_upload_size_bytes: 104_857_600,
        max_integrations: UNLIMITED,
        chat_retention_days: UNLIMITED,
        max_accounts: 10,
        without: &[],
    },
];

impl PlanSeed {
    /// Whether the plan includes a feature.
    #[must_use]
    pub fn includes(&self, key: &str) -> bool {
        !self.without.iter().any(|left_out| match left_out.strip_suffix('*') {
            Some(start) => key.starts_with(start),
            None => key == *left_out,
        })
    }
}
