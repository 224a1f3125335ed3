//! Mails, written to files or sent through a mail server (reference/notifications.md#mail).

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use diesel_async::AsyncConnection;
use foundation::jobs::{Job, SendMail};
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use notices::mail::{Mail, Recipient, enqueue};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

use super::world::{lost, send_notice, waiting_mails};
use lumio_tests::world::count;
use lumio_tests::world::{eventually, jobs, workers};
use lumio_tests::{
    mail::{files, folder, invite},
    world::address,
};

#[tokio::test]
async fn mail_is_a_readable_file_in_development() {
    let app = TestApp::start().await;
    let (owner, silent) = (app.owner().await, app.owner().await);
    address(&app, owner.user_id, "owner@example.com").await;
    send_notice(&app, &[owner.user_id, silent.user_id], &lost(owner.account_id)).await;
    invite(&app, "guest@example.com", "Night shift").await;
    let running = workers(&app, &[Daemon::Outbox, Daemon::Mail]).await;
    eventually("nothing waits", async || count(&app, "mails").await == 0).await;
    running.stop().await.unwrap();
    let files = files(&folder(&app));
    assert_eq!(files.len(), 2, "who has no address gets none: {files:?}");
    let of = |to: &str| files.iter().find(|file| file.contains(&format!("To: {to}"))).unwrap();
    let notice = of("owner@example.com");
    for part in [
        "From: Lumio <lumio@localhost>",
        "Subject: Reconnect Twitch",
        "Auto-Submitted: auto-generated",
        "Message-ID: <",
        "text/plain",
        "text/html",
        "The channel connection streamer on Twitch no longer works.",
        "http://localhost:3000/notifications",
    ] {
        assert!(notice.contains(part), "{part} is missing:\n{notice}");
    }
    assert!(of("guest@example.com").contains("http://localhost:3000/invites/the-code"));
    assert_eq!(waiting_mails(&app, silent.user_id).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn mail_of_a_rolled_back_transaction_is_not_sent() {
    let app = TestApp::start().await;
    let mail = Mail::Notification { title: "t".into(), message: "m".into() };
    let now = app.clock.now();
    let rolled_back: Result<(), shared::Error> = app
        .databases
        .postgres
        .get()
        .await
        .unwrap()
        .transaction(async |connection| {
            enqueue(connection, Recipient::Address("a@example.com".into()), &mail, now).await?;
            Err(shared::Error::Internal("changed my mind".into()))
        })
        .await;
    assert!(rolled_back.is_err());
    assert_eq!((count(&app, "mails").await, count(&app, "outbox").await), (0, 0));
    app.stop().await;
}

/// SMTP server that answers recipients as configured.
struct MailServer {
    port: u16,
    taken: Arc<Mutex<Vec<Taken>>>,
}

#[derive(Debug, Clone, Default)]
struct Taken {
    login: Option<String>,
    from: String,
    to: String,
    body: String,
}

impl MailServer {
    /// Starts a server that gives these answers to the first recipients, then 250 to all.
    async fn start(answers: &[&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let taken: Arc<Mutex<Vec<Taken>>> = Arc::default();
        let answers = Arc::new(Mutex::new(answers.iter().rev().copied().collect::<Vec<_>>()));
        let into = Arc::clone(&taken);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(talk(socket, Arc::clone(&into), Arc::clone(&answers)));
            }
        });
        Self { port, taken }
    }

    fn taken(&self) -> Vec<Taken> {
        self.taken.lock().unwrap().clone()
    }
}

