## Parts of other texts

topic-name = { $topic ->
    [order] an order
    [payment] a payment
    [other] something else
   *[none] nothing yet
}

back = ‹ Back
words-please = I can only read words. Please describe it in a message.

## Commands

command-start = The front desk
command-ask = Ask a question
command-hours = When we are there

## Screens

welcome =
    <b>Support</b>

    What can we do for you?
    .topics = ✍️ Ask a question
    .question = 📨 My question
    .hours = 🕘 Opening hours
    .site = 🌐 Answers on our site
    .english = English
    .spanish = Español

topics =
    What is it about?
    .order = 📦 An order
    .payment = 💳 A payment
    .other = 💬 Something else

ask =
    It is about { topic-name }. Please write your question in one short message.

review =
    <b>Is this right?</b>

    About: { topic-name }
    Question: <blockquote>{ $question }</blockquote>

    Write another message to put it differently.
    .send = 📨 Send it
    .rewrite = ✍️ Write it anew
    .topics = Another topic

ticket =
    { $call ->
        [waiting] <b>One moment, please.</b> Your question is on its way to us.
        [failed] <b>Your question did not reach us.</b> Please try again, or write to help@example.com.
       *[other] <b>Thank you.</b> We answer here as soon as we can.
    }
    .start = The front desk

hours =
    <b>Opening hours</b>

    Monday to Friday, 9:00 to 17:00.
    At other times write to help@example.com.

## Notices

notice-suspended = The desk is closed for this account.
notice-unknown-command = I do not know this command. /ask takes your question.
notice-old-button = This button is no longer there. Here is the current screen.
error = Something went wrong. Please begin anew: /start
