//! A webhook address that keeps its requests.

use std::sync::{Arc, Mutex};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    web::{self, Bytes, Data},
};
use serde_json::Value;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Received {
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("header {name} is missing"))
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

/// Response of the receiver to a challenge.
#[derive(Debug, Clone, Copy)]
pub enum Challenge {
    Echo,
    Refuse,
}

type Inbox = Mutex<Vec<Received>>;

/// A running receiver.
pub struct Receiver {
    pub url: String,
    inbox: Arc<Inbox>,
    handle: ServerHandle,
}

impl Receiver {
    pub async fn start(challenge: Challenge) -> Self {
        let inbox = Arc::new(Inbox::default());
        let kept = Arc::clone(&inbox);
        let app = move || {
            let data = Data::from(Arc::clone(&kept));
            App::new().app_data(data).app_data(Data::new(challenge)).default_service(web::to(receive))
        };
        let server = HttpServer::new(app).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/webhook", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Self { url, inbox, handle }
    }

    /// Everything that has arrived so far.
    pub fn received(&self) -> Vec<Received> {
        self.inbox.lock().unwrap().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

async fn receive(
    inbox: Data<Inbox>,
    mode: Data<Challenge>,
    request: HttpRequest,
    body: Bytes,
) -> HttpResponse {
    let headers = request.headers().iter();
    let headers =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
    let received = Received { headers, body: body.to_vec() };
    let challenge = serde_json::from_slice::<Value>(&body)
        .ok()
        .and_then(|body| body["challenge"].as_str().map(str::to_owned));
    inbox.lock().unwrap().push(received);
    match (challenge, **mode) {
        (Some(challenge), Challenge::Echo) => HttpResponse::Ok().content_type("text/plain").body(challenge),
        (Some(_), Challenge::Refuse) => HttpResponse::Forbidden().finish(),
        (None, _) => HttpResponse::NoContent().finish(),
    }
}
