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
    /// Whether what one variable is decides if another one is looked at.
    nested: bool,
}

/// What a text hangs on, with all texts in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::flow) struct Dependence<'u> {
    pub(in crate::flow) variables: BTreeSet<&'u str>,
    /// Whether what one variable is decides if another one is looked at. Else each adds to the text on its own.
    pub(in crate::flow) nested: bool,
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
    pub(in crate::flow) fn named(&self) -> impl Iterator<Item = (&str, &BTreeSet<String>)> + Clone {
        self.0.iter().map(|(id, names)| (id.as_str(), &names.variables))
    }

    /// What the text `id` hangs on.
    pub(in crate::flow) fn dependence(&self, id: &str) -> Dependence<'_> {
        let (mut found, mut seen, mut waiting) = (Dependence::default(), BTreeSet::new(), vec![id]);
        while let Some(id) = waiting.pop() {
            if let Some(names) = self.0.get(id)
                && seen.insert(id)
            {
                found.variables.extend(names.variables.iter().map(String::as_str));
                found.nested |= names.nested;
                waiting.extend(names.texts.iter().map(String::as_str));
            }
        }
        found
    }
}

impl Names {
    fn of(pattern: &Pattern<&str>) -> Self {
        let mut names = Self::default();
        names.pattern(pattern, &[]);
        names
    }

    /// `chosen`: what chose the branch that the pattern stands in.
    fn pattern(&mut self, pattern: &Pattern<&str>, chosen: &[&str]) {
        for element in &pattern.elements {
            if let PatternElement::Placeable { expression } = element {
                self.expression(expression, chosen);
            }
        }
    }

    fn expression(&mut self, expression: &Expression<&str>, chosen: &[&str]) {
        match expression {
            Expression::Inline(inline) => self.inline(inline, chosen),
            Expression::Select { selector, variants } => {
                self.inline(selector, chosen);
                let mut deeper = chosen.to_vec();
                deeper.push(match selector {
                    InlineExpression::VariableReference { id } => id.name,
                    _ => "",
                });
                variants.iter().for_each(|variant| self.pattern(&variant.value, &deeper));
            }
        }
    }

    fn inline(&mut self, inline: &InlineExpression<&str>, chosen: &[&str]) {
        match inline {
            InlineExpression::VariableReference { id } => {
                self.nested |= !chosen.is_empty() && !chosen.contains(&id.name);
                self.variables.insert(id.name.to_owned());
            }
            InlineExpression::MessageReference { id, attribute } => {
                self.nested |= !chosen.is_empty();
                self.texts.insert(match attribute {
                    Some(attribute) => format!("{}.{}", id.name, attribute.name),
                    None => id.name.to_owned(),
                });
            }
            InlineExpression::FunctionReference { arguments, .. }
            | InlineExpression::TermReference { arguments: Some(arguments), .. } => {
                arguments.positional.iter().for_each(|argument| self.inline(argument, chosen));
                arguments.named.iter().for_each(|argument| self.inline(&argument.value, chosen));
            }
            InlineExpression::Placeable { expression } => self.expression(expression, chosen),
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
        let depends = |id: &str| {
            let Dependence { variables, nested } = uses.dependence(id);
            (variables.into_iter().collect::<Vec<_>>(), nested)
        };
        assert_eq!(depends("a.c"), (vec!["one", "three", "two"], true));
        assert_eq!(depends("b"), (vec!["three"], false));
        assert_eq!(depends("gone"), (vec![], false));
    }

    #[test]
    fn a_variable_inside_its_own_branches_is_not_nested() {
        let nested = |text: &str| {
            let text = format!("a = {text}\n");
            Uses::of(&FluentResource::try_new(text).unwrap()).dependence("a").nested
        };
        assert!(!nested("{ $n ->\n    [one] { $n }\n   *[other] { $n }s\n  } { $m }"));
        assert!(nested("{ $n ->\n    [one] { $m }\n   *[other] x\n  }"));
        assert!(nested("{ NUMBER($n) ->\n    [one] { $n }\n   *[other] x\n  }"));
    }
}