/// Handles one SMTP session (RFC 5321).
async fn talk(
    socket: TcpStream,
    taken: Arc<Mutex<Vec<Taken>>>,
    answers: Arc<Mutex<Vec<&'static str>>>,
) -> std::io::Result<()> {
    let (reader, mut writer) = socket.into_split();
    let (mut lines, mut mail) = (BufReader::new(reader).lines(), Taken::default());
    writer.write_all(b"220 mail.example ESMTP\r\n").await?;
    while let Some(line) = lines.next_line().await? {
        let verb = line.split(' ').next().unwrap_or_default().to_uppercase();
        let answer = match verb.as_str() {
            "EHLO" => "250-mail.example\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN".to_owned(),
            "AUTH" => {
                mail.login = Some(line.clone());
                "235 welcome".to_owned()
            }
            "MAIL" => {
                mail = Taken { from: line, login: mail.login.take(), ..Taken::default() };
                "250 go on".to_owned()
            }
            "RCPT" => {
                mail.to = line;
                answers.lock().unwrap().pop().unwrap_or("250 go on").to_owned()
            }
            "DATA" => {
                writer.write_all(b"354 go on\r\n").await?;
                while let Some(line) = lines.next_line().await? {
                    if line == "." {
                        break;
                    }
                    mail.body.push_str(&line);
                    mail.body.push('\n');
                }
                taken.lock().unwrap().push(mail.clone());
                "250 taken".to_owned()
            }
            "QUIT" => {
                writer.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => "250 fine".to_owned(),
        };
        writer.write_all(format!("{answer}\r\n").as_bytes()).await?;
    }
    Ok(())
}

async fn app_with(server: &MailServer) -> TestApp {
    let url = format!("smtp://postman:p%40ss@127.0.0.1:{}", server.port);
    TestApp::builder()
        .with("LUMIO_SMTP_URL", url)
        .with("LUMIO_MAIL_FROM", "Lumio <no-reply@lumio.example>")
        .with("LUMIO_WEB_URL", "https://app.lumio.example")
        .start()
        .await
}

#[tokio::test]
async fn mail_is_retried_at_a_busy_server_and_sent_once() {
    let server = MailServer::start(&["451 later"]).await;
    let app = app_with(&server).await;
    let owner = app.owner().await;
    address(&app, owner.user_id, "owner@example.com").await;
    send_notice(&app, &[owner.user_id], &lost(owner.account_id)).await;
    let running = workers(&app, &[Daemon::Outbox, Daemon::Mail]).await;
    eventually("the mail is taken", async || !server.taken().is_empty()).await;
    eventually("and forgotten", async || count(&app, "mails").await == 0).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    running.stop().await.unwrap();
    let taken = server.taken();
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert!(taken[0].from.starts_with("MAIL FROM:<no-reply@lumio.example>"), "{}", taken[0].from);
    assert_eq!(taken[0].to, "RCPT TO:<owner@example.com>");
    // Base64 of `\0postman\0p@ss`.
    assert_eq!(taken[0].login.as_deref(), Some("AUTH PLAIN AHBvc3RtYW4AcEBzcw=="));
    for part in
        ["Subject: Reconnect Twitch", "To: owner@example.com", "https://app.lumio.example/notifications"]
    {
        assert!(taken[0].body.contains(part), "{part} is missing:\n{}", taken[0].body);
    }
    app.stop().await;
}

#[tokio::test]
async fn mail_to_a_refused_recipient_is_dead_lettered_without_a_retry() {
    let server = MailServer::start(&["550 nobody here"]).await;
    let app = app_with(&server).await;
    invite(&app, "nobody@example.com", "First").await;
    let running = workers(&app, &[Daemon::Outbox, Daemon::Mail]).await;
    let metrics = format!("http://{}/metrics", running.metrics_address);
    let dead = async || {
        let text = reqwest::get(&metrics).await.unwrap().text().await.unwrap();
        text.lines().any(|line| {
            line.starts_with("lumio_jobs_dead_total")
                && line.contains("queue=\"mail\"")
                && line.ends_with(" 1")
        })
    };
    eventually("it is buried", dead).await;
    invite(&app, "somebody@example.com", "Second").await;
    eventually("the other is taken", async || server.taken().len() == 1).await;
    running.stop().await.unwrap();
    assert!(server.taken()[0].body.contains("Subject: Invitation to Second"));
    assert_eq!(jobs(&app, SendMail::QUEUE).await, 1);
    assert_eq!(count(&app, "mails").await, 1, "an operator can look at it for a week");
    app.stop().await;
}

#[tokio::test]
async fn mail_is_kept_while_the_server_is_unreachable() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let away = closed.local_addr().unwrap().port();
    drop(closed);
    let app = TestApp::builder().with("LUMIO_SMTP_URL", format!("smtp://127.0.0.1:{away}")).start().await;
    invite(&app, "guest@example.com", "Night shift").await;
    let running = workers(&app, &[Daemon::Outbox, Daemon::Mail]).await;
    eventually("it was tried", async || {
        let metrics = format!("http://{}/metrics", running.metrics_address);
        let text = reqwest::get(&metrics).await.unwrap().text().await.unwrap();
        text.lines().any(|line| line.starts_with("lumio_mails_total") && line.contains("outcome=\"failed\""))
    })
    .await;
    running.stop().await.unwrap();
    assert_eq!((count(&app, "mails").await, jobs(&app, SendMail::QUEUE).await), (1, 1));
    app.stop().await;
}
