//! Seeded plans (reference/billing.md#seeded-plans).

/// Stored form of "unlimited". Limits may not be negative.
pub const UNLIMITED: i64 = 2_147_483_647;
/// Slug of the plan of a new account, unless the configuration names another.
pub const FREE_PLAN: &str = "free";

/// Seed data of one plan.
#[derive(Debug)]
pub struct PlanSeed {
    /// Unique name in URLs and configuration.
    pub slug: &'static str,
    /// Displayed name.
    pub name: &'static str,
    /// Price of a month in minor units.
    pub price_monthly: i64,
    /// Price of a year in minor units.
    pub price_yearly: i64,
    /// Position in lists, ascending.
    pub sort_order: i32,
    /// Number of overlays that an account may have.
    pub max_overlays: i64,
    /// Bytes that the uploads of an account may take together.
    pub max_storage_bytes: i64,
    /// Bytes that one upload may have.
    pub max_upload_size_bytes: i64,
    /// Number of integrations that an account may have.
    pub max_integrations: i64,
    /// Days that chat messages are kept.
    pub chat_retention_days: i64,
    /// Number of accounts that a person may own.
    pub max_accounts: i32,
    /// Number of sounds of an account.
    pub max_sounds: i64,
    /// Bytes that one sound may have.
    pub max_sound_file_size: i64,
    /// Bytes that the sounds of an account may take together.
    pub max_sound_storage_bytes: i64,
    /// Number of automations of an account.
    pub max_automations: i64,
    /// Feature keys, without category, that this plan does not include.
    pub without: &'static [&'static str],
}

/// The three plans, in display order.
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
        max_sounds: 10,
        max_sound_file_size: 2_097_152,
        max_sound_storage_bytes: 20_971_520,
        max_automations: 5,
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
        max_sounds: 100,
        max_sound_file_size: 10_485_760,
        max_sound_storage_bytes: 524_288_000,
        max_automations: 50,
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
        max_sounds: 1000,
        max_sound_file_size: 26_214_400,
        max_sound_storage_bytes: 5_368_709_120,
        max_automations: 200,
        without: &[],
    },
];

impl PlanSeed {
    /// True when the plan includes the feature.
    #[must_use]
    pub fn includes(&self, key: &str) -> bool {
        !self.without.iter().any(|left_out| match left_out.strip_suffix('*') {
            Some(start) => key.starts_with(start),
            None => key == *left_out,
        })
    }
}
