//! Pure: no I/O, no clock. Where things stand in `LOCALE.ftl`, of which the parser keeps no places.

/// Where `id` (`MESSAGE` or `MESSAGE.ATTRIBUTE`) begins in `text`: its attribute, or else its message.
pub(super) fn of(text: &str, id: &str) -> Option<usize> {
    let (message, attribute) = id.split_once('.').map_or((id, None), |(message, name)| (message, Some(name)));
    let mut lines = lines(text).skip_while(|(_, line)| name(line) != Some(message));
    let (found, _) = lines.next()?;
    let mut attributes = lines.take_while(|(_, line)| line.starts_with([' ', '\r', '\n']));
    let attribute = attribute.and_then(|wanted| {
        attributes.find_map(|(offset, line)| {
            let inner = line.trim_start_matches(' ');
            (name(inner.strip_prefix('.')?) == Some(wanted)).then(|| offset + line.len() - inner.len())
        })
    });
    Some(attribute.unwrap_or(found))
}

/// Where the last message `id` begins in `text`.
pub(super) fn of_last(text: &str, id: &str) -> Option<usize> {
    lines(text).filter(|(_, line)| name(line) == Some(id)).map(|(offset, _)| offset).last()
}

/// The messages of `text`.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> + Clone {
    lines(text).filter_map(|(_, line)| name(line))
}

/// Each line with its offset.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    text.split_inclusive('\n').scan(0, |offset, line| {
        let begin = *offset;
        *offset += line.len();
        Some((begin, line))
    })
}

/// What `line` says something of: `name = …`.
fn name(line: &str) -> Option<&str> {
    let name = line.split_once('=')?.0.trim_end_matches(' ');
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    (is_name && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_and_its_attributes_are_found_where_they_begin() {
        let text = "# game = no\nhome = Home,\n    game = not this\n\n    .site=Site\ngamer = G\ngame = A\n    .site = S\r\ngame = B\n";
        let rest = |place: Option<usize>| place.map(|place| text[place..].lines().next().unwrap());
        assert_eq!(rest(of(text, "home")), Some("home = Home,"));
        assert_eq!(rest(of(text, "home.site")), Some(".site=Site"));
        assert_eq!(rest(of(text, "game.site")), Some(".site = S"));
        assert_eq!(rest(of(text, "gamer.site")), Some("gamer = G"), "it has none, and the next one's is not its own");
        assert_eq!(rest(of_last(text, "game")), Some("game = B"));
        assert_eq!((of(text, "gam"), of(text, "home2.site")), (None, None));
        assert_eq!(names(text).collect::<Vec<_>>(), ["home", "gamer", "game", "game"]);
    }
}
