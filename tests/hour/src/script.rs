//! The hour minute by minute, and what its report has to show.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use demo::{fields, result};
use platforms_stand_in::{OnAir, Platform, User, kick, twitch};
use serde_json::{Value, json};

use crate::studio::{Event, Studio};

/// Minutes of the hour.
pub const MINUTES: i64 = 60;
/// Minute in which Kick joins.
pub const KICK_FROM: i64 = 10;
/// Minute in which title and category change on both platforms.
const CHANGE: i64 = 30;
/// Minute of the raid, with the number of its viewers.
const RAID: i64 = 40;
const RAIDERS: u32 = 120;
/// Minutes of cheers with their bits.
const CHEERS: [(i64, u32); 3] = [(15, 100), (37, 250), (52, 500)];
/// Minutes of new subscriptions.
const SUBSCRIPTIONS: [i64; 2] = [20, 45];
/// Title and category before the change and after it.
pub const SHOWS: [(&str, &str); 2] =
    [("Any% until it works", "Celeste"), ("Questions and answers", "Just Chatting")];
/// Chatters of each platform. Each of their numbers has no divisor in common with the steps of [`Scene::lines`], so that
/// everybody writes.
const ON_TWITCH: [&str; 14] = [
    "ada", "bruno", "chiyo", "dmitri", "elif", "farah", "goran", "hana", "ines", "jonas", "kofi", "lena",
    "mateo", "noor",
];
const ON_KICK: [&str; 6] = ["otto", "priya", "quinn", "rosa", "sami", "tove"];
const RAIDER: &str = "captain";
/// Lines of chat. Emotes are words of [`EMOTES`].
const LINES: [&str; 12] = [
    "that was close Kappa",
    "first time here, hello",
    "PogChamp PogChamp",
    "what is the record?",
    "LUL again",
    "so calm today",
    "clip that PogChamp",
    "Kappa sure",
    "how long is this room",
    "gg",
    "one more try LUL LUL",
    "good evening from Porto",
];
/// Emotes of Twitch with their ids.
const EMOTES: [(&str, &str); 3] = [("Kappa", "25"), ("LUL", "425618"), ("PogChamp", "305954156")];
/// Lines of chat on Kick, and the emote in them.
const KICK_LINES: [&str; 4] = ["hello Kick", "[emote:37226:KEKW] no way", "nice", "[emote:37226:KEKW]"];
const KICK_EMOTE: (&str, &str) = ("[emote:37226:KEKW]", "37226");

/// Everything that was played.
#[derive(Debug, Default)]
pub struct Tally {
    /// Lines of each minute, both platforms together.
    pub lines: BTreeMap<i64, i64>,
    /// People who wrote, by platform.
    pub chatters: BTreeSet<(Platform, String)>,
    /// Uses of emotes by id.
    pub emotes: BTreeMap<&'static str, i64>,
    /// Viewers of each minute, the sum of the platforms.
    pub viewers: Vec<u64>,
    /// Follows on both platforms.
    pub follows: i64,
    /// New subscriptions.
    pub subs: i64,
    /// Bits of cheers.
    pub bits: i64,
    /// Viewers of raids.
    pub raiders: i64,
    /// Events of every kind.
    events: i64,
}

/// People on the platforms, and what was played so far.
struct Scene<'a> {
    studio: &'a Studio,
    twitch: Vec<User>,
    kick: Vec<User>,
    raider: User,
    tally: Tally,
}

/// Plays the hour until both broadcasts have ended; returns what was played.
///
/// # Errors
/// A delivery that was refused, or a session that is not as it was played.
pub async fn play(studio: &Studio) -> Result<Tally> {
    let mut scene = Scene::new(studio);
    for minute in 0..MINUTES {
        scene.play(minute).await.with_context(|| format!("minute {minute}"))?;
    }
    scene.end().await?;
    Ok(scene.tally)
}

