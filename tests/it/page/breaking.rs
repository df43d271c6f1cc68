//! The buttons that break something, and what one is promised to see.

use super::visit::Visit;
use crate::harness::browser::Window;
use serde_json::json;

#[tokio::test]
async fn an_update_delivered_twice_has_one_effect_and_the_same_answer() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.starts("Ann").await;
    page.sees("Ann", "Hello!").await;
    page.breaks("twice", "Ann").await;
    page.presses("Ann", "Choose a companion").await;
    page.sees("Ann", "Who would you like to talk to?").await;
    let first = page.response_of(&["callback_query", "200", "first", "delivered twice"]).await;
    let second = page.response_of(&["callback_query", "200", "second copy"]).await;
    let body = |response: &str| response.split("\n\n").last().unwrap_or_default().to_owned();
    assert!(first.contains("answerCallbackQuery"), "{first}");
    assert_eq!(body(&first), body(&second));
    assert_eq!(page.rows("editMessageText").await.len(), 1, "one effect");
    page.ends().await;
}

#[tokio::test]
async fn a_lost_answer_is_sent_again_and_answered_the_same() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.starts("Ann").await;
    page.sees("Ann", "Hello!").await;
    page.breaks("lose_answer", "Ann").await;
    page.presses("Ann", "About").await;
    page.sees("Ann", "Each of your messages costs").await;
    page.wire_shows(&["callback_query", "answer lost", "first"]).await;
    let again = page.response_of(&["callback_query", "200", "repeat, attempt 2"]).await;
    assert!(again.contains("answerCallbackQuery"), "{again}");
    assert_eq!(page.rows("editMessageText").await.len(), 1, "one effect");
    page.ends().await;
}

#[tokio::test]
async fn a_poison_update_is_a_dead_letter_and_the_next_one_is_handled() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.breaks("poison", "Ann").await;
    page.starts("Ann").await;
    page.sees("Ann", "Hello!").await;
    page.browser.says("document.getElementById('tab-state').click()", json!([])).await;
    page.waits(
        "the dead letter is listed",
        "return [...document.querySelectorAll('#state .rows')].at(-1)?.textContent.includes('given up')",
        json!([]),
    )
    .await;
    page.ends().await;
}

#[tokio::test]
async fn a_bot_api_that_fails_is_asked_again_until_the_screen_is_there() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.breaks("fail", "Ann").await;
    page.starts("Ann").await;
    page.wire_shows(&["sendMessage", "500"]).await;
    page.sees("Ann", "Hello!").await;
    page.wire_shows(&["sendMessage", "200"]).await;
    page.ends().await;
}

#[tokio::test]
async fn a_burst_of_taps_is_answered_tap_by_tap() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    page.starts("Ann").await;
    page.sees("Ann", "Hello!").await;
    page.breaks("burst", "Ann").await;
    let script = "return [...document.querySelectorAll('.wire-list li')].filter((row) => row.innerText.includes('callback_query') && row.innerText.includes('200')).length >= 20";
    page.waits("twenty presses are delivered", script, json!([])).await;
    page.ends().await;
}

#[tokio::test]
async fn a_slider_sets_the_webhook_and_a_delay_is_felt() {
    let Some(page) = Visit::begins(Window::Wide, None).await else { return };
    let turns = "const slider = document.getElementById(arguments[0]); slider.value = arguments[1];
                 slider.dispatchEvent(new Event('input')); slider.dispatchEvent(new Event('change'));";
    page.browser.says(turns, json!(["slider-max_connections", 7])).await;
    page.waits(
        "a second setWebhook went out",
        "return [...document.querySelectorAll('.wire-list li')].filter((row) => row.innerText.includes('setWebhook')).length >= 2",
        json!([]),
    )
    .await;
    page.browser.says(turns, json!(["slider-artificial-delay", 7])).await;
    page.starts("Ann").await;
    page.sees("Ann", "Hello!").await;
    page.waits(
        "the formula has both",
        "const text = document.querySelector('.formula').textContent; const took = / = 7 ÷ (\\d+) ms/.exec(text); return took && Number(took[1]) >= 200",
        json!([]),
    )
    .await;
    page.ends().await;
}
