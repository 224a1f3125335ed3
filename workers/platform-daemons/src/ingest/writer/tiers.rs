//! Membership tiers of YouTube: everything about members that names a tier is recorded, so that there is a
//! list of tiers although YouTube publishes none (reference/chat.md#youtube).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::{
    sql_query,
    sql_types::{Array, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::{AccountEvent, ChatMessage};
use uuid::Uuid;

const YOUTUBE: &str = "youtube";
/// Badge of members; `info` holds the text that YouTube shows with it.
const MEMBER: &str = "member";
/// Maximum number of tiers that are kept for an account; further ones are a mistake.
const MAX_TIERS: i64 = 200;
/// Maximum length of a tooltip, in characters.
const MAX_LENGTH: usize = 200;

/// Tier that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    account_id: Uuid,
    tier: Tier,
    at: DateTime<Utc>,
}

/// Tier with the first and the last time it was seen.
type Span = (Seen, DateTime<Utc>, DateTime<Utc>);

/// Content of a tooltip.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tier {
    tooltip: String,
    name: String,
    duration: Option<(i32, &'static str)>,
    months_min: Option<i32>,
}

/// Returns the tiers in the badges of a message.
pub(super) fn of_message(message: &ChatMessage) -> Vec<Seen> {
    if message.platform != YOUTUBE {
        return Vec::new();
    }
    let members = message.badges.iter().filter(|badge| badge.id == MEMBER);
    let tooltips = members.filter_map(|badge| badge.info.as_deref());
    let tiers = tooltips.filter_map(Tier::of_tooltip);
    tiers.map(|tier| Seen { account_id: message.account_id, tier, at: message.sent_at }).collect()
}

/// Returns the tier of a new, continued or gifted membership. Test events have none.
pub(super) fn of_event(event: &AccountEvent) -> Option<Seen> {
    if !event.event_type.starts_with("youtube:member") || event.is_test {
        return None;
    }
    let level = ["level_name", "tier"].into_iter().find_map(|key| event.data[key].as_str())?;
    let months = event.data["months"].as_i64().and_then(|months| i32::try_from(months).ok());
    let tier = Tier::of_level(level, months)?;
    Some(Seen { account_id: event.account_id, tier, at: event.occurred_at })
}

/// Records tiers with one statement: new ones with their first time, known ones with their last.
pub(super) async fn note(
    connection: &mut AsyncPgConnection,
    seen: impl Iterator<Item = Seen>,
) -> shared::Result<()> {
    let seen = merged(seen);
    if seen.is_empty() {
        return Ok(());
    }
    let tiers = || seen.iter().map(|(one, _, _)| &one.tier);
    sql_query(
        "INSERT INTO youtube_membership_tiers AS known (account_id, tooltip, tier_name, duration_value, duration_unit, \
         member_months_min, first_seen_at, last_seen_at) \
         SELECT seen.* FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) AS seen (account_id, tooltip) \
         WHERE (SELECT count(*) FROM youtube_membership_tiers AS all_tiers \
                WHERE all_tiers.account_id = seen.account_id AND all_tiers.tooltip <> seen.tooltip) < $9 \
         ON CONFLICT (account_id, tooltip) DO UPDATE SET \
         first_seen_at = least(known.first_seen_at, excluded.first_seen_at), \
         last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)",
    )
    .bind::<Array<SqlUuid>, _>(seen.iter().map(|(one, _, _)| one.account_id).collect::<Vec<_>>())
    .bind::<Array<Text>, _>(tiers().map(|tier| tier.tooltip.as_str()).collect::<Vec<_>>())
    .bind::<Array<Text>, _>(tiers().map(|tier| tier.name.as_str()).collect::<Vec<_>>())
    .bind::<Array<Nullable<Integer>>, _>(
        tiers().map(|tier| tier.duration.map(|(value, _)| value)).collect::<Vec<_>>(),
    )
    .bind::<Array<Nullable<Text>>, _>(
        tiers().map(|tier| tier.duration.map(|(_, unit)| unit)).collect::<Vec<_>>(),
    )
    .bind::<Array<Nullable<Integer>>, _>(tiers().map(|tier| tier.months_min).collect::<Vec<_>>())
    .bind::<Array<Timestamptz>, _>(seen.iter().map(|(_, first, _)| *first).collect::<Vec<_>>())
    .bind::<Array<Timestamptz>, _>(seen.iter().map(|(_, _, last)| *last).collect::<Vec<_>>())
    .bind::<diesel::sql_types::BigInt, _>(MAX_TIERS)
    .execute(connection)
    .await?;
    Ok(())
}

