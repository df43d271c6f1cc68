//! Pure: no I/O, no clock. Which variables a text hangs on, in whichever of its branches they stand.

use fluent_bundle::FluentResource;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use std::collections::{BTreeMap, BTreeSet};

/// What each text names, by `MESSAGE` or `MESSAGE.ATTRIBUTE`.
#[derive(Debug, Default)]
pub(in crate::flow) struct Uses(BTreeMap<String, Names>);

#[derive(Debug, Default)]
struct Names {
    variables: BTreeSet<String>,
    texts: BTreeSet<String>,
}

impl Uses {
    pub(super) fn of(resource: &FluentResource) -> Self {
        let mut uses = BTreeMap::new();
        for entry in resource.entries() {
            // A term sees no variable but those it is given.
            let Entry::Message(message) = entry else { continue };
            let id = message.id.name;
            if let Some(value) = &message.value {
                uses.insert(id.to_owned(), Names::of(value));
            }
            for attribute in &message.attributes {
                uses.insert(format!("{id}.{}", attribute.id.name), Names::of(&attribute.value));
            }
        }
        Self(uses)
    }

    /// Every text with the variables that it names itself.
    pub(in crate::flow) fn named(&self) -> impl Iterator<Item = (&str, &BTreeSet<String>)> {
        self.0.iter().map(|(id, names)| (id.as_str(), &names.variables))
    }

    /// The variables of the text `id` and of all texts in it.
    pub(in crate::flow) fn variables(&self, id: &str) -> BTreeSet<&str> {
        let (mut found, mut seen, mut waiting) = (BTreeSet::new(), BTreeSet::new(), vec![id]);
        while let Some(id) = waiting.pop() {
            if let Some(names) = self.0.get(id)
                && seen.insert(id)
            {
                found.extend(names.variables.iter().map(String::as_str));
                waiting.extend(names.texts.iter().map(String::as_str));
            }
        }
        found
    }
}

impl Names {
    fn of(pattern: &Pattern<&str>) -> Self {
        let mut names = Self::default();
        names.pattern(pattern);
        names
    }

    fn pattern(&mut self, pattern: &Pattern<&str>) {
        for element in &pattern.elements {
            if let PatternElement::Placeable { expression } = element {
                self.expression(expression);
            }
        }
    }

    fn expression(&mut self, expression: &Expression<&str>) {
        match expression {
            Expression::Inline(inline) => self.inline(inline),
            Expression::Select { selector, variants } => {
                self.inline(selector);
                variants.iter().for_each(|variant| self.pattern(&variant.value));
            }
        }
    }

    fn inline(&mut self, inline: &InlineExpression<&str>) {
        match inline {
            InlineExpression::VariableReference { id } => {
                self.variables.insert(id.name.to_owned());
            }
            InlineExpression::MessageReference { id, attribute } => {
                self.texts.insert(match attribute {
                    Some(attribute) => format!("{}.{}", id.name, attribute.name),
                    None => id.name.to_owned(),
                });
            }
            InlineExpression::FunctionReference { arguments, .. }
            | InlineExpression::TermReference { arguments: Some(arguments), .. } => {
                arguments.positional.iter().for_each(|argument| self.inline(argument));
                arguments.named.iter().for_each(|argument| self.inline(&argument.value));
            }
            InlineExpression::Placeable { expression } => self.expression(expression),
            InlineExpression::TermReference { arguments: None, .. }
            | InlineExpression::StringLiteral { .. }
            | InlineExpression::NumberLiteral { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_in_every_branch_and_every_text_inside() {
        let text = "\
a = { $one -> \n    [x] { b }\n   *[other] { NUMBER($two) }\n  }
    .c = { -term(case: \"x\") } { a }
b = { b.d }
    .d = { { $three } } { b }
-term = { $case }
";
        let uses = Uses::of(&FluentResource::try_new(text.to_owned()).unwrap());
        assert_eq!(uses.variables("a.c").into_iter().collect::<Vec<_>>(), ["one", "three", "two"]);
        assert_eq!(uses.variables("b").into_iter().collect::<Vec<_>>(), ["three"]);
        assert!(uses.variables("gone").is_empty());
    }
}
