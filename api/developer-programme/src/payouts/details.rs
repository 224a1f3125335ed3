//! Accounts that a developer or team is paid to, sealed as one value for it (reference/programme.md#sealed-data).

use api_core::{ApiError, Result};
use foundation::crypto::Keyring;
use serde::{Deserialize, Serialize};
use shared::secret::Secret;

use super::{method::DeveloperPayoutMethod, payee::Payee};

/// Accounts of a payee. It has no `Debug`, so that it is in no log.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Details {
    /// Id of the connected account.
    pub payment_connect_id: Option<String>,
    /// E-mail address of the wallet.
    pub paypal_style_email: Option<String>,
    /// IBAN.
    pub bank_iban: Option<String>,
    /// BIC.
    pub bank_bic: Option<String>,
    /// Name of the bank.
    pub bank_name: Option<String>,
}

impl Details {
    /// Checks that the account of a method is given.
    ///
    /// # Errors
    /// 400 that names the missing field.
    pub(super) fn check_for(&self, method: DeveloperPayoutMethod) -> Result<()> {
        let (field, given) = match method {
            DeveloperPayoutMethod::Connect => ("payment_connect_id", &self.payment_connect_id),
            DeveloperPayoutMethod::PaypalStyle => ("paypal_style_email", &self.paypal_style_email),
            DeveloperPayoutMethod::Bank => ("bank_iban", &self.bank_iban),
        };
        if given.is_some() {
            return Ok(());
        }
        Err(ApiError::invalid(format!("Missing field: {field}")))
    }

    /// Encrypts the accounts for the payee.
    ///
    /// # Errors
    /// A failure of the cipher.
    pub(super) fn seal(&self, keyring: &Keyring, payee: &Payee) -> Result<Vec<u8>> {
        let text = serde_json::to_string(self).map_err(ApiError::internal)?;
        Ok(keyring.seal(payee.place(&payee.row()), &Secret::new(text))?)
    }

    /// Decrypts the accounts of the payee.
    ///
    /// # Errors
    /// 500 when no configured key opens it for this payee.
    pub(super) fn open(keyring: &Keyring, payee: &Payee, sealed: &[u8]) -> Result<Self> {
        let text = keyring.open(payee.place(&payee.row()), sealed)?;
        // The cause may quote the data.
        serde_json::from_str(text.expose())
            .map_err(|_error| ApiError::internal("the payout settings of a developer are malformed"))
    }
}
