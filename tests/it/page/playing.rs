//! The chats: every screen, the language, the commands, blocking, a third user, the keyboard alone, a narrow window, an
//! invoice.

use super::visit::Visit;
use crate::harness::browser::Window;
use serde_json::json;

#[tokio::test]
async fn a_newcomer_presses_start_and_walks_through_every_screen() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.starts("Ann").await;
    page.sees("Ann", "I know a few people").await;
    for (button, seen) in [
        ("Choose a companion", "Who would you like to talk to?"),
        ("Luna", "Luna is listening"),
        ("Somebody else", "Who would you like to talk to?"),
        ("Max", "Max is listening"),
        ("Back", "Who would you like to talk to?"),
        ("Back", "Your companion: Max"),
    ] {
        page.presses("Ann", button).await;
        page.sees("Ann", seen).await;
    }
    page.writes("Ann", "/menu").await;
    page.sees("Ann", "Your companion: Max").await;
    for (button, seen) in [
        ("Talk", "Max is listening"),
        ("Back", "Your companion: Max"),
        ("Get messages", "What would you like to have?"),
        ("Back", "Your companion: Max"),
        ("Settings", "Which language do you speak?"),
        ("Back", "Your companion: Max"),
        ("About", "Each of your messages costs"),
        ("Back", "Your companion: Max"),
    ] {
        page.presses("Ann", button).await;
        page.sees("Ann", seen).await;
    }
    assert_eq!(page.messages_of_the_bot("Ann").await, 1, "one screen, edited in place, and the old one is removed");
    page.wire_shows(&["message", "200", "first", "Ann"]).await;
    page.wire_shows(&["editMessageText", "200", "request", "Ann"]).await;
    page.ends().await;
}

#[tokio::test]
async fn two_users_speak_their_own_languages_and_one_changes_theirs() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.starts("Ann").await;
    page.starts("Борис").await;
    page.sees("Ann", "Hello!").await;
    page.sees("Борис", "Привет!").await;
    page.presses("Борис", "Настройки").await;
    page.presses("Борис", "English").await;
    page.sees("Борис", "Which language do you speak?").await;
    page.sees("Ann", "Hello!").await;
    page.ends().await;
}

#[tokio::test]
async fn the_state_of_a_chat_is_shown_as_the_store_has_it() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.starts("Ann").await;
    page.presses("Ann", "Choose a companion").await;
    page.sees("Ann", "Who would you like to talk to?").await;
    page.browser.says("document.getElementById('tab-state').click()", json!([])).await;
    page.waits(
        "desired and shown are the screen that is seen",
        "const screens = [...document.querySelectorAll('.screen-name')].map((one) => one.textContent);
         return screens.length === 2 && screens.every((screen) => screen === 'characters') && document.querySelector('.step').textContent === 'in step'
             && document.querySelectorAll('.fence li').length === 2 && document.querySelector('.stack').textContent.includes('welcome');",
        json!([]),
    )
    .await;
    page.ends().await;
}

#[tokio::test]
async fn a_commands_menu_is_there_and_an_unknown_command_is_answered() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.starts("Ann").await;
    page.sees("Ann", "Hello!").await;
    page.browser.says("document.querySelector('.phone .menu').click()", json!([])).await;
    page.waits(
        "the menu has the flow's commands",
        "const all = [...document.querySelectorAll('.phone .commands button')]; const one = all.find((one) => one.textContent === '/settingsLanguage and memory');
         one?.click(); return Boolean(one) && all.length === 8;",
        json!([]),
    )
    .await;
    page.sees("Ann", "Which language do you speak?").await;
    page.writes("Ann", "/nonsense").await;
    page.sees("Ann", "I do not know this command").await;
    page.ends().await;
}

#[tokio::test]
async fn a_blocked_bot_is_told_so_and_an_unblocked_one_goes_on() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.starts("Ann").await;
    page.sees("Ann", "Hello!").await;
    page.chooses("Ann", "Block the bot").await;
    page.wire_shows(&["my_chat_member", "200", "first", "Ann"]).await;
    page.waits(
        "the field gives way",
        "return document.querySelector('.phone form').hidden && document.querySelector('.foot-line > .wide').textContent.includes('UNBLOCK')",
        json!([]),
    )
    .await;
    page.starts("Ann").await;
    page.waits("the field is back", "return !document.querySelector('.phone form').hidden", json!([])).await;
    page.sees("Ann", "Hello!").await;
    page.presses("Ann", "About").await;
    page.sees("Ann", "Each of your messages costs").await;
    page.ends().await;
}

