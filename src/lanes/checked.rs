//! Pure: no I/O, no clock. What a worker made, looked at field by field: what Telegram would refuse is refused here, where
//! the worker can be told, and everything at once.

use crate::flow::callback::NAME_MAX_BYTES;
use crate::flow::content::PhotoSource;
use crate::flow::order::Wanted;
use crate::flow::output::{
    BUTTONS_MAX, CONTENTS_MAX, FACE_MAX_BYTES, Face, LABEL_MAX_CHARS, OfferedAction, OfferedButton, OfferedCall,
    Output, Piece, Words,
};
use crate::telegram::link;
use crate::telegram::markup::{self, Formatted, clean};
use crate::telegram::text::{CAPTION_MAX_CHARS, MARKED_MAX_BYTES, TEXT_MAX_CHARS, plain, split};
use crate::worker::{Button, Call, Completion, Content, FieldError, Photo, Show};
use std::collections::BTreeMap;

/// Most buttons of a row (Bot API server, `get_inline_keyboard`: more are not shown).
const ROW_MAX: usize = 8;
/// Longest name of a call or of one of its arguments, in characters.
const CALL_NAME_MAX_CHARS: usize = 64;
/// Longest value of an argument or a variable, in characters.
const VALUE_MAX_CHARS: usize = 1024;
/// Most arguments of a call, most variables of a completion.
const PAIRS_MAX: usize = 32;

/// `completion` as the flow takes it, for something that is `wanted`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn checked(completion: &Completion, wanted: &Wanted) -> Result<Output, Vec<FieldError>> {
    let mut checker = Checker { errors: Vec::new() };
    let output = checker.completion(completion, wanted);
    if checker.errors.is_empty() { Ok(output) } else { Err(checker.errors) }
}

struct Checker {
    errors: Vec<FieldError>,
}

impl Checker {
    fn complain(&mut self, field: &str, message: impl Into<String>) {
        self.errors.push(FieldError { field: field.to_owned(), message: message.into() });
    }

    fn completion(&mut self, completion: &Completion, wanted: &Wanted) -> Output {
        let Completion { lease: _, contents, screen, show, set } = completion;
        match wanted {
            Wanted::Generation { .. } => {
                if contents.is_empty() {
                    self.complain("contents", "a job of kind generate has at least one");
                }
                if show.is_some() {
                    self.complain("show", "only a job of kind call has it");
                }
            }
            Wanted::Call { .. } => {
                if !contents.is_empty() {
                    self.complain("contents", "only a job of kind generate has them");
                }
                if screen.is_some() {
                    self.complain("screen", "only a job of kind generate has it");
                }
                if show.is_none() {
                    self.complain("show", "a job of kind call has it");
                }
            }
        }
        let mut messages: usize = 0;
        let mut pieces = Vec::new();
        for (index, content) in contents.iter().enumerate().take(CONTENTS_MAX) {
            let piece = self.content(&format!("contents[{index}]"), content);
            let max_chars = if piece.photo.is_some() { CAPTION_MAX_CHARS } else { TEXT_MAX_CHARS };
            messages = messages.saturating_add(match &piece.words {
                Some(Words::Text(text)) => split(text, max_chars).len(),
                _ => 1,
            });
            pieces.push(piece);
        }
        if messages > CONTENTS_MAX || contents.len() > CONTENTS_MAX {
            self.complain("contents", format!("more than {CONTENTS_MAX} messages"));
        }
        if let Some(screen) = screen {
            self.screen("screen", screen);
        }
        self.pairs("set", set);
        let show = show.as_ref().map(|show| self.show("show", show));
        Output { contents: pieces, screen: screen.clone(), show, set: set.clone() }
    }

    fn content(&mut self, field: &str, content: &Content) -> Piece {
        let Content { text, html, photo, buttons } = content;
        let max_chars = if photo.is_some() { CAPTION_MAX_CHARS } else { TEXT_MAX_CHARS };
        let words = self.words(field, text.as_deref(), html.as_deref(), max_chars);
        if words.is_none() && photo.is_none() {
            self.complain(field, "it has neither a text nor a photo");
        }
        let photo = photo.as_ref().and_then(|photo| self.photo(&format!("{field}.photo"), photo));
        Piece { photo, words, buttons: self.buttons(&format!("{field}.buttons"), buttons, Calls::Refused) }
    }

    fn photo(&mut self, field: &str, photo: &Photo) -> Option<PhotoSource> {
        match photo {
            Photo { url: Some(url), file: None } => {
                self.link(&format!("{field}.url"), url, &["https://", "http://"]);
                Some(PhotoSource::Url(url.clone()))
            }
            Photo { url: None, file: Some(file) } => {
                self.letters(&format!("{field}.file"), file);
                Some(PhotoSource::File(file.clone()))
            }
            _ => {
                self.complain(field, "it has exactly one of url and file");
                None
            }
        }
    }

    fn show(&mut self, field: &str, show: &Show) -> Face {
        let Show { text, html, photo_url, buttons } = show;
        let max_chars = if photo_url.is_some() { CAPTION_MAX_CHARS } else { TEXT_MAX_CHARS };
        let words = self.words(field, text.as_deref(), html.as_deref(), max_chars);
        if words.is_none() {
            self.complain(field, "it has one of text and html");
        }
        if let Some(Words::Text(text)) = &words
            && text.chars().count() > max_chars
        {
            self.complain(&format!("{field}.text"), format!("more than {max_chars} characters"));
        }
        if let Some(url) = photo_url {
            self.link(&format!("{field}.photo_url"), url, &["https://", "http://"]);
        }
        let buttons = self.buttons(&format!("{field}.buttons"), buttons, Calls::Taken);
        let words = words.unwrap_or_else(|| Words::Text(String::new()));
        let face = Face { words, photo_url: photo_url.clone(), buttons };
        if face.json().is_none() {
            self.complain(field, format!("more than {FACE_MAX_BYTES} bytes"));
        }
        face
    }

