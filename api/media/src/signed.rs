//! Check of signed addresses (reference/media.md#signed-addresses).

use std::time::Duration;

use api_core::{ApiError, Cx, Result, http::Caching};
use foundation::media_links::{Media, MediaLinks};
use serde::Deserialize;
use utoipa::IntoParams;

/// Query of a signed address.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SignedQuery {
    /// End of the address, in Unix seconds.
    pub exp: Option<i64>,
    /// Signature, 64 hexadecimal characters.
    #[param(min_length = 64, max_length = 64)]
    pub sig: Option<String>,
}

impl SignedQuery {
    /// Checks signature and age. Browsers may keep the content as long as the address is valid.
    ///
    /// # Errors
    /// 403 for any other signature or an address that has ended.
    pub(crate) fn check(&self, cx: &Cx, media: Media) -> Result<Caching> {
        let signed = self.exp.zip(self.sig.as_deref());
        let expires = signed
            .filter(|(expires, signature)| links(cx).is_signed(media, *expires, signature))
            .map(|(expires, _)| expires)
            .ok_or_else(|| ApiError::forbidden("The address is not signed"))?;
        match u64::try_from(expires.saturating_sub(cx.state().clock.now().timestamp())) {
            Ok(left) if left > 0 => Ok(Caching::Browser(Duration::from_secs(left))),
            _ => Err(ApiError::forbidden("The address has ended")),
        }
    }
}

/// Maker of signed addresses of this process.
pub(crate) fn links(cx: &Cx) -> MediaLinks {
    MediaLinks::new(&cx.state().config)
}