impl<'a> Scene<'a> {
    fn new(studio: &'a Studio) -> Self {
        let platforms = &studio.app.platforms;
        let people = |platform: Platform, names: &[&str]| -> Vec<User> {
            names.iter().map(|name| platforms.create_user(platform, name).0).collect()
        };
        Self {
            studio,
            twitch: people(Platform::Twitch, &ON_TWITCH),
            kick: people(Platform::Kick, &ON_KICK),
            raider: platforms.create_user(Platform::Twitch, RAIDER).0,
            tally: Tally::default(),
        }
    }

    async fn play(&mut self, minute: i64) -> Result<()> {
        let studio = self.studio;
        studio.move_to(minute);
        self.begin(minute).await?;
        let mut events = self.events(minute);
        events.extend(self.lines(minute));
        let on_air = self.on_air(minute);
        self.tally.viewers.push(on_air.iter().map(|live| live.viewers).sum());
        tokio::try_join!(studio.deliver(&events), studio.poll(&on_air))?;
        studio.record().await?;
        if minute == CHANGE { self.show_live().await } else { Ok(()) }
    }

    /// Begins a broadcast in its minute.
    async fn begin(&mut self, minute: i64) -> Result<()> {
        let (studio, started_at) = (self.studio, seconds(self.start_of(minute)));
        let event = match minute {
            0 => {
                let mut online = twitch::Event::stream_online(&studio.twitch);
                online.event["started_at"] = json!(started_at);
                Event::Twitch(online)
            }
            KICK_FROM => {
                let mut online = kick::Event::livestream_status(&studio.kick, true, SHOWS[0].0);
                online.payload["started_at"] = json!(started_at);
                Event::Kick(online)
            }
            _ => return Ok(()),
        };
        let platform = if minute == 0 { "twitch" } else { "kick" };
        result(&format!("minute {minute}: on air"), &json!(platform));
        self.tally.events += 1;
        studio.deliver(&[event]).await
    }

    /// Broadcasts as the lists of the platforms show them.
    fn on_air(&self, minute: i64) -> Vec<OnAir> {
        let studio = self.studio;
        let (title, category) = SHOWS[usize::from(minute >= CHANGE)];
        let live = |platform, channel: &User, viewers, from| OnAir {
            platform,
            id: channel.id.clone(),
            title: title.to_owned(),
            category: category.to_owned(),
            viewers,
            started_at: self.start_of(from),
        };
        let mut on_air = vec![live(Platform::Twitch, &studio.twitch, viewers_on_twitch(minute), 0)];
        if minute >= KICK_FROM {
            on_air.push(live(Platform::Kick, &studio.kick, viewers_on_kick(minute), KICK_FROM));
        }
        on_air
    }

    /// Events of a minute beside the lines of chat.
    fn events(&mut self, minute: i64) -> Vec<Event> {
        let mut events = self.follows(minute);
        let channel = &self.studio.twitch;
        if let Some((_minute, bits)) = CHEERS.into_iter().find(|(at, _)| *at == minute) {
            let cheer =
                twitch::Event::cheer(channel, self.twitch.first(), bits, &format!("Cheer{bits} well done"));
            events.push(Event::Twitch(cheer));
            self.tally.bits += i64::from(bits);
        }
        if SUBSCRIPTIONS.contains(&minute)
            && let Some(subscriber) = nth(&self.twitch, minute)
        {
            events.push(Event::Twitch(twitch::Event::subscribe(channel, subscriber, 1000, false)));
            self.tally.subs += 1;
        }
        if minute == CHANGE {
            events.push(Event::Twitch(update(channel, SHOWS[1])));
        }
        if minute == RAID {
            events.push(Event::Twitch(twitch::Event::raid(&self.raider, channel, RAIDERS)));
            self.tally.raiders += i64::from(RAIDERS);
            result(&format!("minute {minute}: raid with viewers"), &json!(RAIDERS));
        }
        self.tally.events += i64::try_from(events.len()).unwrap_or_default();
        events
    }

