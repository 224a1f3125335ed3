//! Check of the signed address of an archive (reference/archives.md#download).

use api_core::{ApiError, Cx, Result};
use foundation::media_links::{Media, MediaLinks};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

/// Query of a signed address.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SignedAddress {
    /// End of the address, in Unix seconds.
    pub exp: Option<i64>,
    /// Signature, 64 hexadecimal characters.
    #[param(min_length = 64, max_length = 64)]
    pub sig: Option<String>,
}

impl SignedAddress {
    /// Checks signature and age.
    ///
    /// # Errors
    /// 403 for any other signature or an address that has ended.
    pub(super) fn check(&self, cx: &Cx, archive: Uuid) -> Result<()> {
        let links = MediaLinks::new(&cx.state().config);
        let signed = self.exp.zip(self.sig.as_deref());
        let expires = signed
            .filter(|(expires, signature)| {
                links.is_signed(Media::AccountArchive(archive), *expires, signature)
            })
            .map(|(expires, _)| expires)
            .ok_or_else(|| ApiError::forbidden("The address is not signed"))?;
        if expires > cx.state().clock.now().timestamp() {
            return Ok(());
        }
        Err(ApiError::forbidden("The address has ended"))
    }
}
