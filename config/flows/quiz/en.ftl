## Parts of other texts

answers =
    { $moon ->
        [right] ✅
       *[other] ❌
    } The moon takes about a month.
    { $sun ->
        [right] ✅
       *[other] ❌
    } The sun is a star.
    { $planet ->
        [right] ✅
       *[other] ❌
    } The planet with the rings is Saturn.

again = ↺ To the beginning
only-buttons = Please answer with one of the buttons.

## Commands

command-start = To the beginning
command-quiz = Three new answers

## Screens

welcome =
    <b>Three questions about the sky</b>

    { $planet ->
        [right] Last time you knew the planet.
        [wrong] Last time you did not know the planet.
       *[other] Nobody has failed yet.
    }
    .begin = 🔭 Begin
    .last = My last answers
    .german = Deutsch
    .english = English

moon =
    <b>1 of 3</b>

    How long does the moon take around the earth?
    .week = A week
    .month = About a month
    .year = A year

sun =
    <b>2 of 3</b>

    What is the sun?
    .planet = A planet
    .star = A star

planet =
    <b>3 of 3</b>

    Which planet is this?
    .mars = Mars
    .saturn = Saturn
    .venus = Venus

done =
    That was the last question.
    .result = 🥁 And the result is…

perfect =
    <b>All three!</b> You could be an astronomer.

    { answers }

some =
    <b>Not bad.</b>

    { answers }

missed =
    <b>None.</b> Look up more often!

    { answers }

## Notices

notice-suspended = You are out of the game.
notice-unknown-command = I only know /start and /quiz.
notice-old-button = This question is over. Here is the current one.
error = Something went wrong. Please begin anew: /start
