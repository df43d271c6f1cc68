//! Pure: no I/O, no clock. The entities that Telegram finds by itself: commands, mentions, tags, links, addresses.
//! Simpler than the original at the edges of words: what is found is marked rightly, rare spellings are missed.

use super::{Entity, Formatted, Kind, units};

/// `formatted` with what is found in those of its words that no entity covers yet.
pub(in crate::sandbox) fn with_found(mut formatted: Formatted) -> Formatted {
    let mut offset = 0;
    for word in formatted.text.split_inclusive(char::is_whitespace) {
        let length = units(word);
        let bare = word.trim_end();
        if let Some((skipped, seen, kind)) = find(bare) {
            let from = offset + units(bare.get(..skipped).unwrap_or_default());
            let to = from + units(seen);
            let covered =
                formatted.entities.iter().any(|entity| entity.offset < to && from < entity.offset + entity.length);
            if !covered {
                formatted.entities.push(Entity { offset: from, length: to - from, kind });
            }
        }
        offset += length;
    }
    formatted.sort();
    formatted
}

/// Where in `word` something begins, its letters, and what it is.
fn find(word: &str) -> Option<(usize, &str, Kind)> {
    let start = word.find(|letter: char| !matches!(letter, '(' | '"' | '\'' | '«'))?;
    let rest = word.get(start..)?;
    let named = |from: usize, more: &dyn Fn(char) -> bool| {
        let end = rest.get(from..)?.find(|letter: char| !more(letter)).map_or(rest.len(), |end| from + end);
        (end > from).then(|| rest.get(..end)).flatten()
    };
    let latin = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let seen = match rest.chars().next()? {
        '/' => {
            let command = named(1, &latin)?;
            let bot = rest.get(command.len()..)?.strip_prefix('@').map(|bot| {
                let end = bot.find(|letter: char| !latin(letter)).unwrap_or(bot.len());
                if (3..=32).contains(&end) { end + 1 } else { 0 }
            });
            let seen = rest.get(..command.len() + bot.unwrap_or(0))?;
            let next = rest.get(seen.len()..)?.chars().next();
            return (command.len() <= 65 && next != Some('/')).then_some((start, seen, Kind::BotCommand));
        }
        '@' => named(1, &latin).filter(|name| (5..=33).contains(&name.len())).map(|name| (name, Kind::Mention)),
        '#' => named(1, &|letter| letter.is_alphanumeric() || letter == '_')
            .filter(|tag| !tag.get(1..).unwrap_or_default().chars().all(char::is_numeric))
            .map(|tag| (tag, Kind::Hashtag)),
        _ => None,
    };
    if let Some((seen, kind)) = seen {
        return Some((start, seen, kind));
    }
    let trimmed = rest.trim_end_matches(['.', ',', '!', '?', ':', ';', ')', '"', '\'', '»']);
    if trimmed.contains("://") {
        return crate::telegram::link::checked(trimmed).is_ok().then_some((start, trimmed, Kind::Url));
    }
    let (name, host) = trimmed.split_once('@')?;
    let address = !name.is_empty() && host.contains('.') && !host.contains('@') && !host.ends_with('.');
    address.then_some((start, trimmed, Kind::Email))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_mentions_tags_links_and_addresses_are_found() {
        let text = "/start@a_bot #тег 😀 @someone_here (https://example.com/x), a@b.com. a/b #1";
        let found: Vec<_> = with_found(Formatted::plain(text))
            .entities
            .into_iter()
            .map(|entity| (entity.offset, entity.length, entity.kind))
            .collect();
        assert_eq!(
            found,
            [
                (0, 12, Kind::BotCommand),
                (13, 4, Kind::Hashtag),
                (21, 13, Kind::Mention),
                (36, 21, Kind::Url),
                (60, 7, Kind::Email),
            ]
        );
    }
}
