//! Numbers of events, and the moments that charts and lists show.

use std::collections::BTreeMap;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use live_model::money::decimals;
use shared::Result;
use uuid::Uuid;

use super::{ChartMarker, MarkerKind, Tip, Totals, Track, time::Window};

/// Groups of events that are read: more than the catalogue has, with the custom types that are used most.
const MAX_GROUPS: i64 = 2000;
/// Moments that are read, the earliest.
const MAX_MOMENTS: i64 = 20_000;
/// Songs of one report, the earliest: more than the longest session plays.
const MAX_TRACKS: usize = 5000;
/// Silence after which the next event of a hype train belongs to another one: the end of the last is missing.
/// Longer than a level lasts.
const MAX_TRAIN_PAUSE: TimeDelta = TimeDelta::minutes(10);

/// Numbers of events by type. A redemption is delivered once for each of its states, and counts once. `is_other` marks renewals, which
/// come as new subscriptions, and memberships that are gifts or upgrades.
pub const EVENTS: &str = "
    SELECT event_type, CASE WHEN event_type = 'streamelements:tip' THEN currency END AS currency,
        CASE
            WHEN event_type = 'youtube:member'
                THEN coalesce('true' IN (data ->> 'is_gift', data ->> 'is_upgrade'), false)
            WHEN event_type IN ('twitch:subscribe', 'kick:subscribe', 'trovo:subscribe')
                AND jsonb_typeof(data -> 'months') = 'number' THEN (data -> 'months')::numeric > 1
            ELSE false
        END AS is_other,
        count(*) AS events, count(amount) AS amounts, sum(amount)::text AS amount,
        count(DISTINCT CASE
            WHEN event_type <> 'twitch:reward' THEN NULL
            WHEN platform_event_id LIKE 'twitch:redemption:%' THEN split_part(platform_event_id, ':', 3)
            ELSE platform_event_id
        END) AS redemptions
    FROM events
    WHERE account_id = $1 AND occurred_at >= $2 AND occurred_at < $3 AND NOT is_test
    GROUP BY 1, 2, 3 ORDER BY event_type LIKE 'custom:%', events DESC, event_type, currency, is_other LIMIT $4";

/// Single events that a report shows.
pub const MOMENTS: &str = "
    SELECT event_type, occurred_at AS at, amount, data ->> 'title' AS title, data ->> 'artist' AS artist,
        coalesce(data ->> 'level', data ->> 'duration_seconds') AS number
    FROM events
    WHERE account_id = $1 AND event_type = ANY ($4) AND occurred_at >= $2 AND occurred_at < $3 AND NOT is_test
    ORDER BY occurred_at, id LIMIT $5";

const SONG: &str = "spotify:track";
const HYPE_TRAIN: &str = "twitch:hype_train";
const HYPE_TRAIN_END: &str = "twitch:hype_train_end";
const AD_BREAK: &str = "twitch:ad_break";
/// Types of [`MOMENTS`].
const MOMENT_TYPES: [&str; 7] =
    [SONG, HYPE_TRAIN, HYPE_TRAIN_END, AD_BREAK, "twitch:raid", "kick:raid", "trovo:raid"];

/// Events of one type, and of one currency for tips.
#[derive(QueryableByName)]
struct Group {
    #[diesel(sql_type = Text)]
    event_type: String,
    #[diesel(sql_type = Nullable<Text>)]
    currency: Option<String>,
    #[diesel(sql_type = Nullable<Bool>)]
    is_other: Option<bool>,
    #[diesel(sql_type = BigInt)]
    events: i64,
    /// Events that have an amount.
    #[diesel(sql_type = BigInt)]
    amounts: i64,
    /// Sum of the amounts.
    #[diesel(sql_type = Nullable<Text>)]
    amount: Option<String>,
    #[diesel(sql_type = BigInt)]
    redemptions: i64,
}

#[derive(QueryableByName)]
struct Moment {
    #[diesel(sql_type = Text)]
    event_type: String,
    #[diesel(sql_type = Timestamptz)]
    at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<BigInt>)]
    amount: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    title: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    artist: Option<String>,
    /// Level of a hype train, seconds of a commercial break.
    #[diesel(sql_type = Nullable<Text>)]
    number: Option<String>,
}

