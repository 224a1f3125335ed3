//! Uses of emotes and animated pictures. One scan of the lines that have any.

use std::{collections::HashMap, ops::Range};

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Int4, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

use super::{
    EmoteCount, GifCount, MAX_TOP,
    time::{Parts, Window},
};

/// Rows of the statement, those with the largest counts.
const MAX_ROWS: i64 = 200_000;
/// Longest id of an emote whose address is made from it.
const MAX_ID_LENGTH: usize = 64;

/// Uses by platform and part. Lines with the same emotes are counted before the emotes are unpacked: most lines repeat each other.
pub const USES: &str = "
    WITH used AS (
        SELECT platform, width_bucket(minute, $4) AS part, emotes, gifs, count(*) AS lines FROM stream_lines
        WHERE account_id = $1 AND minute >= $2 AND minute < $3 AND (emotes IS NOT NULL OR gifs IS NOT NULL)
        GROUP BY platform, part, emotes, gifs
    )
    SELECT used.platform, used.part, item.is_gif, item.provider, item.id, min(item.name) AS name,
        min(item.url) AS url, min(item.alt) AS alt, sum(used.lines * item.uses)::bigint AS uses
    FROM used CROSS JOIN LATERAL (
        SELECT false AS is_gif, emote.provider, emote.id, emote.name, NULL::text AS url, NULL::text AS alt,
            emote.count AS uses
        FROM jsonb_to_recordset(coalesce(used.emotes, '[]'))
            AS emote (id text, name text, provider text, count bigint)
        UNION ALL
        SELECT true, gif.provider, gif.id, NULL, gif.url, gif.alt, gif.count
        FROM jsonb_to_recordset(coalesce(used.gifs, '[]'))
            AS gif (id text, url text, provider text, alt text, count bigint)
    ) AS item
    WHERE item.provider IS NOT NULL AND item.id IS NOT NULL AND item.uses > 0
    GROUP BY used.platform, used.part, item.is_gif, item.provider, item.id
    ORDER BY uses DESC, used.platform, used.part, item.is_gif, item.provider, item.id LIMIT $5";

/// Uses of one emote or picture on a platform in a part of the session's time.
#[derive(Debug, QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Int4)]
    part: i32,
    #[diesel(sql_type = Bool)]
    is_gif: bool,
    #[diesel(sql_type = Text)]
    provider: String,
    #[diesel(sql_type = Text)]
    id: String,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    url: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    alt: Option<String>,
    #[diesel(sql_type = BigInt)]
    uses: i64,
}

/// Uses by platform and part.
#[derive(Debug, Default)]
pub(super) struct Uses(Vec<Row>);

/// Emotes and pictures of a span of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Counted {
    /// Every emote by use.
    pub emotes: Vec<EmoteCount>,
    /// Every picture by use.
    pub gifs: Vec<GifCount>,
}

impl Counted {
    /// Uses of all emotes.
    pub fn emote_count(&self) -> i64 {
        self.emotes.iter().map(|emote| emote.count).sum()
    }

    /// Uses of all pictures.
    pub fn gif_count(&self) -> i64 {
        self.gifs.iter().map(|gif| gif.count).sum()
    }

    /// Emotes with the most uses.
    pub fn top_emotes(&self) -> Vec<EmoteCount> {
        self.emotes.iter().take(MAX_TOP).cloned().collect()
    }

    /// Pictures with the most uses.
    pub fn top_gifs(&self) -> Vec<GifCount> {
        self.gifs.iter().take(MAX_TOP).cloned().collect()
    }
}

impl Uses {
    /// Uses in some parts, on one platform or on all.
    pub fn counted(&self, parts: &Range<i32>, platform: Option<&str>) -> Counted {
        let (mut emotes, mut gifs) = (HashMap::new(), HashMap::new());
        let is_counted = |row: &&Row| {
            parts.contains(&row.part) && platform.is_none_or(|platform| row.platform == platform)
        };
        for row in self.0.iter().filter(is_counted) {
            let key = (row.provider.as_str(), row.id.as_str());
            if row.is_gif {
                gifs.entry(key).or_insert_with(|| row.gif()).count += row.uses;
            } else {
                emotes.entry(key).or_insert_with(|| row.emote()).count += row.uses;
            }
        }
        let mut counted =
            Counted { emotes: emotes.into_values().collect(), gifs: gifs.into_values().collect() };
        counted.emotes.sort_unstable_by(|one, other| {
            (other.count, &one.provider, &one.id).cmp(&(one.count, &other.provider, &other.id))
        });
        counted.gifs.sort_unstable_by(|one, other| {
            (other.count, &one.provider, &one.id).cmp(&(one.count, &other.provider, &other.id))
        });
        counted
    }
}

