//! Keys of configurations.

/// Maximum length of a text with templates, in characters (reference/automations.md#nodes).
pub const MAX_TEMPLATE_LENGTH: usize = 4_000;
/// Maximum length of a name of a platform's or another service's object, in characters
/// (reference/automations.md#nodes).
pub const MAX_NAME_LENGTH: usize = 255;
/// Maximum number of entries of a list of platforms (reference/automations.md#nodes).
pub const MAX_PLATFORMS: usize = 10;
/// Maximum number of items of a loop (reference/automations.md#nodes).
pub const MAX_LIST_ITEMS: usize = 50;
/// Maximum length of a delay, in seconds (reference/automations.md#nodes).
pub const MAX_DELAY_SECS: i64 = 3_600;
/// Maximum length of a cooldown, in seconds (reference/automations.md#nodes).
pub const MAX_COOLDOWN_SECS: i64 = 86_400;
/// Maximum length of a time-out, in seconds; a platform may allow less (reference/automations.md#nodes).
pub const MAX_TIMEOUT_SECS: i64 = 14 * 24 * 60 * 60;
/// Maximum time that an alert is shown, in seconds (reference/automations.md#nodes).
pub const MAX_ALERT_SECS: i64 = 300;
/// Maximum length of the address of a request, in characters (reference/automations.md#nodes).
pub const MAX_URL_LENGTH: usize = 2_000;
/// Maximum number of headers of a request (reference/automations.md#nodes).
pub const MAX_HEADERS: usize = 32;

/// Key of a configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Name.
    pub name: &'static str,
    /// Values.
    pub shape: Shape,
    /// True when it must be given.
    pub is_required: bool,
}

/// Values of a key. Every text may hold templates, except for the shapes of triggers, branches and names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Text; at most this number of characters in the configuration.
    Text(usize),
    /// Id of an object of the account.
    Id,
    /// Whole number within these bounds.
    Whole(i64, i64),
    /// Number within these bounds.
    Number(f64, f64),
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// Address that begins with `https://`.
    Url,
    /// Name of a platform.
    Platform,
    /// Names of platforms.
    Platforms,
    /// True or false.
    Flag,
    /// True, false or `toggle`.
    Toggle,
    /// Object.
    Object,
    /// Object of texts.
    Headers,
    /// Any JSON.
    Any,
    /// Name of a variable: letters, digits and `_`.
    Name,
    /// Operator of a condition.
    Op,
    /// Group of conditions.
    Conditions,
    /// Cases of a `switch`: `{ handle, equals }`.
    Cases,
    /// Branches of a `random`: `{ handle, weight }`.
    Branches,
    /// Event types.
    EventTypes,
    /// Names of platforms of a trigger.
    Sources,
    /// Filters of events: `{ path, op, value }`.
    Filters,
    /// Name of a command.
    Command,
    /// Word in chat.
    Keyword,
    /// Place of the word.
    KeywordMatch,
    /// Id of a reward, or null.
    Reward,
    /// Schedule of five fields.
    Cron,
    /// Name of a time zone.
    Timezone,
}

impl Shape {
    /// True when values of the shape are filled in for each step; the others are read by their node type.
    #[must_use]
    pub const fn is_argument(self) -> bool {
        matches!(
            self,
            Self::Text(_)
                | Self::Id
                | Self::Whole(..)
                | Self::Number(..)
                | Self::Choice(_)
                | Self::Url
                | Self::Platform
                | Self::Platforms
                | Self::Flag
                | Self::Toggle
                | Self::Object
                | Self::Headers
                | Self::Any
        )
    }
}
