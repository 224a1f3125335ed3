//! Query of the readiness of a process on this machine, for images without an HTTP client.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use shared::{Error, Result};

/// Requests `/ready` from the internal listener at an address and returns the text.
///
/// # Errors
/// No reply, or a process that is not ready: the error contains the reasons.
pub async fn probe(bind: SocketAddr) -> Result<String> {
    let url = format!("http://{}/ready", reachable(bind));
    let unanswered = |error: reqwest::Error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        Error::Internal(format!("{url} does not answer{cause}"))
    };
    let response = crate::http::client()?.get(&url).send().await.map_err(unanswered)?;
    let status = response.status();
    let text = response.text().await.map_err(unanswered)?.trim_end().to_owned();
    if status.is_success() { Ok(text) } else { Err(Error::Internal(format!("not ready: {text}"))) }
}

/// Address at which a listener of every interface is reached.
fn reachable(bind: SocketAddr) -> SocketAddr {
    let ip = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, bind.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probe_reaches_a_listener_of_every_interface_on_loopback() {
        for (bind, asked) in
            [("0.0.0.0:9100", "127.0.0.1:9100"), ("[::]:9100", "[::1]:9100"), ("127.0.0.2:1", "127.0.0.2:1")]
        {
            assert_eq!(reachable(bind.parse().unwrap()).to_string(), asked);
        }
    }
}
