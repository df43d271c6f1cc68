//! Pure: no I/O, no clock. The webhook's URL, taken apart as Telegram does it (`parse_url` in tdlib/td `HttpUrl.cpp`).

use super::BadUrl;

/// Where requests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The host, lower-cased.
    pub(super) host: String,
    /// The port.
    pub(super) port: u16,
    /// What stands before `@`, as it was written.
    pub(super) userinfo: String,
    /// Everything after the authority, a fragment included.
    pub(super) path: String,
}

/// The port of `http`.
pub(super) const DEFAULT_PORT: u16 = 80;

impl Target {
    pub(super) fn parse(url: &str) -> Result<Self, BadUrl> {
        let (scheme, rest) = url.trim().split_once("://").ok_or(BadUrl)?;
        if !scheme.eq_ignore_ascii_case("http") {
            return Err(BadUrl);
        }
        let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(authority_end);
        let (userinfo, host_and_port) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (host, port) = match host_and_port.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().map_err(|_| BadUrl)?),
            None => (host_and_port, DEFAULT_PORT),
        };
        if host.is_empty()
            || port == 0
            || !host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
        {
            return Err(BadUrl);
        }
        Ok(Self { host: host.to_ascii_lowercase(), port, userinfo: userinfo.to_owned(), path: path_of(path) })
    }
}

fn path_of(written: &str) -> String {
    let slash = if written.starts_with('/') { "" } else { "/" };
    let escaped = written.chars().map(|letter| match letter {
        '\0'..=' ' => format!("%{:02X}", u32::from(letter)),
        other => other.to_string(),
    });
    slash.chars().map(String::from).chain(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_after_the_authority_is_the_path() {
        let target = Target::parse("HTTP://Ann:x@Example.COM:8080/a b?c=d#e").unwrap();
        assert_eq!((target.host.as_str(), target.port), ("example.com", 8080));
        assert_eq!((target.userinfo.as_str(), target.path.as_str()), ("Ann:x", "/a%20b?c=d#e"));
        assert_eq!(Target::parse("http://127.0.0.1").unwrap().path, "/");
        assert_eq!(Target::parse("http://127.0.0.1?x").unwrap().path, "/?x");
        assert_eq!(Target::parse("http://127.0.0.1").unwrap().port, 80);
    }

    #[test]
    fn other_urls_are_refused() {
        for url in [
            "",
            "127.0.0.1",
            "https://127.0.0.1/",
            "http://",
            "http://:80/",
            "http://a:b/",
            "http://a:0/",
            "http://[::1]/",
        ] {
            assert!(Target::parse(url).is_err(), "{url}");
        }
    }
}
