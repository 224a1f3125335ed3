//! Participants: a crowd of invented people, the same for the same seed.

use chrono::{DateTime, Utc};
use live_model::{Badge, ChatMessage, Fragment};
use uuid::Uuid;

use super::dice::Dice;

const CROWD: u64 = 200;

const FIRST: [&str; 16] = [
    "Amber", "Brave", "Calm", "Dizzy", "Eager", "Frosty", "Gentle", "Happy", "Icy", "Jolly", "Kind", "Lucky",
    "Mighty", "Noble", "Quiet", "Sunny",
];
const SECOND: [&str; 16] = [
    "Badger", "Comet", "Dragon", "Ember", "Falcon", "Goblin", "Heron", "Ibex", "Jaguar", "Koala", "Lynx",
    "Moth", "Newt", "Otter", "Panda", "Raven",
];
const COLORS: [&str; 6] = ["#1E90FF", "#FF69B4", "#32CD32", "#FF7F50", "#9ACD32", "#8A2BE2"];

/// Invented person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Id on the platform, `sim-{number}`.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Color as `#RRGGBB`.
    pub color: &'static str,
    /// Badges in chat.
    pub badges: Vec<Badge>,
}

impl Person {
    /// Chat line of the person, with ids of its own.
    #[must_use]
    pub fn line(&self, account_id: Uuid, platform: &str, text: &str, at: DateTime<Utc>) -> ChatMessage {
        let id = shared::id::new();
        ChatMessage {
            id,
            account_id,
            platform: platform.to_owned(),
            platform_message_id: format!("sim-{id}"),
            platform_user_id: self.id.clone(),
            username: self.name.to_lowercase(),
            display_name: self.name.clone(),
            color: Some(self.color.to_owned()),
            badges: self.badges.clone(),
            text: text.to_owned(),
            fragments: vec![Fragment::text(text)],
            emotes: Vec::new(),
            reply_to: None,
            is_deleted: false,
            is_action: false,
            forgets_user: false,
            counted_as: None,
            sent_at: at,
        }
    }
}

/// All people of a simulation.
#[derive(Debug, Clone)]
pub(super) struct Cast(Vec<Person>);

impl Cast {
    /// Crowd of a seed.
    pub fn new(dice: &mut Dice) -> Self {
        Self((0..CROWD).map(|number| person(number, dice)).collect())
    }

    /// Random person.
    pub fn anybody(&self, dice: &mut Dice) -> &Person {
        &self.0[dice.index(self.0.len())]
    }

    /// Random person other than this one.
    pub fn another(&self, than: &Person, dice: &mut Dice) -> &Person {
        let first = self.anybody(dice);
        if first.id != than.id {
            return first;
        }
        self.0.iter().find(|person| person.id != than.id).unwrap_or(first)
    }
}

fn person(number: u64, dice: &mut Dice) -> Person {
    let name = format!("{}{}{}", dice.pick(&FIRST), dice.pick(&SECOND), dice.between(1, 99));
    let badge = |id: &str| Badge { id: id.to_owned(), version: "1".to_owned(), info: None };
    let badges = match number {
        0..4 => vec![badge("moderator")],
        4..8 => vec![badge("vip")],
        8..60 => vec![badge("subscriber")],
        _ => Vec::new(),
    };
    // No platform issues such ids, so they cannot be mistaken for real people.
    Person { id: format!("sim-{number}"), name, color: dice.pick(&COLORS), badges }
}
