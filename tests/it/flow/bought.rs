//! Stars for products: what may be paid, what is given for it once, and what is taken back.

use super::ann::Ann;
use super::language::sources;
use proptest::prelude::*;
use std::time::Duration;
use tapgate::clock::Timestamp;
use tapgate::flow::Flow;
use tapgate::flow::books::{EntryKind, Payment};
use tapgate::flow::decision::{Decision, Job, Note, Place};
use tapgate::flow::event::{Happened, Purchase};

const DAYS: Duration = Duration::from_secs(24 * 60 * 60);
const PASSED: &str = r#"{"method":"answerPreCheckoutQuery","pre_checkout_query_id":"q","ok":true}"#;
const REFUSED: &str = r#"{"method":"answerPreCheckoutQuery","pre_checkout_query_id":"q","ok":false,"error_message":"#;

fn flow() -> Flow {
    Flow::parse(&sources()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn ann(flow: &Flow) -> Ann<'_> {
    let mut ann = Ann::new(flow, "en");
    ann.says("/start");
    ann
}

fn purchase<'a>(payload: &'a str, currency: &'a str, total_amount: i64) -> Purchase<'a> {
    Purchase { currency: currency.into(), total_amount, payload: payload.into() }
}

fn pays(ann: &mut Ann<'_>, charge: &str, purchase: Purchase<'_>) -> Decision {
    ann.happens(Happened::Paid { charge: charge.into(), purchase })
}

fn recorded(decision: &Decision) -> Option<&Payment> {
    decision.change.as_ref().and_then(|change| change.books.payment.as_ref())
}

fn refunds(ann: &mut Ann<'_>, payment: Option<&Payment>) -> Decision {
    let (charge, purchase) = ("c".into(), purchase("ten", "XTR", 50));
    ann.happens(Happened::Refunded { charge, purchase, payment: payment.cloned() })
}

#[test]
fn a_checkout_goes_on_for_what_is_sold_for_that_price_and_for_nothing_else() {
    let flow = flow();
    let mut ann = ann(&flow);
    let before = ann.chat.clone();
    let asks = |ann: &mut Ann<'_>, purchase| {
        let decision = ann.happens(Happened::Checkout { query: "q".into(), purchase });
        assert_eq!(decision.change, None, "nothing is paid yet");
        decision.answer.body().to_owned()
    };
    assert_eq!(asks(&mut ann, purchase("ten", "XTR", 50)), PASSED);
    for (payload, currency, amount) in [
        ("eleven", "XTR", 50),
        ("ten", "XTR", 49),
        ("ten", "XTR", 51),
        ("ten", "USD", 50),
        ("", "XTR", 50),
        ("month", "XTR", 50),
    ] {
        let answer = asks(&mut ann, purchase(payload, currency, amount));
        assert_eq!(answer, format!("{REFUSED}\"Not sold\"}}"), "{payload} for {amount} {currency}");
    }
    ann.chat.banned = true;
    assert_eq!(asks(&mut ann, purchase("ten", "XTR", 50)), format!("{REFUSED}\"Suspended\"}}"));
    ann.chat.banned = false;
    assert_eq!(ann.chat, before);
    let mut stranger = Ann::new(&flow, "en");
    assert_eq!(asks(&mut stranger, purchase("ten", "XTR", 50)), PASSED, "a forwarded invoice");
}

#[test]
fn what_is_paid_is_given_and_shown() {
    let flow = flow();
    let mut ann = ann(&flow);
    let decision = pays(&mut ann, "c1", purchase("ten", "XTR", 50));
    assert_eq!((ann.chat.balance, ann.booked.as_slice()), (13, &[(EntryKind::Paid, 10)][..]));
    let expected = Payment {
        charge: "c1".to_owned(),
        product: Some("ten".to_owned()),
        payload: "ten".to_owned(),
        currency: "XTR".to_owned(),
        amount: 50,
        messages: 10,
        premium_days: 0,
        refunded: false,
    };
    assert_eq!((recorded(&decision), decision.note), (Some(&expected), None));
    assert_eq!(decision.change.as_ref().unwrap().books.entries[0].reference, "c1", "the ledger names the charge");
    assert_eq!(decision.change.unwrap().jobs, [Job::Screen(Place::New)]);
    assert_eq!((ann.stands().as_str(), ann.chat.paid, ann.chat.premium_until), ("home", true, None));
}

