//! Pure: no I/O, no clock. Which links Telegram takes in entities and under buttons.
//! Source: tdlib/td `td/telegram/LinkManager.cpp`, `check_link`.

/// `link` as it is kept.
///
/// # Errors
/// What Telegram says after `… is invalid: `.
pub fn checked(link: &str) -> Result<String, &'static str> {
    let link = link.trim();
    let lower = link.to_ascii_lowercase();
    if ["tg:", "ton:", "tonsite:"].iter().any(|scheme| lower.starts_with(scheme)) {
        return Ok(link.to_owned());
    }
    let rest = match lower.split_once("://") {
        Some(("http" | "https", _)) => link.split_once("://").map_or("", |(_, rest)| rest),
        Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            return Err("Unsupported URL protocol");
        }
        _ => link,
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = if host.starts_with('[') { host } else { host.split(':').next().unwrap_or_default() };
    if host.is_empty() {
        return Err("URL host is empty");
    }
    if !host.contains('.') && !host.starts_with('[') || host.contains(char::is_whitespace) {
        return Err("Wrong HTTP URL");
    }
    let path = if rest.len() == authority.len() { "/" } else { "" };
    let scheme = if lower.starts_with("https://") { "https://" } else { "http://" };
    Ok(format!("{scheme}{rest}{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_link_is_told_apart() {
        assert_eq!(checked("not-a-url"), Err("Wrong HTTP URL"));
        assert_eq!(checked("ftp://example.com"), Err("Unsupported URL protocol"));
        assert_eq!(checked(""), Err("URL host is empty"));
        assert_eq!(checked("http://localhost:8080/x"), Err("Wrong HTTP URL"));
        assert_eq!(checked("example.com").unwrap(), "http://example.com/");
        assert_eq!(checked("https://example.com/a?b").unwrap(), "https://example.com/a?b");
        assert_eq!(checked("tg://resolve?domain=x").unwrap(), "tg://resolve?domain=x");
    }
}
