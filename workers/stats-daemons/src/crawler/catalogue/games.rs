//! Games and categories. The directories name those of live channels; the catalogue adds pictures.

use platforms::{DirectoryPage, ListedGame};
use shared::{Result, platform::Platform};
use stats_model::games::{self, Game};

use super::Reading;
use crate::crawler::{PlatformCrawler, budget::Priority, calls::NoAnswer};

/// Maximum number of pages, those with the most viewers first.
const MAX_PAGES: usize = 50;

/// Reads the games of the platform; false when the reading was interrupted.
pub(super) async fn read(reading: &mut Reading<'_>) -> Result<bool, NoAnswer> {
    while !reading.position.are_games_read {
        if !reading.may_continue().await? {
            return Ok(false);
        }
        let after = reading.position.games_after.clone();
        let page = match page(reading.crawler, after.as_deref()).await {
            Ok(page) => Some(page),
            // The platform has given up the position: the list is read from its beginning.
            Err(NoAnswer::Refused(_)) if after.is_some() => None,
            Err(error) => return Err(error),
        };
        let is_refused = page.is_none();
        let (games, next) = page.map_or_else(Default::default, |page| (page.items, page.next));
        store(reading.crawler, games).await?;
        let position = &mut reading.position;
        position.pages += 1;
        // A position that leads to itself would be read for ever.
        let is_last = !is_refused && (next.is_none() || next == after);
        position.are_games_read = is_last || position.pages >= MAX_PAGES;
        position.games_after = next;
        reading.save().await?;
    }
    Ok(true)
}

async fn page(crawler: &PlatformCrawler, after: Option<&str>) -> Result<DirectoryPage<ListedGame>, NoAnswer> {
    let (platforms, calls) = (&crawler.context.platforms, &crawler.calls);
    match crawler.platform {
        Platform::Twitch => {
            let client = platforms.twitch();
            let page = calls.call(Priority::Background, |access| async move {
                client.top_games(&access.client_id, &access.token, after).await
            });
            page.await
        }
        Platform::Kick => {
            let client = platforms.kick();
            let page = calls.call(Priority::Background, |access| async move {
                client.categories_page(&access.token, after).await
            });
            page.await
        }
        Platform::Trovo => {
            let client = platforms.trovo();
            let games = calls.call(Priority::Background, |access| async move {
                client.categories(&access.client_id).await
            });
            Ok(DirectoryPage { items: games.await?, next: None })
        }
        _ => {
            let client = platforms.youtube();
            let games = calls
                .call(Priority::Background, |access| async move { client.categories(&access.token).await });
            Ok(DirectoryPage { items: games.await?, next: None })
        }
    }
}

async fn store(crawler: &PlatformCrawler, listed: Vec<ListedGame>) -> Result<()> {
    let game = |game: ListedGame| Game {
        platform: crawler.platform,
        game_id: game.id,
        name: game.name,
        box_art_url: game.box_art_url,
    };
    let games: Vec<Game> = listed.into_iter().map(game).collect();
    let mut connection = crawler.context.databases.postgres.get().await?;
    games::catalogue(&mut connection, &games, crawler.context.clock.now()).await
}