    /// Follows of a minute. Everybody follows once.
    fn follows(&mut self, minute: i64) -> Vec<Event> {
        let (studio, mut follows) = (self.studio, Vec::new());
        if minute % 6 == 3
            && let Some(follower) = nth(&self.twitch, minute / 6)
        {
            let mut follow = twitch::Event::follow(&studio.twitch, follower);
            follow.event["followed_at"] = json!(seconds(studio.app.clock.now()));
            follows.push(Event::Twitch(follow));
        }
        if minute >= KICK_FROM
            && minute % 12 == 11
            && let Some(follower) = nth(&self.kick, minute / 12)
        {
            follows.push(Event::Kick(kick::Event::follow(&studio.kick, follower)));
        }
        self.tally.follows += i64::try_from(follows.len()).unwrap_or_default();
        follows
    }

    /// Lines of a minute: more when there are more viewers.
    fn lines(&mut self, minute: i64) -> Vec<Event> {
        let count = 2 + i64::try_from(viewers_on_twitch(minute)).unwrap_or_default() / 120;
        let on_twitch = (0..count).filter_map(|n| {
            let chatter = nth(&self.twitch, minute * 5 + n * 3)?;
            Some((chatter.clone(), *nth(&LINES, minute * 7 + n * 5)?))
        });
        let count = if minute < KICK_FROM { 0 } else { 1 + i64::from(minute % 3 == 0) };
        let on_kick = (0..count).filter_map(|n| {
            let chatter = nth(&self.kick, minute * 5 + n)?;
            Some((chatter.clone(), *nth(&KICK_LINES, minute + n)?))
        });
        let lines: Vec<(User, &'static str)> = on_twitch.chain(on_kick).collect();
        lines.into_iter().map(|(chatter, text)| self.line(minute, &chatter, text)).collect()
    }

    /// A line of chat.
    fn line(&mut self, minute: i64, chatter: &User, text: &'static str) -> Event {
        *self.tally.lines.entry(minute).or_default() += 1;
        self.tally.chatters.insert((chatter.platform, chatter.id.clone()));
        for (_name, id) in text.split(' ').filter_map(emote) {
            *self.tally.emotes.entry(id).or_default() += 1;
        }
        if chatter.platform == Platform::Kick {
            let mut line = kick::Event::chat_message(&self.studio.kick, chatter, text);
            line.payload["created_at"] = json!(seconds(self.studio.app.clock.now()));
            return Event::Kick(line);
        }
        let mut line = twitch::Event::chat_message(&self.studio.twitch, chatter, text);
        line.event["message"]["fragments"] = fragments(text);
        Event::Twitch(line)
    }

    /// Shows the session while it is live.
    async fn show_live(&self) -> Result<()> {
        let session = self.studio.session().await?;
        ensure!(session["is_live"] == true, "the session is not live: {session}");
        ensure!(session["session_type"] == "multi", "the session has one platform: {session}");
        ensure!(session["total_messages"].as_i64() > Some(0), "no line was counted: {session}");
        let names = ["is_live", "session_type", "title", "total_messages", "peak_viewers"];
        result(&format!("minute {CHANGE}: GET /v1/history"), &fields(&session, &names));
        Ok(())
    }

    /// Ends both broadcasts, and waits until everything is stored.
    async fn end(&mut self) -> Result<()> {
        let studio = self.studio;
        studio.move_to(MINUTES);
        for channel in [&studio.twitch, &studio.kick] {
            studio.app.platforms.go_off_air(channel.platform, &channel.id);
        }
        let mut offline = kick::Event::livestream_status(&studio.kick, false, SHOWS[1].0);
        offline.payload["started_at"] = json!(seconds(self.start_of(KICK_FROM)));
        offline.payload["ended_at"] = json!(seconds(studio.app.clock.now()));
        let events = [Event::Twitch(twitch::Event::stream_offline(&studio.twitch)), Event::Kick(offline)];
        studio.deliver(&events).await?;
        self.tally.events += 2;
        studio.until_stored(self.tally.total_lines() + self.tally.events).await?;
        studio.record().await?;
        let Tally { follows, bits, .. } = self.tally;
        result(
            &format!("minute {MINUTES}: both ended; played"),
            &json!({ "lines": self.tally.total_lines(), "chatters": self.tally.chatters.len(), "follows": follows,
                     "bits": bits }),
        );
        Ok(())
    }

    fn start_of(&self, minute: i64) -> DateTime<Utc> {
        self.studio.start + TimeDelta::minutes(minute)
    }
}

impl Tally {
    /// Lines of the hour.
    pub fn total_lines(&self) -> i64 {
        self.lines.values().sum()
    }

