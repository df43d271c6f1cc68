## Partes de otros textos

topic-name = { $topic ->
    [order] un pedido
    [payment] un pago
    [other] otra cosa
   *[none] nada todavía
}

back = ‹ Atrás
words-please = Solo sé leer palabras. Descríbalo en un mensaje, por favor.

## Comandos

command-start = La recepción
command-ask = Hacer una pregunta
command-hours = Cuándo estamos

## Pantallas

welcome =
    <b>Atención al cliente</b>

    ¿En qué podemos ayudarle?
    .topics = ✍️ Hacer una pregunta
    .question = 📨 Mi pregunta
    .hours = 🕘 Horario
    .site = 🌐 Respuestas en nuestra web
    .english = English
    .spanish = Español

topics =
    ¿De qué se trata?
    .order = 📦 Un pedido
    .payment = 💳 Un pago
    .other = 💬 Otra cosa

ask =
    Se trata de { topic-name }. Escriba su pregunta en un mensaje corto, por favor.

review =
    <b>¿Está bien así?</b>

    Tema: { topic-name }
    Pregunta: <blockquote>{ $question }</blockquote>

    Escriba otro mensaje para decirlo de otra manera.
    .send = 📨 Enviar
    .rewrite = ✍️ Escribir de nuevo
    .topics = Otro tema

ticket =
    { $call ->
        [waiting] <b>Un momento, por favor.</b> Su pregunta está en camino.
        [failed] <b>Su pregunta no nos ha llegado.</b> Inténtelo de nuevo o escriba a help@example.com.
       *[other] <b>Gracias.</b> Le responderemos aquí en cuanto podamos.
    }
    .start = La recepción

hours =
    <b>Horario</b>

    De lunes a viernes, de 9:00 a 17:00.
    A otras horas escriba a help@example.com.

## Avisos

notice-suspended = La atención está cerrada para esta cuenta.
notice-unknown-command = No conozco esa orden. /ask recibe su pregunta.
notice-old-button = Ese botón ya no está. Esta es la pantalla actual.
error = Algo ha salido mal. Empiece de nuevo, por favor: /start
