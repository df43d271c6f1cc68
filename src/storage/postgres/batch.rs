//! A batch of commits by column, as `unnest` takes it. A member's number, where a row says whose it is, counts from 1.

use super::super::json::encode;
use super::super::{Commit, Error};
use super::seconds;

type Query<'q> = sqlx::query::Query<'q, sqlx::Postgres, sqlx::postgres::PgArguments>;

/// Its chats.
#[derive(Default)]
pub(super) struct Members<'a> {
    bots: Vec<i64>,
    chats: Vec<i64>,
    versions: Vec<i64>,
    locales: Vec<Option<&'a str>>,
    desired: Vec<Option<String>>,
    vars: Vec<String>,
    balances: Vec<i64>,
    busy: Vec<Option<String>>,
    banned: Vec<bool>,
    blocked: Vec<bool>,
    fences: Vec<String>,
    at: Vec<f64>,
    premium: Vec<Option<f64>>,
    paid: Vec<bool>,
}

impl<'a> Members<'a> {
    pub(super) fn of(commits: &[&'a Commit]) -> Self {
        let mut members = Self::default();
        for Commit { key, chat, fence, at, .. } in commits {
            members.bots.push(key.bot.0);
            members.chats.push(key.chat.0);
            members.versions.push(chat.version.0);
            members.locales.push(chat.locale.as_deref());
            members.desired.push(chat.desired.as_ref().map(encode));
            members.vars.push(encode(&chat.vars));
            members.balances.push(chat.balance);
            members.busy.push(chat.busy.as_ref().map(encode));
            members.banned.push(chat.banned);
            members.blocked.push(chat.blocked);
            members.fences.push(encode(fence));
            members.at.push(seconds(*at));
            members.premium.push(chat.premium_until.map(seconds));
            members.paid.push(chat.paid);
        }
        members
    }

    /// $1 to $14.
    pub(super) fn bind(self, query: Query<'a>) -> Query<'a> {
        query
            .bind(self.bots)
            .bind(self.chats)
            .bind(self.versions)
            .bind(self.locales)
            .bind(self.desired)
            .bind(self.vars)
            .bind(self.balances)
            .bind(self.busy)
            .bind(self.banned)
            .bind(self.blocked)
            .bind(self.fences)
            .bind(self.at)
            .bind(self.premium)
            .bind(self.paid)
    }
}

/// Its jobs.
#[derive(Default)]
pub(super) struct Jobs<'a> {
    members: Vec<i64>,
    positions: Vec<i64>,
    lanes: Vec<&'static str>,
    keys: Vec<String>,
    places: Vec<Option<String>>,
    payloads: Vec<Option<&'a str>>,
}

impl<'a> Jobs<'a> {
    pub(super) fn of(commits: &[&'a Commit]) -> Result<Self, Error> {
        let mut jobs = Self::default();
        for (member, commit) in (1..).zip(commits) {
            for job in commit.queued()? {
                jobs.members.push(member);
                jobs.positions.push(job.position);
                jobs.lanes.push(job.lane.name());
                jobs.keys.push(job.key);
                jobs.places.push(job.place.map(|place| place.to_string()));
                jobs.payloads.push(job.payload);
            }
        }
        Ok(jobs)
    }

    /// $15 to $20.
    pub(super) fn bind(self, query: Query<'a>) -> Query<'a> {
        query
            .bind(self.members)
            .bind(self.positions)
            .bind(self.lanes)
            .bind(self.keys)
            .bind(self.places)
            .bind(self.payloads)
    }
}

/// What is beside its chats and jobs, payments excepted.
#[derive(Default)]
pub(super) struct Books<'a> {
    entry_members: Vec<i64>,
    kinds: Vec<&'static str>,
    amounts: Vec<i64>,
    references: Vec<&'a str>,
    cancelled_members: Vec<i64>,
    cancelled: Vec<&'a str>,
    memory_members: Vec<i64>,
    kept: Vec<i64>,
    turn_members: Vec<i64>,
    turn_positions: Vec<i64>,
    roles: Vec<&'static str>,
    texts: Vec<&'a str>,
}

impl<'a> Books<'a> {
    pub(super) fn of(commits: &[&'a Commit]) -> Result<Self, Error> {
        let mut all = Self::default();
        for (member, commit) in (1..).zip(commits) {
            let books = &commit.books;
            for entry in &books.entries {
                all.entry_members.push(member);
                all.kinds.push(entry.kind.name());
                all.amounts.push(entry.amount);
                all.references.push(&entry.reference);
            }
            if let Some(key) = &books.cancelled {
                all.cancelled_members.push(member);
                all.cancelled.push(key);
            }
            let Some(remembered) = commit.remembered()? else { continue };
            all.memory_members.push(member);
            all.kept.push(remembered.kept);
            for (position, turn) in remembered.turns {
                all.turn_members.push(member);
                all.turn_positions.push(position);
                all.roles.push(turn.role.name());
                all.texts.push(&turn.text);
            }
        }
        Ok(all)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entry_members.is_empty() && self.cancelled.is_empty() && self.memory_members.is_empty()
    }

    /// $21 to $32.
    pub(super) fn bind(self, query: Query<'a>) -> Query<'a> {
        query
            .bind(self.entry_members)
            .bind(self.kinds)
            .bind(self.amounts)
            .bind(self.references)
            .bind(self.cancelled_members)
            .bind(self.cancelled)
            .bind(self.memory_members)
            .bind(self.kept)
            .bind(self.turn_members)
            .bind(self.turn_positions)
            .bind(self.roles)
            .bind(self.texts)
    }
}
