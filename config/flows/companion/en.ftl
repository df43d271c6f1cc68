## Parts of other texts

balance-left = { $balance ->
    [0] no messages
    [one] <b>{ $balance }</b> message
   *[other] <b>{ $balance }</b> messages
}

character-name = { $character ->
    [luna] Luna
    [max] Max
    [iris] Iris
   *[other] nobody yet
}

queue-place = { $place ->
    [0] { "" }
    [1] You are next.
   *[other] You are number <b>{ $place }</b> in the queue.
}

premium-mark = { $premium ->
    [yes] 🌟 You are premium: you go first in every queue.
   *[no] { "" }
}

back = ‹ Back
cancel = ✖️ Cancel

## What workers are told

persona = { $character ->
    [luna] You are Luna. You read the stars and keep secrets; you are gentle, and a little mysterious.
    [max] You are Max. You play the guitar and have a joke for every day; you take nothing too seriously.
    [iris] You are Iris. You have read all the books, argue with pleasure and are never rude.
   *[other] You are a friendly companion.
 } You talk with somebody in a Telegram chat. Stay who you are. Answer in English, in at most a hundred words, as plain text without any markup.

question-prompt =
    Think of one question that two people could talk about all evening: surprising, kind, about neither politics nor religion. Answer in English, with the question alone, as plain text.

## Commands

command-start = Start anew
command-menu = The main menu
command-image = A picture of what you describe
command-cancel = Cancel what is under way
command-forget = Forget our conversation
command-settings = Language and memory
command-help = What this bot can do
command-paysupport = Help with payments

## Products

product-few = 20 messages
    .description = Twenty more messages to your companions.
product-many = 100 messages
    .description = A hundred more messages to your companions.
product-month = A month of premium
    .description = A hundred more messages, and for thirty days you go first wherever others wait, too.

## Screens

welcome =
    <b>Hello!</b> I know a few people who love to talk.

    Your companion: { character-name }
    You have { balance-left } left.
    { premium-mark }
    .characters = 👥 Choose a companion
    .talk = 💬 Talk
    .picture = 🎨 Picture
    .question = 💡 Question
    .shop = ⭐ Get messages
    .settings = ⚙️ Settings
    .about = ❓ About

characters =
    <b>Who would you like to talk to?</b>

    🌙 <b>Luna</b> reads the stars and keeps secrets.
    🎸 <b>Max</b> has a joke for every day.
    📚 <b>Iris</b> has read all the books and argues about each.

    With whomever you choose, a new conversation begins.
    .luna = { $character ->
        [luna] ✓ Luna
       *[other] Luna
    }
    .max = { $character ->
        [max] ✓ Max
       *[other] Max
    }
    .iris = { $character ->
        [iris] ✓ Iris
       *[other] Iris
    }

talk =
    <b>{ character-name }</b> is listening. Write something!

    You have { balance-left } left.
    .characters = 👥 Somebody else

thinking =
    <b>{ character-name }</b> is thinking… { queue-place }

    { $progress }

picture =
    <b>A picture</b>

    What shall I paint? Describe it in a message. A picture takes 3 messages; you have { balance-left } left.

drawing =
    🎨 Your picture is being painted… { queue-place }

    { $progress }

question =
    { $call ->
        [waiting] 💡 <i>Let me think of something…</i>
        [failed] 💡 Nobody can think of anything at the moment. Try again later.
       *[other] 💡 Would you like something to talk about?
    }
    .another = 💡 Another one
    .talk = 💬 Talk

shop =
    <b>Messages</b>

    You have { balance-left } left. What would you like to have?
    { premium-mark }
    .few = 20 messages · 50 ⭐
    .many = 100 messages · 200 ⭐
    .month = 🌟 A month of premium · 350 ⭐

thanks =
    <b>Thank you!</b>

    You have { balance-left } now.
    { premium-mark }
    .talk = 💬 Talk
    .menu = The main menu

busy =
    <b>One moment, please.</b> Your last message is still being answered. { queue-place }

settings =
    <b>Settings</b>

    Which language do you speak?
    .english = { $locale ->
        [en] ✓ English
       *[other] English
    }
    .russian = { $locale ->
        [ru] ✓ Русский
       *[other] Русский
    }
    .forget = 🧹 Forget our conversation

forgotten =
    Everything that we said is forgotten.

about =
    <b>About</b>

    Choose a companion, then write to them. Each of your messages costs one of those you have, a picture three. What fails costs nothing.

    /menu leads back to the main menu from anywhere
    /image and a description paints a picture
    /cancel gives up what is under way
    /forget makes your companion forget what you said
    /settings has the languages
    /paysupport helps with payments

support =
    <b>Help with payments</b>

    Is something wrong with what you bought? Write to payments@example.com, with the day and the amount: we set it right, or give your Stars back. Telegram's own support cannot help with purchases made here.

## Notices

notice-suspended = This account is suspended.
notice-unknown-command = I do not know this command. /menu shows what I can do.
notice-old-button = This button is no longer there. Here is the current screen.
notice-failed = Sorry, nothing came of that. It has cost you nothing: please try again.
notice-not-sold = This is no longer sold for that price. Please open the shop anew.
notice-payment-unassigned = Thank you, your payment has arrived, but I do not know what for. Somebody will look at it; /paysupport says whom to write to.
error = Something went wrong with your last message. Please try again, or begin anew: /start
