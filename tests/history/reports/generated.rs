//! Reports of random rows, compared with a plain computation over the same rows.

use std::collections::{BTreeMap, BTreeSet};

use foundation::db::Reader;
use history_model::report::{self, Report};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Value, json};
use uuid::Uuid;

use super::stage::{PlantedSession, Postgres, Stage};

const CASES: usize = 250;
const SEED: u64 = 20;
/// Minutes of rows: at both ends of the session and around them.
const MINUTES: [i64; 10] = [-2, -1, 0, 1, 2, 60, 61, 119, 120, 121];
const PLATFORMS: [&str; 2] = ["twitch", "youtube"];

struct Line {
    platform: &'static str,
    minute: i64,
    chatter: i64,
    /// Ids of emotes with their uses.
    emotes: Vec<(&'static str, i64)>,
}

struct Sample {
    platform: &'static str,
    minute: i64,
    viewers: Option<i64>,
}

struct Event {
    event_type: &'static str,
    minute: i64,
    amount: Option<i64>,
    currency: Option<&'static str>,
    is_test: bool,
}

/// Random rows of one account.
struct Case {
    lines: Vec<Line>,
    samples: Vec<Sample>,
    events: Vec<Event>,
    /// Platform, first and last minute.
    broadcasts: Vec<(&'static str, i64, i64)>,
}

const fn is_inside(minute: i64) -> bool {
    0 <= minute && minute < 120
}

impl Case {
    fn random(dice: &mut StdRng) -> Self {
        let lines = (0..dice.random_range(0..40)).map(|_| Line::random(dice)).collect();
        let mut samples = BTreeMap::new();
        for _ in 0..dice.random_range(0..20) {
            let sample = Sample::random(dice);
            samples.insert((sample.platform, sample.minute), sample);
        }
        let events = (0..dice.random_range(0..40)).map(|_| Event::random(dice)).collect();
        let mut broadcasts = Vec::new();
        for platform in PLATFORMS {
            let from = dice.random_range(0..60);
            broadcasts.push((platform, from, dice.random_range(from..=120)));
        }
        Self { lines, samples: samples.into_values().collect(), events, broadcasts }
    }

    async fn plant(&self, stage: &Stage, account: Uuid) -> PlantedSession {
        let session = stage.plant_session(account).await;
        let broadcasts = self.broadcasts.iter().enumerate();
        let broadcasts = broadcasts
            .map(|(index, (platform, from, to))| json!([platform, index.to_string(), "c", from, to]));
        stage.plant_broadcasts(&session, broadcasts.collect()).await;
        let lines = self.lines.iter().enumerate().map(|(index, line)| line.row(index)).collect();
        stage.plant_lines(account, lines).await;
        let samples = self.samples.iter().map(|one| json!([one.platform, one.minute, one.viewers])).collect();
        stage.plant_samples(account, samples).await;
        let events = self.events.iter().enumerate().map(|(index, event)| event.row(index)).collect();
        stage.plant_events(account, events).await;
        session
    }

    fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| is_inside(line.minute))
    }

    fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(|event| is_inside(event.minute) && !event.is_test)
    }

    fn of_type(&self, name: &str) -> i64 {
        self.events().filter(|event| event.event_type == name).count().try_into().unwrap()
    }

    /// Sum of the amounts of a type; an event without one counts as `default`.
    fn amounts(&self, name: &str, default: i64) -> i64 {
        let of_type = self.events().filter(|event| event.event_type == name);
        of_type.map(|event| event.amount.unwrap_or(default)).sum()
    }

    fn check(&self, report: &Report) {
        let session = &report.session;
        let mut minutes: BTreeMap<i64, i64> = BTreeMap::new();
        let (mut chatters, mut emotes) = (BTreeSet::new(), BTreeMap::<&str, i64>::new());
        for line in self.lines() {
            *minutes.entry(line.minute).or_default() += 1;
            chatters.insert((line.platform, line.chatter));
            for (id, uses) in &line.emotes {
                *emotes.entry(id).or_default() += uses;
            }
        }
        assert_eq!(session.total_messages, minutes.values().sum::<i64>());
        assert_eq!(session.unique_chatters, Some(chatters.len().try_into().unwrap()));
        assert_eq!(report.messages_per_minute_peak, minutes.into_values().max().unwrap_or(0));
        let mut emotes: Vec<(&str, i64)> = emotes.into_iter().collect();
        emotes.sort_by_key(|(id, uses)| (-uses, *id));
        let found: Vec<(&str, i64)> =
            report.top_emotes.iter().map(|emote| (emote.id.as_str(), emote.count)).collect();
        assert_eq!(found, emotes);
        self.check_viewers(report);
        self.check_events(report);
    }

    fn check_viewers(&self, report: &Report) {
        let mut sums: BTreeMap<i64, i64> = BTreeMap::new();
        for sample in self.samples.iter().filter(|sample| is_inside(sample.minute)) {
            if let Some(viewers) = sample.viewers {
                *sums.entry(sample.minute).or_default() += viewers;
            }
        }
        let (peak, average) = figures(&sums.into_values().collect::<Vec<_>>());
        assert_eq!((report.session.peak_viewers, report.session.avg_viewers), (peak, average));
        assert_eq!(report.streams.len(), self.broadcasts.len());
        for stream in &report.streams {
            let of = self.broadcasts.iter().find(|(platform, ..)| *platform == stream.platform);
            let (platform, from, to) = of.unwrap();
            let own = self.samples.iter().filter(|sample| sample.platform == *platform);
            let on_air = own.filter(|sample| (*from..*to).contains(&sample.minute));
            let viewers: Vec<i64> = on_air.filter_map(|sample| sample.viewers).collect();
            assert_eq!((stream.peak_viewers, stream.avg_viewers), figures(&viewers));
        }
    }

    fn check_events(&self, report: &Report) {
        let mut by_type: BTreeMap<String, i64> = BTreeMap::new();
        let mut tips: BTreeMap<&str, i64> = BTreeMap::new();
        for event in self.events() {
            *by_type.entry(event.event_type.to_owned()).or_default() += 1;
            if let ("streamelements:tip", Some(currency), Some(amount)) =
                (event.event_type, event.currency, event.amount)
            {
                *tips.entry(currency).or_default() += amount;
            }
        }
        let totals = &report.totals;
        assert_eq!(report.events_by_type, by_type);
        assert_eq!(totals.follows, self.of_type("twitch:follower"));
        assert_eq!(totals.subs, self.of_type("twitch:subscribe"));
        assert_eq!(totals.gift_subs, self.amounts("twitch:gift_sub", 1));
        assert_eq!(totals.cheers_bits, self.amounts("twitch:cheer", 0));
        assert_eq!(totals.raids_in, self.of_type("twitch:raid"));
        assert_eq!(totals.raid_viewers, self.amounts("twitch:raid", 0));
        assert_eq!(totals.superchats, self.of_type("youtube:superchat"));
        let found: Vec<(&str, String)> =
            totals.tips.iter().map(|tip| (tip.currency.as_str(), tip.amount.clone())).collect();
        let decimal = |currency: &str, minor: i64| match currency {
            "JPY" => minor.to_string(),
            _ => format!("{}.{:02}", minor / 100, minor % 100),
        };
        let tips: Vec<(&str, String)> =
            tips.into_iter().map(|(currency, minor)| (currency, decimal(currency, minor))).collect();
        assert_eq!(found, tips);
        assert_eq!(report.chart_markers.len(), usize::try_from(self.of_type("twitch:raid")).unwrap());
    }
}

