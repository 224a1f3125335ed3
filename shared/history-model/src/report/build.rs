//! Builder of a report: one statement for each part, one snapshot of each database.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use diesel::sql_query;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Reader;
use shared::Result;
use uuid::Uuid;

use super::{
    ChartMarker, Chatter, EmoteCount, GifCount, Moderation, Report, SessionRow, Stream, changes, chatters,
    chatters::List,
    events::{self, Events},
    head::{self, Broadcast, Head},
    lines::{self, Lines},
    moderation,
    time::{Parts, Window},
    uses::{self, Uses},
    viewers::{self, Viewers},
};

/// Settings of the statements: room to count people and emotes without sorting the lines, and no compilation of
/// statements that run once.
const SETTINGS: &str = "SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)";
/// Limit of one statement while a report is made to be stored. The longest session with a line in every
/// hundredth of a second takes a part of it.
const STATEMENT_TIMEOUT: &str = "SET LOCAL statement_timeout = '120s'";
/// Age up to which the lines of a day are complete: less than they are kept.
const MAX_DAY_AGE: TimeDelta = TimeDelta::days(8);
/// Markers of one report, the earliest.
const MAX_MARKERS: usize = 2000;

/// Report of an ended session, with the figures that are stored beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// Account of the session.
    pub account_id: Uuid,
    /// The report.
    pub report: Report,
    /// Figures of the broadcasts, in the order of [`Report::streams`].
    pub streams: Vec<StreamFigures>,
    /// Uses of emotes on the days of the session, whole days, in the chats of its channels.
    pub emote_days: Vec<EmoteDay>,
    /// True when chat of the session may have been deleted for its age: then the people of an earlier report
    /// are more complete.
    pub is_chat_expiring: bool,
    /// True when the account stores who wrote: else reports and streams name no one.
    pub lists_people: bool,
}

/// Figures of one broadcast beside those of [`Stream`].
#[derive(Debug, Clone, PartialEq)]
pub struct StreamFigures {
    /// Id of the row.
    pub id: Uuid,
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// Chat lines.
    pub total_messages: i64,
    /// Uses of emotes.
    pub emote_count: i64,
    /// Emotes by use.
    pub top_emotes: Vec<EmoteCount>,
    /// Uses of animated pictures.
    pub gif_count: i64,
    /// Animated pictures by use.
    pub top_gifs: Vec<GifCount>,
    /// People with the largest numbers of stored lines.
    pub top_chatters: Vec<Chatter>,
}

/// Uses of emotes in a channel on a day.
#[derive(Debug, Clone, PartialEq)]
pub struct EmoteDay {
    /// Platform.
    pub platform: String,
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// Day in UTC.
    pub day: NaiveDate,
    /// Emotes by use.
    pub emotes: Vec<EmoteCount>,
}

/// Extent of what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The report.
    Report,
    /// The report, the figures of each broadcast, and whole days of emotes.
    Everything,
}

/// Everything that the time-series database knows about a session.
struct Counts {
    lines: Lines,
    uses: Uses,
    viewers: Viewers,
    events: Events,
    moderation: Moderation,
    /// People of the session, then those of each broadcast.
    chatters: Vec<Vec<Chatter>>,
}

/// Session and the division of its time.
struct Plan {
    head: Head,
    window: Window,
    /// Minutes of each broadcast.
    streams: Vec<Window>,
    /// Days whose emotes are counted whole.
    days: Vec<Window>,
    parts: Parts,
}

