## Teile anderer Texte

answers =
    { $moon ->
        [right] ✅
       *[other] ❌
    } Der Mond braucht etwa einen Monat.
    { $sun ->
        [right] ✅
       *[other] ❌
    } Die Sonne ist ein Stern.
    { $planet ->
        [right] ✅
       *[other] ❌
    } Der Planet mit den Ringen ist der Saturn.

again = ↺ Zum Anfang
only-buttons = Bitte antworte mit einem der Knöpfe.

## Befehle

command-start = Zum Anfang
command-quiz = Drei neue Antworten

## Bildschirme

welcome =
    <b>Drei Fragen über den Himmel</b>

    { $planet ->
        [right] Letztes Mal hast du den Planeten erkannt.
        [wrong] Letztes Mal hast du den Planeten nicht erkannt.
       *[other] Noch hat niemand versagt.
    }
    .begin = 🔭 Los
    .last = Meine letzten Antworten
    .german = Deutsch
    .english = English

moon =
    <b>1 von 3</b>

    Wie lange braucht der Mond um die Erde?
    .week = Eine Woche
    .month = Etwa einen Monat
    .year = Ein Jahr

sun =
    <b>2 von 3</b>

    Was ist die Sonne?
    .planet = Ein Planet
    .star = Ein Stern

planet =
    <b>3 von 3</b>

    Welcher Planet ist das?
    .mars = Mars
    .saturn = Saturn
    .venus = Venus

done =
    Das war die letzte Frage.
    .result = 🥁 Und das Ergebnis ist…

perfect =
    <b>Alle drei!</b> An dir ist ein Astronom verloren gegangen.

    { answers }

some =
    <b>Nicht schlecht.</b>

    { answers }

missed =
    <b>Keine.</b> Schau öfter nach oben!

    { answers }

## Hinweise

notice-suspended = Du spielst nicht mehr mit.
notice-unknown-command = Ich kenne nur /start und /quiz.
notice-old-button = Diese Frage ist vorbei. Hier ist die aktuelle.
error = Da ist etwas schiefgegangen. Bitte fang von vorne an: /start