/// Returns each tier of an account once, in the order of its key, with its first and last time.
fn merged(seen: impl Iterator<Item = Seen>) -> Vec<Span> {
    let mut tiers: BTreeMap<(Uuid, String), Span> = BTreeMap::new();
    for one in seen {
        let at = one.at;
        let key = (one.account_id, one.tier.tooltip.clone());
        let (_, first, last) = tiers.entry(key).or_insert((one, at, at));
        (*first, *last) = ((*first).min(at), (*last).max(at));
    }
    tiers.into_values().collect()
}

impl Tier {
    /// Reads `Member (6 months)`, `Super fan (1 year)` or `New member`.
    fn of_tooltip(tooltip: &str) -> Option<Self> {
        let tooltip: String = tooltip.trim().chars().take(MAX_LENGTH).collect();
        if tooltip.is_empty() {
            return None;
        }
        let parts = tooltip.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
        let duration = parts.and_then(|(_, duration)| read_duration(duration));
        let name = match (parts, duration) {
            (Some((name, _)), Some(_)) => name.to_owned(),
            _ => tooltip.clone(),
        };
        let is_new = tooltip.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("new "));
        let months_min = duration.map(months).or_else(|| is_new.then_some(0));
        Some(Self { tooltip, name, duration, months_min })
    }

    /// Returns the text that YouTube would show with the badge.
    fn of_level(level: &str, months: Option<i32>) -> Option<Self> {
        let unit = |value| if value == 1 { "month" } else { "months" };
        match months.filter(|months| *months > 0) {
            Some(months) => Self::of_tooltip(&format!("{} ({months} {})", level.trim(), unit(months))),
            None => Self::of_tooltip(level),
        }
    }
}

fn read_duration(text: &str) -> Option<(i32, &'static str)> {
    let (value, unit) = text.split_once(' ')?;
    let unit = match unit.to_ascii_lowercase().as_str() {
        "month" => "MONTH",
        "months" => "MONTHS",
        "year" => "YEAR",
        "years" => "YEARS",
        _ => return None,
    };
    Some((value.parse().ok().filter(|value| (0..=1200).contains(value))?, unit))
}

fn months((value, unit): (i32, &str)) -> i32 {
    if unit.starts_with("YEAR") { value * 12 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tooltip: &str) -> (String, Option<(i32, &'static str)>, Option<i32>) {
        let tier = Tier::of_tooltip(tooltip).unwrap();
        (tier.name, tier.duration, tier.months_min)
    }

    #[test]
    fn tier_of_a_tooltip_has_name_and_duration() {
        assert_eq!(read("Member (6 months)"), ("Member".into(), Some((6, "MONTHS")), Some(6)));
        assert_eq!(read("Super fan (1 year)"), ("Super fan".into(), Some((1, "YEAR")), Some(12)));
        assert_eq!(read("Fan (2 years)"), ("Fan".into(), Some((2, "YEARS")), Some(24)));
        assert_eq!(read("New member"), ("New member".into(), None, Some(0)));
        assert_eq!(read("Gold (the best)"), ("Gold (the best)".into(), None, None));
        assert_eq!(Tier::of_tooltip("  "), None);
    }

    #[test]
    fn tier_of_a_level_with_months_equals_that_of_its_tooltip() {
        assert_eq!(Tier::of_level("Gold", Some(1)), Tier::of_tooltip("Gold (1 month)"));
        assert_eq!(Tier::of_level("Gold", None), Tier::of_tooltip("Gold"));
    }
}
