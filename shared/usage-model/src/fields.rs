//! Fields of the counts in Redis: `{hour}:{account}:{actor}:{quantity}`, the hour as its number since 1970.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    consumer::{Actor, Consumer},
    counts::Counter,
};

/// Seconds of an hour.
const HOUR_SECS: i64 = 3600;

/// Number of the hour of a time.
pub(crate) const fn hour_of(at: DateTime<Utc>) -> i64 {
    at.timestamp().div_euclid(HOUR_SECS)
}

/// Begin of an hour; `None` beyond the calendar.
pub(crate) fn begin_of(hour: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(hour.checked_mul(HOUR_SECS)?, 0)
}

/// Name of the field of a count.
pub(crate) fn name(hour: i64, consumer: &Consumer, counter: Counter) -> String {
    let (account, quantity) = (consumer.account_id, counter.letter());
    match consumer.actor {
        Actor::Account => format!("{hour}:{account}:a:{quantity}"),
        Actor::Extension(id) => format!("{hour}:{account}:e{id}:{quantity}"),
        Actor::Install(id) => format!("{hour}:{account}:i{id}:{quantity}"),
        Actor::Key(id) => format!("{hour}:{account}:k{id}:{quantity}"),
    }
}

/// Hour, consumer and quantity of a field; `None` for a name that no version writes.
pub(crate) fn parse(name: &str) -> Option<(i64, Consumer, Counter)> {
    let mut parts = name.split(':');
    let (hour, account, actor, letter) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let consumer = Consumer { account_id: account.parse().ok()?, actor: actor_of(actor)? };
    let hour: i64 = hour.parse().ok()?;
    begin_of(hour)?;
    Some((hour, consumer, Counter::of_letter(letter)?))
}

fn actor_of(text: &str) -> Option<Actor> {
    if text == "a" {
        return Some(Actor::Account);
    }
    let mut letters = text.chars();
    let kind = letters.next()?;
    let id: Uuid = letters.as_str().parse().ok()?;
    match kind {
        'e' => Some(Actor::Extension(id)),
        'i' => Some(Actor::Install(id)),
        'k' => Some(Actor::Key(id)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_reads_the_name_of_every_field() {
        let (account_id, id) = (Uuid::now_v7(), Uuid::now_v7());
        for actor in [Actor::Account, Actor::Extension(id), Actor::Install(id), Actor::Key(id)] {
            for counter in Counter::ALL {
                let consumer = Consumer { account_id, actor };
                assert_eq!(parse(&name(491_000, &consumer, counter)), Some((491_000, consumer, counter)));
            }
        }
        for wrong in
            ["", "1:2:a:r", "x:y:z", &format!("1:{account_id}:x{id}:r"), &format!("1:{account_id}:a:r:r")]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn hour_of_a_time_begins_before_it() {
        let at: DateTime<Utc> = "2030-01-31T12:34:56Z".parse().unwrap();
        assert_eq!(begin_of(hour_of(at)), Some("2030-01-31T12:00:00Z".parse().unwrap()));
    }
}
