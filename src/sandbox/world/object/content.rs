//! Pure: no I/O, no clock. What messages hold.

use super::STARS;
use crate::sandbox::markup::Entity;
use crate::sandbox::world::Thing;
use crate::sandbox::world::message::{Charge, Content};
use crate::sandbox::world::photo::Size;
use serde::Serialize;

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ContentObject<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        entities: &'a [Entity],
    },
    Photo {
        photo: &'a [Size],
        #[serde(skip_serializing_if = "str::is_empty")]
        caption: &'a str,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        caption_entities: &'a [Entity],
    },
    Invoice {
        invoice: InvoiceObject<'a>,
    },
    Paid {
        successful_payment: ChargeObject<'a>,
    },
    Refunded {
        refunded_payment: ChargeObject<'a>,
    },
    Sticker {
        sticker: Sticker,
    },
    Voice {
        voice: Voice,
    },
    Location {
        location: Location,
    },
}

#[derive(Serialize)]
pub(super) struct InvoiceObject<'a> {
    title: &'a str,
    description: &'a str,
    start_parameter: &'a str,
    currency: &'static str,
    total_amount: i64,
}

#[derive(Serialize)]
pub(super) struct ChargeObject<'a> {
    currency: &'static str,
    total_amount: i64,
    invoice_payload: &'a str,
    telegram_payment_charge_id: &'a str,
    /// Stars have no provider: it repeats the payer and their charge in one made-up word.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_payment_charge_id: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Sticker {
    width: u32,
    height: u32,
    emoji: &'static str,
    is_animated: bool,
    is_video: bool,
    r#type: &'static str,
    file_id: &'static str,
    file_unique_id: &'static str,
    file_size: u32,
}

#[derive(Serialize)]
pub(super) struct Voice {
    duration: u32,
    mime_type: &'static str,
    file_id: &'static str,
    file_unique_id: &'static str,
    file_size: u32,
}

#[derive(Serialize)]
pub(super) struct Location {
    latitude: f64,
    longitude: f64,
}

impl<'a> ContentObject<'a> {
    pub(super) fn of(content: &'a Content) -> Self {
        match content {
            Content::Text(text) => Self::Text { text: &text.text, entities: &text.entities },
            Content::Photo { photo, caption } => {
                Self::Photo { photo: &photo.sizes, caption: &caption.text, caption_entities: &caption.entities }
            }
            Content::Invoice { invoice, .. } => Self::Invoice {
                invoice: InvoiceObject {
                    title: &invoice.title,
                    description: &invoice.description,
                    start_parameter: &invoice.start_parameter,
                    currency: STARS,
                    total_amount: invoice.amount,
                },
            },
            Content::Paid(charge) => {
                let provider = format!("{}_{}", charge.user, charge.invoice);
                Self::Paid { successful_payment: ChargeObject::of(charge, Some(provider)) }
            }
            Content::Refunded(charge) => Self::Refunded { refunded_payment: ChargeObject::of(charge, None) },
            Content::Thing(thing) => Self::thing(*thing),
        }
    }

    fn thing(thing: Thing<'static>) -> Self {
        match thing {
            // A photo is a content of its own.
            Thing::Photo(text) => Self::Text { text, entities: &[] },
            Thing::Sticker => Self::Sticker {
                sticker: Sticker {
                    width: 512,
                    height: 512,
                    emoji: "👍",
                    is_animated: false,
                    is_video: false,
                    r#type: "regular",
                    file_id: "CAACAgIAAxkBAAMDaGVsbG8gZnJvbSB0aGUgc2FuZGJveAACAgADNgQ",
                    file_unique_id: "AgADAgADNgQ",
                    file_size: 18_432,
                },
            },
            Thing::Voice => Self::Voice {
                voice: Voice {
                    duration: 2,
                    mime_type: "audio/ogg",
                    file_id: "AwACAgIAAxkBAAMEaGVsbG8gZnJvbSB0aGUgc2FuZGJveAACBAADNgQ",
                    file_unique_id: "AgADBAADNgQ",
                    file_size: 7_680,
                },
            },
            Thing::Location => Self::Location { location: Location { latitude: 48.8584, longitude: 2.2945 } },
        }
    }
}

impl<'a> ChargeObject<'a> {
    fn of(charge: &'a Charge, provider_payment_charge_id: Option<String>) -> Self {
        Self {
            currency: STARS,
            total_amount: charge.amount,
            invoice_payload: &charge.payload,
            telegram_payment_charge_id: &charge.id,
            provider_payment_charge_id,
        }
    }
}
