//! Games and categories. The directories name those of live channels; the catalogue adds pictures.

use foundation::lease::Lease;
use platforms::{DirectoryPage, ListedGame};
use shared::{Result, platform::Platform};
use stats_model::games::{self, Game};

use super::may_continue;
use crate::crawler::{PlatformCrawler, budget::Priority, calls::NoAnswer};

/// Maximum number of pages, those with the most viewers first.
const MAX_PAGES: usize = 50;

/// Reads the games of the platform.
pub(super) async fn read(crawler: &PlatformCrawler, lease: &mut Lease) -> Result<(), NoAnswer> {
    let mut after: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let page = page(crawler, after.as_deref()).await?;
        store(crawler, page.items).await?;
        after = page.next;
        if after.is_none() || !may_continue(crawler, lease).await? {
            break;
        }
    }
    Ok(())
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