/// Events of a session.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Events {
    /// Sums.
    pub totals: Totals,
    /// Numbers by type.
    pub by_type: BTreeMap<String, i64>,
    /// Songs by start.
    pub music: Vec<Track>,
    /// Raids, hype trains and commercial breaks.
    pub markers: Vec<ChartMarker>,
}

/// Hype train that runs.
struct Train {
    /// Place of its marker.
    marker: usize,
    seen_at: DateTime<Utc>,
    level: Option<i64>,
}

impl Group {
    fn amount(&self) -> i128 {
        self.amount.as_deref().and_then(|amount| amount.parse().ok()).unwrap_or_default()
    }

    /// Sum of the amounts; an event without one counts as one.
    fn quantity(&self) -> i64 {
        bounded(self.amount()).saturating_add(self.events - self.amounts)
    }
}

fn bounded(sum: i128) -> i64 {
    i64::try_from(sum).unwrap_or(i64::MAX)
}

/// Reads the events of a session, tests excluded.
pub(super) async fn read(
    timeseries: &mut AsyncPgConnection,
    account: Uuid,
    window: Window,
) -> Result<Events> {
    let groups: Vec<Group> = sql_query(EVENTS)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(window.from)
        .bind::<Timestamptz, _>(window.to)
        .bind::<BigInt, _>(MAX_GROUPS)
        .prepared()
        .load(timeseries)
        .await?;
    let moments: Vec<Moment> = sql_query(MOMENTS)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(window.from)
        .bind::<Timestamptz, _>(window.to)
        .bind::<Array<Text>, &[&str]>(&MOMENT_TYPES)
        .bind::<BigInt, _>(MAX_MOMENTS)
        .prepared()
        .load(timeseries)
        .await?;
    let mut by_type = BTreeMap::new();
    for group in &groups {
        *by_type.entry(group.event_type.clone()).or_default() += group.events;
    }
    let (totals, markers) = (totals(&groups), markers(&moments));
    let music = moments.into_iter().filter_map(Moment::into_track).take(MAX_TRACKS).collect();
    Ok(Events { totals, by_type, music, markers })
}

fn totals(groups: &[Group]) -> Totals {
    let (mut totals, mut tips) = (Totals::default(), BTreeMap::<&str, i128>::new());
    for group in groups {
        let is_other = group.is_other.unwrap_or_default();
        match group.event_type.as_str() {
            "twitch:follower" | "kick:follower" | "trovo:follower" | "youtube:subscriber" => {
                totals.follows += group.events;
            }
            "twitch:subscribe" | "kick:subscribe" | "trovo:subscribe" if is_other => {
                totals.resubs += group.events;
            }
            // Gifts are counted where they are given; an upgrade is no new member.
            "youtube:member" if is_other => {}
            "twitch:subscribe" | "kick:subscribe" | "trovo:subscribe" | "youtube:member" => {
                totals.subs += group.events;
            }
            "twitch:resub" | "youtube:member_milestone" => totals.resubs += group.events,
            "twitch:gift_sub" | "kick:gift_sub" | "trovo:gift_sub" | "youtube:member_gift" => {
                totals.gift_subs = totals.gift_subs.saturating_add(group.quantity());
            }
            "twitch:cheer" => totals.cheers_bits = totals.cheers_bits.saturating_add(bounded(group.amount())),
            "twitch:raid" | "kick:raid" | "trovo:raid" => {
                totals.raids_in += group.events;
                totals.raid_viewers = totals.raid_viewers.saturating_add(bounded(group.amount()));
            }
            "twitch:reward" => totals.redemptions += group.redemptions,
            "youtube:superchat" | "youtube:supersticker" => totals.superchats += group.events,
            "streamelements:tip" => {
                if let Some(currency) = group.currency.as_deref().filter(|_| group.amounts > 0) {
                    *tips.entry(currency).or_default() += group.amount();
                }
            }
            _ => {}
        }
    }
    let tip = |(currency, amount): (&str, i128)| Tip {
        currency: currency.to_owned(),
        amount: decimal(amount, decimals(currency)),
    };
    totals.tips = tips.into_iter().map(tip).collect();
    totals
}

