## Части других текстов

balance-left = { $balance ->
    [0] не осталось сообщений
    [one] осталось <b>{ $balance }</b> сообщение
    [few] осталось <b>{ $balance }</b> сообщения
   *[other] осталось <b>{ $balance }</b> сообщений
}

character-name = { $character ->
    [luna] Луна
    [max] Макс
    [iris] Ирис
   *[other] пока никто
}

back = ‹ Назад

## Команды

command-start = Начать сначала
command-menu = Главное меню
command-settings = Язык
command-help = Что умеет этот бот

## Экраны

welcome =
    <b>Привет!</b> Я знаю тех, кто любит поговорить.

    Ваш собеседник: { character-name }
    У вас { balance-left }.
    .characters = 👥 Выбрать собеседника
    .talk = 💬 Поговорить
    .shop = ⭐ Получить сообщения
    .settings = ⚙️ Настройки
    .about = ❓ О боте

characters =
    <b>С кем хотите поговорить?</b>

    🌙 <b>Луна</b> читает по звёздам и хранит секреты.
    🎸 <b>Макс</b> знает шутку на каждый день.
    📚 <b>Ирис</b> прочла все книги и о каждой готова поспорить.
    .luna = { $character ->
        [luna] ✓ Луна
       *[other] Луна
    }
    .max = { $character ->
        [max] ✓ Макс
       *[other] Макс
    }
    .iris = { $character ->
        [iris] ✓ Ирис
       *[other] Ирис
    }

talk =
    <b>{ character-name }</b> слушает. Напишите что-нибудь!

    У вас { balance-left }.
    .characters = 👥 Кто-нибудь другой

shop =
    <b>Сообщения</b>

    У вас { balance-left }. Магазин скоро откроется.

busy =
    { character-name } ещё думает над вашим прошлым сообщением. Одну минуту.

settings =
    <b>Настройки</b>

    На каком языке вы говорите?
    .english = { $locale ->
        [en] ✓ English
       *[other] English
    }
    .russian = { $locale ->
        [ru] ✓ Русский
       *[other] Русский
    }

about =
    <b>О боте</b>

    Выберите собеседника и напишите ему. Каждое ваше сообщение тратит одно из тех, что у вас есть.

    /menu отовсюду ведёт в главное меню, /settings — к выбору языка.

## Уведомления

notice-suspended = Этот аккаунт заблокирован.
notice-unknown-command = Я не знаю такой команды. Что я умею, показывает /menu.
notice-old-button = Этой кнопки больше нет. Вот текущий экран.
error = С вашим последним сообщением что-то пошло не так. Попробуйте ещё раз или начните сначала: /start