#[test]
fn days_of_premium_add_up_and_lapse() {
    let flow = flow();
    let mut ann = ann(&flow);
    ann.now = Timestamp::from_unix_seconds(1000);
    pays(&mut ann, "c1", purchase("month", "XTR", 200));
    assert_eq!((ann.stands().as_str(), ann.chat.premium_until), ("home > thanks", Some(ann.now.plus(30 * DAYS))));
    assert_eq!(ann.sees(), "Thanks, premium: 3\n");
    let first = ann.now;
    ann.now = first.plus(10 * DAYS);
    pays(&mut ann, "c2", purchase("month", "XTR", 200));
    assert_eq!(ann.chat.premium_until, Some(first.plus(60 * DAYS)));
    ann.now = first.plus(60 * DAYS);
    assert_eq!(ann.chat.as_of(ann.now).premium_until, None, "as whoever renders it has to see it");
    pays(&mut ann, "c3", purchase("month", "XTR", 200));
    assert_eq!(ann.chat.premium_until, Some(ann.now.plus(30 * DAYS)), "what has lapsed begins anew");
    ann.now = ann.now.plus(30 * DAYS);
    ann.says("/start");
    assert_eq!(ann.chat.premium_until, None);
}

#[test]
fn whoever_pays_first_of_all_is_known_from_then_on() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    pays(&mut ann, "c1", purchase("ten", "XTR", 50));
    assert_eq!((ann.chat.balance, ann.stands().as_str()), (13, "home"));
    assert_eq!(ann.booked, [(EntryKind::Free, 3), (EntryKind::Paid, 10)]);
    assert_eq!(ann.chat.locale, None, "the language is learnt from the user");
}

#[test]
fn what_is_paid_for_nothing_that_is_sold_is_recorded_and_the_user_is_told() {
    let flow = flow();
    for (payload, currency, amount) in [("ten", "XTR", 49), ("gone", "XTR", 50), ("ten", "EUR", 50)] {
        let mut ann = ann(&flow);
        let decision = pays(&mut ann, "c1", purchase(payload, currency, amount));
        assert_eq!((decision.note, ann.chat.balance, ann.booked.len()), (Some(Note::Unassigned), 3, 0));
        let payment = recorded(&decision).expect("it is recorded");
        assert_eq!((payment.product.as_ref(), payment.messages, payment.amount), (None, 0, amount));
        assert_eq!((ann.texts(), ann.stands().as_str()), (vec!["What <b>for</b>?"], "home"));
    }
}

#[test]
fn whoever_is_suspended_gets_what_they_paid_for_and_sees_nothing() {
    let flow = flow();
    let mut ann = ann(&flow);
    ann.chat.banned = true;
    let decision = pays(&mut ann, "c1", purchase("ten", "XTR", 50));
    assert_eq!((decision.change.unwrap().jobs.len(), ann.chat.balance), (0, 13));
}

#[test]
fn a_refund_takes_back_what_is_left_and_writes_off_the_rest() {
    let flow = flow();
    for (spent, booked, left) in [
        (0, vec![(EntryKind::Refunded, -10)], 3),
        (3, vec![(EntryKind::Refunded, -10)], 0),
        (9, vec![(EntryKind::Refunded, -10), (EntryKind::WrittenOff, 6)], 0),
        (13, vec![(EntryKind::Refunded, -10), (EntryKind::WrittenOff, 10)], 0),
    ] {
        let mut ann = ann(&flow);
        let payment = recorded(&pays(&mut ann, "c", purchase("ten", "XTR", 50))).cloned().unwrap();
        ann.chat.balance -= spent;
        let decision = refunds(&mut ann, Some(&payment));
        assert_eq!((ann.booked.clone(), ann.chat.balance), (booked, left), "{spent} spent");
        let change = decision.change.unwrap();
        assert_eq!((change.books.refunded.as_deref(), change.books.payment), (Some("c"), None));
        assert_eq!(change.jobs, [Job::Screen(Place::Shown)]);
        let twice = refunds(&mut ann, Some(&Payment { refunded: true, ..payment }));
        assert_eq!(twice, Decision::default());
    }
}