/// Peak, and average with two decimals.
fn figures(numbers: &[i64]) -> (Option<i64>, Option<f64>) {
    let count = i64::try_from(numbers.len()).unwrap();
    let average =
        |sum: i64| f64::from(u32::try_from(sum).unwrap()) / f64::from(u32::try_from(count).unwrap());
    let rounded = |sum| (average(sum) * 100.0).round() / 100.0;
    (numbers.iter().max().copied(), (count > 0).then(|| rounded(numbers.iter().sum())))
}

impl Line {
    fn random(dice: &mut StdRng) -> Self {
        let mut emotes = Vec::new();
        for id in ["25", "30", "425618"] {
            if dice.random_bool(0.3) {
                emotes.push((id, dice.random_range(1..4)));
            }
        }
        Self {
            platform: *PLATFORMS.choose(dice).unwrap(),
            minute: *MINUTES.choose(dice).unwrap(),
            chatter: dice.random_range(1..6),
            emotes,
        }
    }

    fn row(&self, index: usize) -> Value {
        let emote =
            |(id, count): &(&str, i64)| json!({ "id": id, "name": id, "provider": "twitch", "count": count });
        let emotes: Vec<Value> = self.emotes.iter().map(emote).collect();
        let emotes = if emotes.is_empty() { Value::Null } else { Value::Array(emotes) };
        json!([self.platform, self.minute, index, self.chatter, emotes, null])
    }
}

impl Sample {
    fn random(dice: &mut StdRng) -> Self {
        Self {
            platform: *PLATFORMS.choose(dice).unwrap(),
            minute: *MINUTES.choose(dice).unwrap(),
            viewers: dice.random_bool(0.8).then(|| dice.random_range(0..5000)),
        }
    }
}

impl Event {
    fn random(dice: &mut StdRng) -> Self {
        let event_type = *[
            "twitch:follower",
            "twitch:subscribe",
            "twitch:gift_sub",
            "twitch:cheer",
            "twitch:raid",
            "youtube:superchat",
            "streamelements:tip",
            "custom:level_up",
        ]
        .choose(dice)
        .unwrap();
        Self {
            event_type,
            minute: *MINUTES.choose(dice).unwrap(),
            amount: dice.random_bool(0.8).then(|| dice.random_range(0..100_000)),
            currency: [Some("EUR"), Some("JPY"), None].choose(dice).copied().unwrap(),
            is_test: dice.random_bool(0.2),
        }
    }

    fn row(&self, index: usize) -> Value {
        let Self { event_type, minute, amount, currency, is_test } = self;
        json!([event_type, minute * 60, index.to_string(), amount, currency, {}, is_test])
    }
}

#[tokio::test]
async fn report_equals_a_plain_computation_over_random_rows() {
    let stage = Stage::new().await;
    let owner = stage.app.owner().await.account_id;
    let accounts: Vec<Uuid> = (0..CASES).map(|_| shared::id::new()).collect();
    let sql = "INSERT INTO accounts (id, name, slug, owner_id, plan_id)
        SELECT item::uuid, 'Generated', 'generated-' || item, owner_id, plan_id
        FROM accounts, jsonb_array_elements_text($3) AS listed (item) WHERE accounts.id = $1";
    assert_eq!(stage.run(Postgres, sql, owner, json!(accounts)).await, CASES);
    let mut dice = StdRng::seed_from_u64(SEED);
    let mut cases = Vec::with_capacity(CASES);
    for account in accounts {
        let case = Case::random(&mut dice);
        cases.push((case.plant(&stage, account).await.id, case));
    }
    let databases = &stage.app.databases;
    let (mut postgres, mut timeseries) =
        (databases.postgres.get().await.unwrap(), databases.timescaledb.get().await.unwrap());
    let now = stage.app.clock.now();
    for (index, (session, case)) in cases.iter().enumerate() {
        println!("case {index}");
        let readers = (&mut Reader::of(&mut postgres), &mut Reader::of(&mut timeseries));
        let built = report::build(readers.0, readers.1, *session, now).await.unwrap();
        case.check(&built.unwrap());
    }
    drop((postgres, timeseries));
    stage.app.stop().await;
}
