//! Personal data of a verification, sealed as one value for its row (reference/programme.md#sealed-data).

use api_core::{ApiError, Result};
use foundation::crypto::{Keyring, SecretLocation, row};
use serde::{Deserialize, Serialize};
use shared::secret::Secret;
use uuid::Uuid;

/// Data of a verification. It has no `Debug`, so that it is in no log.
#[derive(Serialize, Deserialize)]
pub(super) struct Details {
    /// Legal name.
    pub legal_name: String,
    /// Name of the company.
    pub company_name: Option<String>,
    /// First line of the address.
    pub address_line1: String,
    /// Second line of the address.
    pub address_line2: Option<String>,
    /// Postal code.
    pub postal_code: String,
    /// City.
    pub city: String,
    /// Code of the country.
    pub country: String,
    /// Tax id.
    pub tax_id: Option<String>,
    /// Id in the trade register.
    pub trade_register_id: Option<String>,
}

impl Details {
    /// Encrypts the data for the row.
    ///
    /// # Errors
    /// A failure of the cipher.
    pub(super) fn seal(&self, keyring: &Keyring, id: Uuid) -> Result<Vec<u8>> {
        let text = serde_json::to_string(self).map_err(ApiError::internal)?;
        Ok(keyring.seal(place(&row(id)), &Secret::new(text))?)
    }

    /// Decrypts the data of the row.
    ///
    /// # Errors
    /// 500 when no configured key opens it for this row.
    pub(super) fn open(keyring: &Keyring, id: Uuid, sealed: &[u8]) -> Result<Self> {
        let text = keyring.open(place(&row(id)), sealed)?;
        // The cause may quote the data.
        serde_json::from_str(text.expose())
            .map_err(|_error| ApiError::internal("the data of a developer verification is malformed"))
    }
}

const fn place(row: &str) -> SecretLocation<'_> {
    SecretLocation { table: "developer_verifications", column: "details", row }
}
