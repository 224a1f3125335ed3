//! Revocations of an authorisation, as a platform reports them.

use platform_credentials::tokens::GrantRevocation;
use shared::Result;

use super::delivery_context::DeliveryContext;
use crate::PlatformContext;

/// Records the revocation for every account of the channel.
pub(super) async fn record(context: &PlatformContext, delivery_context: &DeliveryContext<'_>) -> Result<()> {
    let subscription = &delivery_context.delivery.body["subscription"];
    let revocation = GrantRevocation {
        at: delivery_context.sent_at(),
        client_id: subscription["condition"]["client_id"].as_str(),
        subscription_id: subscription["id"].as_str(),
    };
    for account in delivery_context.accounts {
        context.tokens.revoked(account.account_id, delivery_context.platform, revocation).await?;
    }
    Ok(())
}
