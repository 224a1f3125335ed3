//! Amounts of money in minor units of their currency (ISO 4217).

/// Currencies without minor units.
const WHOLE: [&str; 17] = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF",
    "XOF", "XPF",
];
/// Currencies whose minor unit is a thousandth.
const THOUSANDTHS: [&str; 7] = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];
/// Currencies whose minor unit is a ten-thousandth.
const TEN_THOUSANDTHS: [&str; 2] = ["CLF", "UYW"];

/// Number of decimal places of a currency: 2 unless ISO 4217 gives it another.
#[must_use]
pub fn decimals(currency: &str) -> usize {
    if WHOLE.contains(&currency) {
        0
    } else if THOUSANDTHS.contains(&currency) {
        3
    } else if TEN_THOUSANDTHS.contains(&currency) {
        4
    } else {
        2
    }
}

/// True for three capital letters.
#[must_use]
pub fn is_currency(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Minor units of a decimal amount: `12.3` is 1230 in EUR and 12 in JPY. Digits beyond the currency's are
/// dropped. `None` for a text that is no amount of money, and for one beyond the range.
#[must_use]
pub fn minor_units(amount: &str, currency: &str) -> Option<i64> {
    let (whole, rest) = amount.split_once('.').unwrap_or((amount, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(rest) {
        return None;
    }
    let fraction: String = rest.chars().chain("0000".chars()).take(decimals(currency)).collect();
    format!("{whole}{fraction}").parse().ok()
}

/// Minor units of millionths of a currency's main unit. Fractions of a minor unit are dropped.
#[must_use]
pub fn minor_units_of_micros(micros: i64, currency: &str) -> i64 {
    (decimals(currency)..6).fold(micros, |amount, _| amount / 10)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use extension_model::system::{SystemWidget, WIDGETS};

    use super::*;

    /// Decimal places of the currencies that layers list.
    fn decimals_of_layers(script: &str) -> BTreeMap<String, usize> {
        let (_, table) = script.split_once("const DECIMALS = {").unwrap();
        let table: String = table.split_once("};").unwrap().0.split_whitespace().collect();
        let rows = table.split("],").filter(|row| !row.is_empty());
        rows.flat_map(|row| {
            let (digits, currencies) = row.split_once(":[").unwrap();
            let digits: usize = digits.parse().unwrap();
            let listed = currencies.split(',').filter(|currency| !currency.is_empty());
            listed.map(move |currency| (currency.trim_matches('\'').to_owned(), digits))
        })
        .collect()
    }

    #[test]
    fn decimals_are_those_of_the_layers() {
        let own = [(0, &WHOLE[..]), (3, &THOUSANDTHS[..]), (4, &TEN_THOUSANDTHS[..])];
        let own: BTreeMap<String, usize> = own
            .into_iter()
            .flat_map(|(digits, listed)| listed.iter().map(move |currency| ((*currency).to_owned(), digits)))
            .collect();
        let scripts = WIDGETS.iter().flat_map(SystemWidget::files);
        let scripts: Vec<_> = scripts.filter(|file| file.path == "assets/events.js").collect();
        assert_eq!(scripts.len(), WIDGETS.len());
        for script in scripts {
            assert_eq!(decimals_of_layers(script.content), own);
        }
    }

    #[test]
    fn minor_units_follow_the_decimal_places_of_the_currency() {
        for (amount, currency, minor) in [
            ("4.2", "USD", Some(420)),
            ("4", "EUR", Some(400)),
            ("0.1", "EUR", Some(10)),
            ("500", "JPY", Some(500)),
            ("500.0", "JPY", Some(500)),
            ("1.5", "KWD", Some(1500)),
            ("1.23456", "CLF", Some(12345)),
            ("0.009", "EUR", Some(0)),
            ("92233720368547758.07", "EUR", Some(i64::MAX)),
            ("92233720368547758.08", "EUR", None),
            ("-1", "EUR", None),
            ("1e3", "EUR", None),
            (".5", "EUR", None),
            ("", "EUR", None),
            ("1.2.3", "EUR", None),
        ] {
            assert_eq!(minor_units(amount, currency), minor, "{amount} {currency}");
        }
    }

    #[test]
    fn is_currency_accepts_three_capital_letters() {
        assert!(is_currency("EUR"));
        for text in ["", "eur", "EURO", "E1R", "ÄBC"] {
            assert!(!is_currency(text), "{text}");
        }
    }

    #[test]
    fn minor_units_of_micros_follow_the_decimal_places_of_the_currency() {
        for (micros, currency, minor) in
            [(5_000_000, "EUR", 500), (500_000_000, "JPY", 500), (1_500_000, "KWD", 1500), (9_999, "USD", 0)]
        {
            assert_eq!(minor_units_of_micros(micros, currency), minor, "{micros} {currency}");
        }
    }
}
