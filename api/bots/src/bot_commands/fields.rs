//! Fields of a command and their rules (reference/bots.md#bot-commands).

use std::collections::HashSet;

use api_core::{ApiError, Patch, Result, validate};
use uuid::Uuid;

use super::{BotCommandResponseType, BotCommandRole, CreateBotCommandInput, UpdateBotCommandInput};

pub(super) const PLATFORMS: [&str; 5] = ["twitch", "youtube", "kick", "trovo", "discord"];
pub(super) const MAX_NAME_LENGTH: usize = 32;
const MAX_ALIASES: usize = 10;
pub(super) const MAX_DESCRIPTION_LENGTH: usize = 200;
pub(super) const MAX_RESPONSE_LENGTH: usize = 500;
pub(super) const MAX_COOLDOWN_SECS: i32 = 86_400;

/// Fields of a command without those that the database adds.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    /// Name without the prefix.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Description; empty: none.
    pub description: String,
    /// Effect of the command.
    pub response_type: BotCommandResponseType,
    /// Text that is sent.
    pub response: String,
    /// Automation that is started.
    pub automation_id: Option<Uuid>,
    /// Platforms on which the command works.
    pub platforms: Vec<String>,
    /// Lowest role that may use the command.
    pub min_role: BotCommandRole,
    /// Cooldown for everybody, in seconds.
    pub cooldown_global: i32,
    /// Cooldown for the same chatter, in seconds.
    pub cooldown_user: i32,
    /// True when the command is switched on.
    pub enabled: bool,
}

/// Change of a command, each field checked by itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes {
    name: Option<String>,
    aliases: Option<Vec<String>>,
    description: Option<String>,
    response_type: Option<BotCommandResponseType>,
    response: Option<String>,
    automation_id: Option<Option<Uuid>>,
    platforms: Option<Vec<String>>,
    min_role: Option<BotCommandRole>,
    cooldown_global: Option<i32>,
    cooldown_user: Option<i32>,
    enabled: Option<bool>,
}

impl Fields {
    /// Checks a new command.
    pub fn new(input: CreateBotCommandInput) -> Result<Self> {
        let fields = Self {
            name: name("name", &input.name)?,
            aliases: aliases(&input.aliases.unwrap_or_default())?,
            description: description(&input.description.unwrap_or_default())?,
            response_type: input.response_type.unwrap_or_default(),
            response: response(&input.response.unwrap_or_default())?,
            automation_id: input.automation_id,
            platforms: match input.platforms {
                Some(given) => platforms(&given)?,
                None => PLATFORMS.map(str::to_owned).to_vec(),
            },
            min_role: input.min_role.unwrap_or_default(),
            cooldown_global: cooldown("cooldown_global", input.cooldown_global.unwrap_or_default())?,
            cooldown_user: cooldown("cooldown_user", input.cooldown_user.unwrap_or_default())?,
            enabled: input.enabled.unwrap_or(true),
        };
        fields.check()?;
        Ok(fields)
    }

