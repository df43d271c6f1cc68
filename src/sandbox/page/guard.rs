//! Who may talk to the page's listener, and what a browser may do with what it gets.
//!
//! The page has no password: it belongs to whoever sits at this machine. So a page of somebody else, open in the same
//! browser, must reach nothing: not by a form or a script (`Origin`, `Sec-Fetch-Site`), not by a name of its own that
//! resolves to this machine (`Host` has to be an address or `localhost`), not in a frame.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use std::net::IpAddr;

/// Nothing but this program's own files; no markup is ever made from text (`require-trusted-types-for`).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// Refuses strangers, and adds the headers that keep the page to itself.
pub(super) async fn guard(request: Request, next: Next) -> Response {
    let mut response = if is_own(request.headers()) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "this page belongs to the machine it runs on").into_response()
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether the request is of the page itself, or of no page at all.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let Some(host) = text(HOST.as_str()) else { return false };
    let own_origin = match text(ORIGIN.as_str()) {
        None => true,
        Some(origin) => origin.strip_prefix("http://") == Some(host),
    };
    let own_site = text("sec-fetch-site").is_none_or(|site| site == "same-origin" || site == "none");
    is_address(host) && own_origin && own_site
}

fn is_address(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_page_itself_and_programs_are_let_in() {
        for own in [
            &[("host", "127.0.0.1:8090")][..],
            &[("host", "localhost:8090"), ("origin", "http://localhost:8090"), ("sec-fetch-site", "same-origin")],
            &[("host", "[::1]:8090"), ("sec-fetch-site", "none")],
            &[("host", "127.0.0.1")],
        ] {
            assert!(is_own(&headers(own)), "{own:?}");
        }
    }

    #[test]
    fn other_pages_are_not() {
        for strange in [
            &[][..],
            &[("host", "evil.example:8090")],
            &[("host", "127.0.0.1.evil.example:8090")],
            &[("host", "127.0.0.1:8090"), ("origin", "http://evil.example")],
            &[("host", "127.0.0.1:8090"), ("origin", "null")],
            &[("host", "127.0.0.1:8090"), ("origin", "http://127.0.0.1:9999")],
            &[("host", "127.0.0.1:8090"), ("sec-fetch-site", "cross-site")],
        ] {
            assert!(!is_own(&headers(strange)), "{strange:?}");
        }
    }
}
