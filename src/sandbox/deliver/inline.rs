//! Pure: no I/O, no clock. The method that an answer calls, where it may (`handle` in tdlib/telegram-bot-api
//! `WebhookActor.cpp`).

use crate::sandbox::parameters::Parameters;

/// What an answer may not call, besides everything that begins with `get`.
const FORBIDDEN: [&str; 4] = ["setwebhook", "deletewebhook", "close", "logout"];

/// The method in `parameters`, lower-cased; `None` where there is none, or one that is ignored.
pub(super) fn method(parameters: &Parameters) -> Option<String> {
    let method = parameters.get("method")?.to_ascii_lowercase();
    let ignored = FORBIDDEN.contains(&method.as_str()) || method.starts_with("get");
    (!ignored).then_some(method)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &str, value: &str) -> Option<String> {
        method(&Parameters { values: vec![(name.to_owned(), value.to_owned())], files: Vec::new() })
    }

    #[test]
    fn the_value_may_be_in_any_case_and_the_name_not() {
        assert_eq!(called("method", "SendMESSAGE").as_deref(), Some("sendmessage"));
        assert_eq!(called("Method", "sendMessage"), None);
        assert_eq!(called("method", ""), None);
    }

    #[test]
    fn what_is_forbidden_is_ignored_and_what_is_unknown_is_not() {
        for forbidden in ["setWebhook", "deleteWebhook", "close", "logOut", "getMe", "getAnything", "GETUPDATES"] {
            assert_eq!(called("method", forbidden), None, "{forbidden}");
        }
        assert_eq!(called("method", "doesNotExist").as_deref(), Some("doesnotexist"));
        assert_eq!(called("method", "closeForumTopic").as_deref(), Some("closeforumtopic"));
    }
}
