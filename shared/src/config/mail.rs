//! Configuration of outgoing mail (reference/notifications.md#mail).

use std::path::PathBuf;

use url::{Host, Url};

use super::{Environment, Reader};
use crate::secret::Secret;

/// Sender and delivery of mails.
#[derive(Debug, Clone)]
pub struct MailConfig {
    /// Sender, as `name <address>` or as an address.
    pub from: String,
    /// Delivery of mails.
    pub delivery: MailDelivery,
}

/// Delivery of mails.
#[derive(Debug, Clone)]
pub enum MailDelivery {
    /// To a server: `smtps://user:password@host` or `smtp://host?tls=required`.
    Smtp(Secret),
    /// Into a folder, one file per mail.
    Folder(PathBuf),
    /// To the log only, without the content.
    Dropped,
}

const DEFAULT_FOLDER: &str = "/var/lib/lumio/mail";
const DEFAULT_FROM: &str = "Lumio <lumio@localhost>";

pub(super) fn read(reader: &mut Reader, environment: Environment) -> MailConfig {
    MailConfig { from: sender(reader), delivery: delivery(reader, environment) }
}

fn sender(reader: &mut Reader) -> String {
    const NAME: &str = "LUMIO_MAIL_FROM";
    let from = reader.text(NAME, DEFAULT_FROM);
    let address = from.strip_suffix('>').and_then(|text| text.rsplit_once('<')).map_or(&*from, |(_, a)| a);
    let is_address = address.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && url::Host::parse(domain).is_ok_and(|host| matches!(host, Host::Domain(_)))
    });
    let is_plain =
        from.is_ascii() && !from.chars().any(char::is_control) && !address.contains([' ', ',', '"']);
    if !is_address || !is_plain {
        reader.mistake(
            NAME,
            "must be an address such as no-reply@lumio.example or `Lumio <no-reply@lumio.example>`",
        );
    }
    from
}

fn delivery(reader: &mut Reader, environment: Environment) -> MailDelivery {
    let folder = reader.optional("LUMIO_MAIL_DIR").map(PathBuf::from);
    if environment == Environment::Development {
        reader.default_of("LUMIO_MAIL_DIR", DEFAULT_FOLDER);
    }
    match (smtp(reader, environment), folder) {
        (Some(_), Some(_)) => {
            reader.mistake("LUMIO_MAIL_DIR", "must not be set beside LUMIO_SMTP_URL");
            MailDelivery::Dropped
        }
        (Some(url), None) => MailDelivery::Smtp(url),
        (None, Some(folder)) => MailDelivery::Folder(folder),
        (None, None) if environment == Environment::Development => {
            MailDelivery::Folder(PathBuf::from(DEFAULT_FOLDER))
        }
        (None, None) => MailDelivery::Dropped,
    }
}

fn smtp(reader: &mut Reader, environment: Environment) -> Option<Secret> {
    const NAME: &str = "LUMIO_SMTP_URL";
    let text = reader.secret_url(NAME)?;
    let url = Url::parse(text.expose()).ok();
    let Some((url, is_encrypted)) =
        url.and_then(|url| encrypted(&url).map(|is_encrypted| (url, is_encrypted)))
    else {
        reader.mistake(NAME, "must be smtps://user:password@host or smtp://host, which may end in `?tls=required` or `?tls=opportunistic`");
        return None;
    };
    if !is_encrypted && environment.is_deployment() && !is_own_machine(&url) {
        reader.mistake(NAME, "must be smtps:// or end in `?tls=required` outside development");
    }
    Some(text)
}

/// True when the connection to the server is always encrypted; `None` when the URL names no server.
fn encrypted(url: &Url) -> Option<bool> {
    url.host_str().filter(|host| !host.is_empty())?;
    // User name and password are set together or not at all.
    if url.username().is_empty() != url.password().is_none() {
        return None;
    }
    let tls = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value.into_owned());
    match (url.scheme(), tls.as_deref()) {
        ("smtps", None) | ("smtp", Some("required")) => Some(true),
        ("smtp", None | Some("opportunistic")) => Some(false),
        _ => None,
    }
}

fn is_own_machine(url: &Url) -> bool {
    // The scheme is not one for which `url` parses hosts, so the address is still text.
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_with(environment: Environment, variables: &[(&str, &str)]) -> Result<MailConfig, Vec<String>> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut reader = Reader::new(variables);
        let config = read(&mut reader, environment);
        reader.finish().map(|()| config)
    }

    #[test]
    fn mail_delivery_is_to_files_in_development_and_dropped_elsewhere() {
        let development = read_with(Environment::Development, &[]).unwrap();
        assert!(matches!(development.delivery, MailDelivery::Folder(_)));
        let production = read_with(Environment::Production, &[]).unwrap();
        assert!(matches!(production.delivery, MailDelivery::Dropped));
    }

    #[test]
    fn mail_delivery_to_another_machine_is_encrypted() {
        let given = |url| read_with(Environment::Production, &[("LUMIO_SMTP_URL", url)]);
        for url in [
            "smtps://u:p@mail.example",
            "smtp://u:p@mail.example:587?tls=required",
            "smtp://127.0.0.1:25",
            "smtp://[::1]",
            "smtp://localhost",
        ] {
            assert!(matches!(given(url).unwrap().delivery, MailDelivery::Smtp(_)), "{url}");
        }
        for url in ["smtp://mail.example", "smtp://mail.example?tls=opportunistic"] {
            let mistakes = given(url).unwrap_err();
            assert!(mistakes[0].starts_with("LUMIO_SMTP_URL must be smtps://"), "{url}: {mistakes:?}");
        }
        for url in
            ["mail.example", "https://mail.example", "smtp://u@mail.example", "smtp://h?tls=maybe", "smtp://"]
        {
            let mistakes = given(url).unwrap_err();
            assert!(mistakes[0].starts_with("LUMIO_SMTP_URL must be smtps://user"), "{url}: {mistakes:?}");
        }
    }

    #[test]
    fn mail_config_refuses_a_server_beside_a_folder() {
        let both = [("LUMIO_SMTP_URL", "smtp://localhost"), ("LUMIO_MAIL_DIR", "/tmp/mail")];
        let mistakes = read_with(Environment::Development, &both).unwrap_err();
        assert_eq!(mistakes, ["LUMIO_MAIL_DIR must not be set beside LUMIO_SMTP_URL"]);
    }

    #[test]
    fn mail_config_needs_an_address_as_sender() {
        for from in ["a@b.example", "Lumio <a@b.example>"] {
            assert_eq!(read_with(Environment::Development, &[("LUMIO_MAIL_FROM", from)]).unwrap().from, from);
        }
        for from in ["Lumio", "@b", "a@", "a@b c", "Lumio <a>", "a@b\nBcc: c@d"] {
            let mistakes = read_with(Environment::Development, &[("LUMIO_MAIL_FROM", from)]).unwrap_err();
            assert!(mistakes[0].starts_with("LUMIO_MAIL_FROM must be an address"), "{from}: {mistakes:?}");
        }
    }
}