    /// A plain text may be longer than `max_chars`: it can be divided, where HTML cannot.
    fn words(&mut self, field: &str, text: Option<&str>, html: Option<&str>, max_chars: usize) -> Option<Words> {
        match (text, html) {
            (None, None) => None,
            (Some(_), Some(_)) => {
                self.complain(field, "it has both text and html");
                None
            }
            (Some(text), None) => {
                let field = format!("{field}.text");
                self.letters(&field, text);
                if clean(&Formatted::plain(text)).text.is_empty() {
                    self.complain(&field, "nothing of it is seen");
                }
                Some(Words::Text(text.to_owned()))
            }
            (None, Some(html)) => {
                let field = format!("{field}.html");
                self.letters(&field, &plain(html));
                match markup::parse(html) {
                    Err(detail) => self.complain(&field, format!("Telegram does not take it: {detail}")),
                    Ok(parsed) if clean(&parsed).text.is_empty() => self.complain(&field, "nothing of it is seen"),
                    Ok(parsed) if parsed.text.chars().count() > max_chars => {
                        self.complain(&field, format!("more than {max_chars} characters of it are seen"));
                    }
                    Ok(_) if html.len() > MARKED_MAX_BYTES => {
                        self.complain(&field, format!("more than {MARKED_MAX_BYTES} bytes"));
                    }
                    Ok(_) => {}
                }
                Some(Words::Html(html.to_owned()))
            }
        }
    }

    fn buttons(&mut self, field: &str, rows: &[Vec<Button>], calls: Calls) -> Vec<Vec<OfferedButton>> {
        if rows.iter().map(Vec::len).sum::<usize>() > BUTTONS_MAX {
            self.complain(field, format!("more than {BUTTONS_MAX} buttons"));
            return Vec::new();
        }
        let mut offered = Vec::new();
        for (row, buttons) in rows.iter().enumerate() {
            if buttons.len() > ROW_MAX {
                self.complain(&format!("{field}[{row}]"), format!("more than {ROW_MAX} buttons in a row"));
            }
            let place = |column: usize| format!("{field}[{row}][{column}]");
            let buttons = buttons.iter().enumerate();
            offered.push(buttons.filter_map(|(column, button)| self.button(&place(column), button, calls)).collect());
        }
        offered
    }

    fn button(&mut self, field: &str, button: &Button, calls: Calls) -> Option<OfferedButton> {
        let Button { label, screen, url, call } = button;
        self.short(&format!("{field}.label"), label, LABEL_MAX_CHARS);
        let action = match (screen, url, call) {
            (Some(screen), None, None) => {
                self.screen(&format!("{field}.screen"), screen);
                OfferedAction::Screen(screen.clone())
            }
            (None, Some(url), None) => {
                self.link(&format!("{field}.url"), url, &["https://", "http://", "tg://"]);
                OfferedAction::Url(url.clone())
            }
            (None, None, Some(Call { name, arguments })) => {
                if calls == Calls::Refused {
                    self.complain(&format!("{field}.call"), "only the buttons of show have it");
                }
                self.short(&format!("{field}.call.name"), name, CALL_NAME_MAX_CHARS);
                self.pairs(&format!("{field}.call.arguments"), arguments);
                OfferedAction::Call(OfferedCall { name: name.clone(), arguments: arguments.clone() })
            }
            _ => {
                self.complain(field, "it has exactly one of screen, url and call");
                return None;
            }
        };
        Some(OfferedButton { label: label.clone(), action })
    }

    fn screen(&mut self, field: &str, name: &str) {
        self.letters(field, name);
        if name.is_empty() || name.len() > NAME_MAX_BYTES {
            self.complain(field, format!("the name of a screen has 1 to {NAME_MAX_BYTES} letters"));
        }
    }

    fn link(&mut self, field: &str, url: &str, schemes: &[&str]) {
        self.letters(field, url);
        if !schemes.iter().any(|scheme| url.starts_with(scheme)) {
            return self.complain(field, format!("it begins with none of {}", schemes.join(", ")));
        }
        if let Err(detail) = link::checked(url) {
            self.complain(field, format!("Telegram does not take it: {detail}"));
        }
    }

    fn pairs(&mut self, field: &str, pairs: &BTreeMap<String, String>) {
        if pairs.len() > PAIRS_MAX {
            self.complain(field, format!("more than {PAIRS_MAX}"));
        }
        for (name, value) in pairs {
            self.short(field, name, CALL_NAME_MAX_CHARS);
            self.letters(field, value);
            if value.chars().count() > VALUE_MAX_CHARS {
                self.complain(field, format!("a value of more than {VALUE_MAX_CHARS} characters"));
            }
        }
    }

    fn short(&mut self, field: &str, text: &str, max_chars: usize) {
        self.letters(field, text);
        if text.trim().is_empty() || text.chars().count() > max_chars {
            self.complain(field, format!("it has 1 to {max_chars} characters"));
        }
    }

    /// PostgreSQL keeps any letter but this one, and Telegram drops it.
    fn letters(&mut self, field: &str, text: &str) {
        if text.contains('\0') {
            self.complain(field, "it holds the character U+0000");
        }
    }
}

/// Whether a button may ask for its screen anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    Taken,
    Refused,
}