impl Row {
    fn emote(&self) -> EmoteCount {
        EmoteCount {
            id: self.id.clone(),
            name: self.name.clone().unwrap_or_else(|| self.id.clone()),
            provider: self.provider.clone(),
            url: emote_url(&self.provider, &self.id),
            count: 0,
        }
    }

    fn gif(&self) -> GifCount {
        GifCount {
            id: self.id.clone(),
            url: self.url.clone().unwrap_or_default(),
            provider: self.provider.clone(),
            alt: self.alt.clone(),
            count: 0,
        }
    }
}

/// Address of the picture of an emote, of providers whose addresses follow from the id.
fn emote_url(provider: &str, id: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if id.is_empty() || id.len() > MAX_ID_LENGTH || !id.bytes().all(is_plain) {
        return None;
    }
    Some(match provider {
        "twitch" => format!("https://static-cdn.jtvnw.net/emoticons/v2/{id}/default/dark/2.0"),
        "kick" => format!("https://files.kick.com/emotes/{id}/fullsize"),
        "7tv" => format!("https://cdn.7tv.app/emote/{id}/2x.webp"),
        "bttv" => format!("https://cdn.betterttv.net/emote/{id}/2x"),
        "ffz" => format!("https://cdn.frankerfacez.com/emote/{id}/2"),
        _ => return None,
    })
}

/// Counts the uses in a window by platform and part.
pub(super) async fn read(
    timeseries: &mut AsyncPgConnection,
    account: Uuid,
    window: Window,
    parts: &Parts,
) -> Result<Uses> {
    let rows = sql_query(USES)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(window.from)
        .bind::<Timestamptz, _>(window.to)
        .bind::<Array<Timestamptz>, &[DateTime<Utc>]>(parts.bounds())
        .bind::<BigInt, _>(MAX_ROWS)
        .prepared()
        .load(timeseries)
        .await?;
    Ok(Uses(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(platform: &str, part: i32, provider: &str, id: &str, uses: i64) -> Row {
        let (platform, provider, id) = (platform.to_owned(), provider.to_owned(), id.to_owned());
        Row { platform, part, is_gif: false, provider, id, name: None, url: None, alt: None, uses }
    }

    #[test]
    fn counted_sums_parts_and_platforms_in_the_order_of_uses() {
        let uses = Uses(vec![
            row("twitch", 1, "twitch", "a", 3),
            row("twitch", 2, "twitch", "a", 4),
            row("kick", 1, "kick", "a", 5),
            row("kick", 1, "twitch", "b", 5),
        ]);
        let found = |parts, platform| -> Vec<(String, String, i64)> {
            let emotes = uses.counted(&parts, platform).emotes.into_iter();
            emotes.map(|emote| (emote.provider, emote.id, emote.count)).collect()
        };
        let of = |provider: &str, id: &str, count| (provider.to_owned(), id.to_owned(), count);
        assert_eq!(found(1..3, None), [of("twitch", "a", 7), of("kick", "a", 5), of("twitch", "b", 5)]);
        assert_eq!(found(1..2, Some("twitch")), [of("twitch", "a", 3)]);
        assert_eq!(uses.counted(&(1..3), None).emote_count(), 17);
    }

    #[test]
    fn emote_url_is_made_of_plain_ids_of_known_providers() {
        let url = "https://static-cdn.jtvnw.net/emoticons/v2/25/default/dark/2.0";
        assert_eq!(emote_url("twitch", "25").as_deref(), Some(url));
        for (provider, id) in [("twitch", "../x"), ("twitch", ""), ("youtube", "UCx/abc"), ("trovo", "25")] {
            assert_eq!(emote_url(provider, id), None, "{provider} {id}");
        }
    }
}