    /// Checks the fields together.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn check(&self) -> Result<()> {
        let mut words = HashSet::from([&self.name]);
        if !self.aliases.iter().all(|alias| words.insert(alias)) {
            return Err(ApiError::invalid("aliases must differ from each other and from the name"));
        }
        match (self.response_type, self.automation_id) {
            (BotCommandResponseType::Automation, None) => {
                Err(ApiError::invalid("automation_id is required for the response type automation"))
            }
            (BotCommandResponseType::Automation, Some(_)) => Ok(()),
            (_, Some(_)) => Err(ApiError::invalid("automation_id is for the response type automation only")),
            (_, None) if self.response.is_empty() => Err(ApiError::invalid("response must not be empty")),
            (_, None) => Ok(()),
        }
    }

    /// Refuses an automation for a global command, which belongs to no account.
    ///
    /// # Errors
    /// 400 for the response type `automation`.
    pub fn check_global(&self) -> Result<()> {
        match self.response_type {
            BotCommandResponseType::Automation => {
                Err(ApiError::invalid("response_type must be text or template for a global command"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the name and the aliases.
    pub fn words(&self) -> Vec<&str> {
        std::iter::once(&self.name).chain(&self.aliases).map(String::as_str).collect()
    }
}

impl Changes {
    /// Checks a change.
    pub fn new(input: UpdateBotCommandInput) -> Result<Self> {
        let is_text = |kind: &BotCommandResponseType| *kind != BotCommandResponseType::Automation;
        let response_type = input.response_type.not_null("response_type")?;
        let automation_id = match input.automation_id {
            // A command that now sends text starts no automation.
            Patch::Absent if response_type.as_ref().is_some_and(is_text) => Some(None),
            given => given.into_change(),
        };
        Ok(Self {
            name: input.name.not_null("name")?.map(|given| name("name", &given)).transpose()?,
            aliases: input.aliases.not_null("aliases")?.map(|given| aliases(&given)).transpose()?,
            description: input
                .description
                .not_null("description")?
                .map(|given| description(&given))
                .transpose()?,
            response_type,
            response: input.response.not_null("response")?.map(|given| response(&given)).transpose()?,
            automation_id,
            platforms: input.platforms.not_null("platforms")?.map(|given| platforms(&given)).transpose()?,
            min_role: input.min_role.not_null("min_role")?,
            cooldown_global: rest("cooldown_global", input.cooldown_global)?,
            cooldown_user: rest("cooldown_user", input.cooldown_user)?,
            enabled: input.enabled.not_null("enabled")?,
        })
    }

    /// Applies the change to the fields.
    pub fn apply(self, to: &mut Fields) {
        set(&mut to.name, self.name);
        set(&mut to.aliases, self.aliases);
        set(&mut to.description, self.description);
        set(&mut to.response_type, self.response_type);
        set(&mut to.response, self.response);
        set(&mut to.automation_id, self.automation_id);
        set(&mut to.platforms, self.platforms);
        set(&mut to.min_role, self.min_role);
        set(&mut to.cooldown_global, self.cooldown_global);
        set(&mut to.cooldown_user, self.cooldown_user);
        set(&mut to.enabled, self.enabled);
    }

    /// Returns the names of the changed fields, for the audit trail.
    pub fn names(&self) -> Vec<&'static str> {
        [
            ("name", self.name.is_some()),
            ("aliases", self.aliases.is_some()),
            ("description", self.description.is_some()),
            ("response_type", self.response_type.is_some()),
            ("response", self.response.is_some()),
            ("automation_id", self.automation_id.is_some()),
            ("platforms", self.platforms.is_some()),
            ("min_role", self.min_role.is_some()),
            ("cooldown_global", self.cooldown_global.is_some()),
            ("cooldown_user", self.cooldown_user.is_some()),
            ("enabled", self.enabled.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_given)| is_given.then_some(name))
        .collect()
    }
}

/// Checks a name against `^[a-z0-9_]{1,32}$`.
fn name(field: &str, given: &str) -> Result<String> {
    let name = given.trim();
    let is_name = (1..=MAX_NAME_LENGTH).contains(&name.len())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    if is_name {
        return Ok(name.to_owned());
    }
    Err(ApiError::invalid(format!("{field} must match ^[a-z0-9_]{{1,32}}$")))
}

fn aliases(given: &[String]) -> Result<Vec<String>> {
    if given.len() > MAX_ALIASES {
        return Err(ApiError::invalid(format!("aliases must have at most {MAX_ALIASES} entries")));
    }
    given.iter().map(|alias| name("aliases", alias)).collect()
}

fn description(given: &str) -> Result<String> {
    validate::text("description", given, 0, MAX_DESCRIPTION_LENGTH)
}

/// Checks a response, which may be empty.
pub(super) fn response(given: &str) -> Result<String> {
    validate::text("response", given, 0, MAX_RESPONSE_LENGTH)
}

/// Checks platforms and returns each once, in the fixed order.
pub(super) fn platforms(given: &[String]) -> Result<Vec<String>> {
    let known = given.iter().all(|platform| PLATFORMS.contains(&platform.as_str()));
    if given.is_empty() || !known {
        return Err(ApiError::invalid(format!("platforms must be some of {}", PLATFORMS.join(", "))));
    }
    let chosen = PLATFORMS.into_iter().filter(|platform| given.iter().any(|given| given == platform));
    Ok(chosen.map(str::to_owned).collect())
}

pub(super) fn cooldown(field: &str, given: i32) -> Result<i32> {
    if (0..=MAX_COOLDOWN_SECS).contains(&given) {
        return Ok(given);
    }
    Err(ApiError::invalid(format!("{field} must be between 0 and {MAX_COOLDOWN_SECS}")))
}

fn rest(field: &str, given: Patch<i32>) -> Result<Option<i32>> {
    given.not_null(field)?.map(|given| cooldown(field, given)).transpose()
}

fn set<T>(field: &mut T, change: Option<T>) {
    if let Some(value) = change {
        *field = value;
    }
}