    /// Largest number of lines in one minute.
    pub fn peak_lines(&self) -> i64 {
        self.lines.values().copied().max().unwrap_or_default()
    }

    /// Largest number of viewers in one minute.
    pub fn peak_viewers(&self) -> u64 {
        self.viewers.iter().copied().max().unwrap_or_default()
    }

    /// Average number of viewers, with two decimals.
    pub fn avg_viewers(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "numbers of an hour")]
        let average = self.viewers.iter().sum::<u64>() as f64 / self.viewers.len() as f64;
        (average * 100.0).round() / 100.0
    }
}

/// Viewers on Twitch: they rise, fall, and a raid brings some.
fn viewers_on_twitch(minute: i64) -> u64 {
    let raiders = if minute < RAID { 0 } else { i64::from(RAIDERS) - 4 * (minute - RAID) };
    let viewers = 60 + 2 * minute * (MINUTES - minute) / 5 + minute * 7 % 11 + raiders;
    u64::try_from(viewers).unwrap_or_default()
}

/// Viewers on Kick: they rise and fall.
fn viewers_on_kick(minute: i64) -> u64 {
    let viewers = 15 + (minute - KICK_FROM) * (MINUTES - minute) / 10 + minute * 5 % 7;
    u64::try_from(viewers).unwrap_or_default()
}

/// Entry of a list that begins again at its end.
fn nth<T>(items: &[T], at: i64) -> Option<&T> {
    items.iter().cycle().nth(usize::try_from(at).ok()?)
}

/// Emote that a word is, with its id.
fn emote(word: &str) -> Option<(&'static str, &'static str)> {
    EMOTES.into_iter().chain([KICK_EMOTE]).find(|(name, _)| *name == word)
}

/// Text and emotes of a line in the form of Twitch.
fn fragments(text: &str) -> Value {
    let plain = |text: &str| json!({ "type": "text", "text": text });
    let mut fragments = Vec::new();
    for part in text.split_inclusive(' ') {
        let word = part.trim_end();
        let Some((name, id)) = emote(word) else {
            fragments.push(plain(part));
            continue;
        };
        let of_platform = json!({ "id": id, "emote_set_id": "0", "owner_id": "0", "format": ["static"] });
        fragments.push(json!({ "type": "emote", "text": name, "emote": of_platform }));
        if part.len() > word.len() {
            fragments.push(plain(" "));
        }
    }
    json!(fragments)
}

/// Another title and category.
fn update(channel: &User, (title, category): (&str, &str)) -> twitch::Event {
    twitch::Event {
        subscription_type: "channel.update",
        version: "2",
        condition: json!({ "broadcaster_user_id": channel.id }),
        event: json!({
            "broadcaster_user_id": channel.id, "broadcaster_user_login": channel.login,
            "broadcaster_user_name": channel.display_name, "title": title, "language": "en", "category_id": "509658",
            "category_name": category, "content_classification_labels": [],
        }),
    }
}

fn seconds(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