#[test]
fn a_refund_takes_back_the_days_of_premium() {
    let flow = flow();
    let mut ann = ann(&flow);
    let payment = recorded(&pays(&mut ann, "c", purchase("month", "XTR", 200))).cloned().unwrap();
    pays(&mut ann, "d", purchase("month", "XTR", 200));
    refunds(&mut ann, Some(&payment));
    assert_eq!(ann.chat.premium_until, Some(ann.now.plus(30 * DAYS)));
    refunds(&mut ann, Some(&Payment { charge: "d".to_owned(), ..payment }));
    assert_eq!(ann.chat.premium_until, None);
}

#[test]
fn a_refund_of_a_payment_that_is_not_known_is_recorded_and_nothing_else() {
    let flow = flow();
    let mut ann = ann(&flow);
    let decision = refunds(&mut ann, None);
    let payment = recorded(&decision).unwrap();
    assert_eq!((payment.refunded, payment.product.as_ref(), payment.charge.as_str()), (true, None, "c"));
    assert_eq!((decision.note, ann.chat.balance), (Some(Note::UnknownRefund), 3));
    assert_eq!(decision.change.unwrap().jobs, []);
}

#[test]
fn an_operator_gives_and_takes_and_nobody_is_left_with_less_than_nothing() {
    let flow = flow();
    let grants = |ann: &mut Ann<'_>, amount| ann.happens(Happened::Granted { amount, reason: "sorry".into() });
    let mut ann = ann(&flow);
    let decision = grants(&mut ann, 5);
    assert_eq!((ann.chat.balance, ann.booked.as_slice()), (8, &[(EntryKind::Granted, 5)][..]));
    let change = decision.change.unwrap();
    assert_eq!(
        (change.books.entries[0].reference.as_str(), change.jobs.as_slice()),
        ("sorry", &[Job::Screen(Place::Shown)][..])
    );
    grants(&mut ann, -20);
    assert_eq!((ann.chat.balance, ann.booked.as_slice()), (0, &[(EntryKind::Granted, -8)][..]));
    assert_eq!((grants(&mut ann, -1), grants(&mut ann, 0)), (Decision::default(), Decision::default()));
    ann.chat.banned = true;
    assert_eq!(grants(&mut ann, 1).change.unwrap().jobs, []);

    let mut new = Ann::new(&flow, "ru");
    grants(&mut new, 5);
    assert_eq!((new.chat.balance, new.chat.locale.as_ref(), new.stands().as_str()), (8, None, "nowhere"));
    new.says("/start");
    assert_eq!(
        (new.chat.balance, new.chat.locale.as_deref()),
        (8, Some("ru")),
        "their language is that of their client"
    );
}

proptest! {
    #[test]
    fn nothing_that_is_paid_or_forged_gives_more_than_the_flow_sells_for_exactly_that(
        payload in prop_oneof![Just("ten".to_owned()), Just("month".to_owned()), any::<String>()],
        currency in prop_oneof![4 => Just("XTR".to_owned()), 1 => any::<String>()],
        amount in prop_oneof![Just(50), Just(200), any::<i64>()],
        charge in any::<String>(),
        balance in 0..i64::MAX,
        banned in any::<bool>(),
    ) {
        thread_local!(static FLOW: Flow = flow());
        FLOW.with(|flow| {
            let mut ann = ann(flow);
            (ann.chat.balance, ann.chat.banned) = (balance, banned);
            let decision = pays(&mut ann, &charge, purchase(&payload, &currency, amount));
            let sold = flow.products().find(|(name, product)| *name == payload && product.stars == amount && currency == "XTR");
            let (messages, days) = sold.map_or((0, 0), |(_, product)| (product.messages, product.premium_days));
            assert_eq!(ann.chat.balance, balance.saturating_add(messages));
            assert_eq!(ann.chat.premium_until.is_some(), days > 0);
            let payment = recorded(&decision).expect("a payment is always recorded");
            assert_eq!((payment.charge.as_str(), payment.payload.as_str(), payment.amount), (charge.as_str(), payload.as_str(), amount));
            assert_eq!(payment.product.as_deref(), sold.map(|(name, _)| name));

            let (charge, purchase) = (charge.as_str().into(), purchase(&payload, &currency, amount));
            ann.happens(Happened::Refunded { charge, purchase, payment: Some(payment.clone()) });
            assert!(ann.chat.balance <= balance, "what was given is taken back");
            assert!(ann.chat.balance >= 0);
        });
    }
}
