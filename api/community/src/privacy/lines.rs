//! Erasure of the keys under which counts know a person (reference/privacy.md#databases). Lines, bans and
//! time-outs stay counted; the key becomes a random one.

use api_core::{Result, State, access::SystemReason};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use history_model::{
    minutes::{ForgottenLines, forget_chatter},
    report::forget_moderated,
};
use shared::schema::accounts;
use uuid::Uuid;

use super::{Identity, tables::Erased};

/// Accounts of one page.
const ACCOUNT_BATCH_SIZE: i64 = 1000;

/// Replaces the keys of the person in every account: an account that stores no chat has no other row that
/// names the person.
pub(super) async fn forget(state: &State, identity: &Identity, erased: &mut Erased) -> Result<()> {
    let mut after = Uuid::nil();
    loop {
        let page: Vec<Uuid> = accounts::table
            .filter(accounts::id.gt(after))
            .order(accounts::id)
            .limit(ACCOUNT_BATCH_SIZE)
            .select(accounts::id)
            .load(&mut *state.system(SystemReason::PrivacyErasure).db().await?)
            .await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = *last;
        forget_in(state, identity, &page, erased).await?;
    }
}

async fn forget_in(state: &State, identity: &Identity, of: &[Uuid], erased: &mut Erased) -> Result<()> {
    let (platform, user_id) = (identity.platform.slug(), identity.user_id.as_str());
    let mut timeseries = state.system(SystemReason::PrivacyErasure).timeseries().await?;
    let lines = forget_chatter(&mut timeseries, platform, user_id, of, state.clock.now()).await?;
    for ForgottenLines { account_id, rows } in lines {
        erased.add("stream_lines", Some(account_id), rows);
    }
    forget_moderated(&mut timeseries, platform, user_id, of).await?;
    Ok(())
}