/// Builds the report of a session as far as it is known, without storing it. `None` when there is no such
/// session. The caller has checked that the session belongs to its account. Neither connection may be in a
/// transaction.
///
/// # Errors
/// A failure of a database.
pub async fn build(
    postgres: &mut Reader<'_>,
    timeseries: &mut Reader<'_>,
    session: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Report>> {
    Ok(gather(postgres, timeseries, session, now, Extent::Report).await?.map(|made| made.report))
}

/// Makes the report of a session with everything that is stored beside it. `None` when there is no such
/// session. Neither connection may be in a transaction.
///
/// # Errors
/// A failure of a database.
pub async fn make(
    postgres: &mut AsyncPgConnection,
    timeseries: &mut AsyncPgConnection,
    session: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Made>> {
    let (mut postgres, mut timeseries) = (Reader::of(postgres), Reader::of(timeseries));
    gather(&mut postgres, &mut timeseries, session, now, Extent::Everything).await
}

async fn gather(
    postgres: &mut Reader<'_>,
    timeseries: &mut Reader<'_>,
    session: Uuid,
    now: DateTime<Utc>,
    extent: Extent,
) -> Result<Option<Made>> {
    let head = postgres.snapshot().run(async |connection| head::read(connection, session, now).await).await?;
    let Some(head) = head else { return Ok(None) };
    let plan = Plan::of(head, now, extent);
    let counts =
        timeseries.snapshot().run(async |connection| counts(connection, &plan, extent).await).await?;
    Ok(Some(plan.made(session, now, counts)))
}

async fn counts(timeseries: &mut AsyncPgConnection, plan: &Plan, extent: Extent) -> Result<Counts> {
    sql_query(SETTINGS).execute(timeseries).await?;
    if extent == Extent::Everything {
        sql_query(STATEMENT_TIMEOUT).execute(timeseries).await?;
    }
    let (account, window, parts) = (plan.head.session.account_id, plan.window, &plan.parts);
    Ok(Counts {
        lines: lines::read(timeseries, account, window).await?,
        uses: uses::read(timeseries, account, plan.window_of_uses(), parts).await?,
        viewers: viewers::read(timeseries, account, window).await?,
        events: events::read(timeseries, account, window).await?,
        moderation: moderation::read(timeseries, account, window).await?,
        chatters: if plan.head.session.lists_people() {
            chatters::read(timeseries, account, window, parts, &plan.lists(extent)).await?
        } else {
            Vec::new()
        },
    })
}

impl Plan {
    fn of(head: Head, now: DateTime<Utc>, extent: Extent) -> Self {
        let window = head.session.window(now);
        let streams: Vec<Window> = head
            .broadcasts
            .iter()
            .map(|broadcast| window.minutes_of(broadcast.started_at, broadcast.ended_at))
            .collect();
        let days = if extent == Extent::Everything { window.days() } else { Vec::new() };
        let parts = Parts::between(streams.iter().chain(&days).copied().chain([window]));
        Self { head, window, streams, days, parts }
    }

    fn window_of_uses(&self) -> Window {
        match (self.days.as_slice().first(), self.days.as_slice().last()) {
            (Some(first), Some(last)) => Window::new(first.from, last.to),
            _ => self.window,
        }
    }

    /// Lists of people: of the session, and of each broadcast.
    fn lists(&self, extent: Extent) -> Vec<List<'_>> {
        let mut lists = vec![List { platform: None, parts: self.parts.of(self.window) }];
        if extent == Extent::Everything {
            lists.extend(self.head.broadcasts.iter().zip(&self.streams).map(|(broadcast, window)| List {
                platform: Some(&broadcast.platform),
                parts: self.parts.of(*window),
            }));
        }
        lists
    }

    fn made(self, session_id: Uuid, now: DateTime<Utc>, mut counts: Counts) -> Made {
        let mut chatters = std::mem::take(&mut counts.chatters).into_iter();
        let top_chatters = chatters.next().unwrap_or_default();
        let streams = self.stream_figures(&counts, chatters);
        let emote_days = self.emote_days(&counts.uses, now);
        let session = self.session_row(session_id, &counts);
        let used = counts.uses.counted(&self.parts.of(self.window), None);
        let until = self.head.session.ended_at.unwrap_or(now);
        let report = Report {
            session,
            streams: self.streams(&counts.viewers),
            categories: changes::category_spans(&self.head.broadcasts, &self.head.changes, until),
            totals: counts.events.totals,
            messages_per_minute_peak: counts.lines.peak(),
            top_chatters,
            top_emotes: used.top_emotes(),
            top_gifs: used.top_gifs(),
            moderation: counts.moderation,
            music: counts.events.music,
            chart_markers: chart_markers(&self.head, self.window, counts.events.markers),
            events_by_type: counts.events.by_type,
        };
        let session = &self.head.session;
        Made {
            account_id: session.account_id,
            report,
            streams,
            emote_days,
            is_chat_expiring: session.is_chat_expiring(now),
            lists_people: session.lists_people(),
        }
    }

    fn session_row(&self, id: Uuid, counts: &Counts) -> SessionRow {
        let (session, viewers) = (&self.head.session, counts.viewers.of_session());
        SessionRow {
            id,
            session_type: session.session_type.clone(),
            platforms: session.platforms.clone(),
            title: session.title.clone(),
            category: session.category.clone(),
            started_at: session.started_at,
            ended_at: session.ended_at,
            duration_secs: session.ended_at.map(|end| (end - session.started_at).num_seconds().max(0)),
            peak_viewers: viewers.peak,
            avg_viewers: viewers.average,
            total_messages: counts.lines.total(),
            unique_chatters: Some(counts.lines.chatters),
            new_followers: Some(counts.events.totals.follows),
            new_subscribers: Some(counts.events.totals.subs),
            is_live: session.ended_at.is_none(),
        }
    }

    fn streams(&self, viewers: &Viewers) -> Vec<Stream> {
        let of = |(broadcast, window): (&Broadcast, &Window)| {
            let figures = viewers.within(&broadcast.platform, *window);
            Stream {
                platform: broadcast.platform.clone(),
                broadcast_id: broadcast.broadcast_id.clone(),
                title: broadcast.title.clone(),
                category: broadcast.category.clone(),
                started_at: broadcast.started_at,
                ended_at: broadcast.ended_at,
                peak_viewers: figures.peak,
                avg_viewers: figures.average,
            }
        };
        self.head.broadcasts.iter().zip(&self.streams).map(of).collect()
    }

    fn stream_figures(
        &self,
        counts: &Counts,
        mut chatters: impl Iterator<Item = Vec<Chatter>>,
    ) -> Vec<StreamFigures> {
        if self.days.is_empty() {
            return Vec::new();
        }
        let of = |(broadcast, window): (&Broadcast, &Window)| {
            let platform = broadcast.platform.as_str();
            let used = counts.uses.counted(&self.parts.of(*window), Some(platform));
            StreamFigures {
                id: broadcast.id,
                platform_channel_id: broadcast.platform_channel_id.clone(),
                total_messages: counts.lines.within(platform, *window),
                emote_count: used.emote_count(),
                top_emotes: used.top_emotes(),
                gif_count: used.gif_count(),
                top_gifs: used.top_gifs(),
                top_chatters: chatters.next().unwrap_or_default(),
            }
        };
        self.head.broadcasts.iter().zip(&self.streams).map(of).collect()
    }

    /// Emotes of each day in the channel of each platform: that of the latest broadcast.
    fn emote_days(&self, uses: &Uses, now: DateTime<Utc>) -> Vec<EmoteDay> {
        let channels: BTreeMap<&str, &str> = self
            .head
            .broadcasts
            .iter()
            .map(|broadcast| (broadcast.platform.as_str(), broadcast.platform_channel_id.as_str()))
            .collect();
        let of_day = |day: &Window| -> Vec<EmoteDay> {
            let of_channel = |(platform, channel): (&&str, &&str)| EmoteDay {
                platform: (*platform).to_owned(),
                platform_channel_id: (*channel).to_owned(),
                day: day.from.date_naive(),
                emotes: uses.counted(&self.parts.of(*day), Some(platform)).emotes,
            };
            channels.iter().map(of_channel).collect()
        };
        self.days.iter().filter(|day| now - day.from <= MAX_DAY_AGE).flat_map(of_day).collect()
    }
}

fn chart_markers(head: &Head, window: Window, of_events: Vec<ChartMarker>) -> Vec<ChartMarker> {
    let mut markers = of_events;
    markers.extend(head.clips.iter().cloned());
    markers.extend(changes::markers(&head.changes).into_iter().filter(|marker| window.has(marker.at)));
    markers.sort_by(|one, other| (one.at, one.kind, &one.label).cmp(&(other.at, other.kind, &other.label)));
    markers.truncate(MAX_MARKERS);
    markers
}