#[tokio::test]
async fn a_third_user_is_added_with_a_language() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.browser
        .says(
            "document.getElementById('add-user').click();
             const form = document.getElementById('new-user-form');
             form.elements.first_name.value = 'Chloé <b>'; form.elements.language.value = 'ru-RU'; form.requestSubmit();",
            json!([]),
        )
        .await;
    page.starts("Chloé <b>").await;
    page.sees("Chloé <b>", "Привет!").await;
    page.ends().await;
}

#[tokio::test]
async fn the_keyboard_alone_is_enough() {
    const ENTER: &str = "\u{E007}";
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    let focus = "const one = document.activeElement; return one.textContent.trim();";
    let mut tabs = 0;
    while page.browser.says(focus, json!([])).await != "START" {
        page.browser.types("\u{E004}").await;
        tabs += 1;
        assert!(tabs < 40, "START is not reached by the Tab key");
    }
    page.browser.types(ENTER).await;
    page.sees("Ann", "Hello!").await;
    page.browser.says("document.querySelector('.phone .keys button').focus()", json!([])).await;
    page.browser.types(ENTER).await;
    page.sees("Ann", "Who would you like to talk to?").await;
    page.waits(
        "the focus stays on the keyboard of the edited message",
        "return document.activeElement.closest('.phone .keys') !== null",
        json!([]),
    )
    .await;
    page.ends().await;
}

#[tokio::test]
async fn on_a_narrow_window_one_thing_is_seen_at_a_time_and_nothing_overflows() {
    let Some(page) = Visit::begins(Window::Narrow, None).await else { return };
    page.starts("Ann").await;
    page.sees("Ann", "Hello!").await;
    for (view, seen) in
        [("chat", ".phone.seen"), ("wire", "#wire"), ("graph", "#graph"), ("faults", "#faults"), ("state", "#state")]
    {
        let fits = page
            .browser
            .says(
                "document.querySelector(`#views [data-view=\"${arguments[0]}\"]`).click();
                 const shown = ['.phone.seen', '#wire', '#graph', '#faults', '#state'].filter((one) => document.querySelector(one).getBoundingClientRect().width > 0);
                 return shown.length === 1 && shown[0] === arguments[1] && document.documentElement.scrollWidth <= innerWidth;",
                json!([view, seen]),
            )
            .await;
        assert_eq!(fits, true, "{view}");
    }
    page.ends().await;
}

/// The bot's side of a payment is nobody's here, so the checkout is not agreed to: its user is told, and pays nothing.
#[tokio::test]
async fn an_invoice_is_a_sheet_to_confirm_and_a_checkout_that_nobody_agrees_to_fails() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.starts("Ann").await;
    page.sees("Ann", "Hello!").await;
    let find = r"return document.body.textContent.match(/Bot API (http:\/\/[\d.:]+)/)?.[1]";
    let bot_api = page.waits("the page says where the Bot API is", find, json!([])).await;
    let bot_api = bot_api.as_str().unwrap();
    let ann = page.browser.says("return document.querySelector('.phone').dataset.user", json!([])).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let invoice = json!({
        "chat_id": ann.as_str().unwrap().parse::<i64>().unwrap(), "title": "Ten messages", "description": "To talk on",
        "payload": "ten", "currency": "XTR", "prices": [{"label": "Ten messages", "amount": 50}],
    });
    let url = format!("{bot_api}/bot4200000042:SANDBOX-a-token-that-opens-nothing/sendInvoice");
    let sent: serde_json::Value = client.post(url).json(&invoice).send().await.unwrap().json().await.unwrap();
    assert_eq!(sent["ok"], true, "{sent}");

    page.presses("Ann", "50").await;
    page.waits(
        "the sheet asks, and is confirmed",
        "const sheet = document.querySelector('.sheet'); if (!sheet?.textContent.includes('Ten messages')) return false;
         sheet.querySelector('button.wide').click(); return true;",
        json!([]),
    )
    .await;
    page.wire_shows(&["pre_checkout_query", "200", "Ann"]).await;
    page.waits("it failed", "return document.querySelector('.sheet .failed')?.textContent", json!([])).await;
    page.ends().await;
}
