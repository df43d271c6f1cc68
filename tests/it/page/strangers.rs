//! What others put into the page, and what other pages can do to it.

use super::visit::{Running, Visit};
use crate::harness::browser::Window;
use serde_json::json;

#[tokio::test]
async fn what_looks_like_markup_stays_text() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    let attack =
        "<img src=x onerror=\"document.title='taken'\"><b>bold</b> &lt;i&gt; <script>document.title='taken'</script>";
    page.starts("Ann").await;
    page.sees("Ann", "Hello!").await;
    page.writes("Ann", attack).await;
    page.waits(
        "the text is shown as it was written",
        "return [...document.querySelectorAll('.own .text')].some((text) => text.textContent === arguments[0] && text.children.length === 0)",
        json!([attack]),
    )
    .await;
    assert_eq!(page.browser.says("return document.title", json!([])).await, "Tapgate sandbox");
    page.ends().await;
}

#[tokio::test]
async fn a_page_of_somebody_else_reaches_nothing() {
    let mut sandbox = Running::start(None).await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}api/traffic", sandbox.url);
    let asks = |headers: &[(&'static str, &'static str)]| {
        let request = client.post(&url).body("{\"users\":0}");
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).send()
    };
    let json = ("content-type", "application/json");
    assert_eq!(asks(&[json]).await.unwrap().status(), 200);
    for strange in [("origin", "http://evil.example"), ("sec-fetch-site", "cross-site"), ("host", "evil.example:8090")]
    {
        assert_eq!(asks(&[json, strange]).await.unwrap().status(), 403, "{strange:?}");
    }
    assert_eq!(asks(&[("content-type", "text/plain")]).await.unwrap().status(), 415, "what a form can send");
    let page = client.get(&sandbox.url).send().await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(sandbox.stops().await.success());
}