/// Text of minor units in the main unit, exactly.
fn decimal(minor: i128, places: usize) -> String {
    if places == 0 {
        return minor.to_string();
    }
    let digits = format!("{:0>width$}", minor.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{}{whole}.{fraction}", if minor < 0 { "-" } else { "" })
}

impl Moment {
    fn into_track(self) -> Option<Track> {
        let title = self.title.filter(|_| self.event_type == SONG)?;
        Some(Track { title, artist: self.artist.unwrap_or_default(), played_at: self.at.trunc_subsecs(3) })
    }

    fn marker(&self, kind: MarkerKind, label: Option<String>) -> ChartMarker {
        ChartMarker { at: self.at.trunc_subsecs(3), kind, label }
    }
}

fn markers(moments: &[Moment]) -> Vec<ChartMarker> {
    let (mut markers, mut train) = (Vec::new(), None::<Train>);
    for moment in moments {
        match moment.event_type.as_str() {
            SONG => {}
            AD_BREAK => markers.push(moment.marker(MarkerKind::AdBreak, moment.number.clone())),
            HYPE_TRAIN | HYPE_TRAIN_END => ride(&mut markers, &mut train, moment),
            _ => {
                let viewers = moment.amount.map(|viewers| viewers.to_string());
                markers.push(moment.marker(MarkerKind::Raid, viewers));
            }
        }
    }
    markers
}

/// A hype train has one marker, at its first event, with the highest level.
fn ride(markers: &mut Vec<ChartMarker>, train: &mut Option<Train>, moment: &Moment) {
    let level = moment.number.as_deref().and_then(|level| level.parse::<i64>().ok());
    let is_end = moment.event_type == HYPE_TRAIN_END;
    let running = train.take().filter(|train| moment.at - train.seen_at <= MAX_TRAIN_PAUSE);
    let mut running = match running {
        Some(running) => running,
        // The end of a train whose events are not in the session.
        None if is_end => return,
        None => {
            markers.push(moment.marker(MarkerKind::HypeTrain, None));
            Train { marker: markers.len() - 1, seen_at: moment.at, level: None }
        }
    };
    running.level = running.level.max(level);
    if let Some(marker) = markers.get_mut(running.marker) {
        marker.label = running.level.map(|level| level.to_string());
    }
    if !is_end {
        running.seen_at = moment.at;
        *train = Some(running);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_is_exact_for_every_number_of_places() {
        for (minor, places, text) in [
            (0, 2, "0.00"),
            (5, 2, "0.05"),
            (1234, 2, "12.34"),
            (500, 0, "500"),
            (1500, 3, "1.500"),
            (12_345, 4, "1.2345"),
            (i128::from(i64::MAX) * 2, 2, "184467440737095516.14"),
            (-5, 2, "-0.05"),
        ] {
            assert_eq!(decimal(minor, places), text);
        }
    }

    fn moment(event_type: &str, second: i64, number: Option<&str>) -> Moment {
        Moment {
            event_type: event_type.to_owned(),
            at: DateTime::from_timestamp(second, 0).unwrap(),
            amount: None,
            title: None,
            artist: None,
            number: number.map(str::to_owned),
        }
    }

    #[test]
    fn markers_have_one_for_each_hype_train_with_its_highest_level() {
        let moments = [
            moment(HYPE_TRAIN_END, 0, Some("9")),
            moment(HYPE_TRAIN, 10, Some("1")),
            moment(HYPE_TRAIN, 20, Some("3")),
            moment(AD_BREAK, 25, Some("90")),
            moment(HYPE_TRAIN_END, 30, Some("2")),
            moment(HYPE_TRAIN, 40, None),
            moment(HYPE_TRAIN, 40 + 601, Some("1")),
        ];
        let found: Vec<_> = markers(&moments)
            .into_iter()
            .map(|marker| (marker.at.timestamp(), marker.kind, marker.label))
            .collect();
        let label = |text: &str| Some(text.to_owned());
        assert_eq!(
            found,
            [
                (10, MarkerKind::HypeTrain, label("3")),
                (25, MarkerKind::AdBreak, label("90")),
                (40, MarkerKind::HypeTrain, None),
                (641, MarkerKind::HypeTrain, label("1")),
            ]
        );
    }
}
