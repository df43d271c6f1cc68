//! The users of a script: who they are in the world, and what they saw when something was last done.

use super::difference::{Effect, effects};
use super::parse::ANN;
use super::transcript;
use crate::sandbox::world::{ChatView, World};
use crate::telegram::id::ChatId;

/// The users of a script, in the order in which it speaks of them.
#[derive(Debug)]
pub(super) struct Cast {
    world: World,
    players: Vec<Player>,
}

#[derive(Debug)]
struct Player {
    name: String,
    id: ChatId,
    before: ChatView,
}

impl Cast {
    /// Nobody yet.
    pub(super) fn new(world: World) -> Self {
        Self { world, players: Vec::new() }
    }

    /// Adds a user.
    pub(super) fn add(&mut self, name: &str, language: Option<&str>, first_name: &str) -> ChatId {
        let id = self.world.add_user(first_name, language);
        let before = self.world.chat(id).expect("a user that was added has a chat");
        self.players.push(Player { name: name.to_owned(), id, before });
        id
    }

    /// The user called `name`. A script names nobody but whom it introduced, and Ann.
    pub(super) fn id(&mut self, name: &str) -> ChatId {
        match self.players.iter().find(|player| player.name == name) {
            Some(player) => player.id,
            None => self.add(name, Some(ANN.1), ANN.2),
        }
    }

    /// Something is about to be done: what everybody sees now is what they will have seen before.
    pub(super) fn looks(&mut self) {
        for player in &mut self.players {
            player.before = chat(&self.world, player.id);
        }
    }

    /// What the user called `name` saw before, and what they see now.
    pub(super) fn sight(&mut self, name: &str) -> (ChatView, ChatView) {
        let id = self.id(name);
        let now = chat(&self.world, id);
        let before = self.players.iter().find(|player| player.id == id).map(|player| player.before.clone());
        (before.unwrap_or_else(|| now.clone()), now)
    }

    /// What happened to everybody since they looked, as text.
    pub(super) fn effects(&self) -> String {
        let effects_on = |player: &Player| {
            let now = chat(&self.world, player.id);
            let tell = |effect: Effect<'_>| transcript::effect(&player.name, effect);
            effects(&player.before, &now).into_iter().map(tell).collect::<String>()
        };
        self.players.iter().map(effects_on).collect()
    }
}

fn chat(world: &World, id: ChatId) -> ChatView {
    world.chat(id).expect("users never leave the world")
}
