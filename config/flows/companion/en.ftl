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

back = ‹ Back

## Commands

command-start = Start anew
command-menu = The main menu
command-settings = Language
command-help = What this bot can do

## Screens

welcome =
    <b>Hello!</b> I know a few people who love to talk.

    Your companion: { character-name }
    You have { balance-left } left.
    .characters = 👥 Choose a companion
    .talk = 💬 Talk
    .shop = ⭐ Get messages
    .settings = ⚙️ Settings
    .about = ❓ About

characters =
    <b>Who would you like to talk to?</b>

    🌙 <b>Luna</b> reads the stars and keeps secrets.
    🎸 <b>Max</b> has a joke for every day.
    📚 <b>Iris</b> has read all the books and argues about each.
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

shop =
    <b>Messages</b>

    You have { balance-left } left. The shop opens soon.

busy =
    { character-name } is still thinking about your last message. One moment, please.

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

about =
    <b>About</b>

    Choose a companion, then write to them. Each of your messages costs one of those you have.

    /menu leads back to the main menu from anywhere, /settings to the languages.

## Notices

notice-suspended = This account is suspended.
notice-unknown-command = I do not know this command. /menu shows what I can do.
notice-old-button = This button is no longer there. Here is the current screen.
error = Something went wrong with your last message. Please try again, or begin anew: /start
