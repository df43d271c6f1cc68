"""Runs python-telegram-bot against a Bot API: what it does there, it would do at Telegram.

    telegram_bot.py BASE_URL TOKEN CHAT_ID WEBHOOK_URL

Exits with an error at the first thing that is not as at Telegram.
"""

import asyncio
import struct
import sys
import zlib

from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, InputMediaPhoto
from telegram.constants import ChatAction, ParseMode
from telegram.error import BadRequest, InvalidToken, RetryAfter


async def fails(call, kind, words):
    """Awaits a call that has to fail with this kind of error and these words."""
    try:
        await call
    except kind as error:
        # The library changes the case of letters.
        assert words.lower() in str(error).lower(), f"expected {words!r}, not {error}"
        return
    raise AssertionError(f"expected {kind.__name__}: {words}")


def picture():
    """A PNG of 40 by 30."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 40, 30, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + b"\x20\x80\xff" * 40 for _ in range(30))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


async def run(base_url, token, chat_id, webhook_url):
    async with Bot(token, base_url=f"{base_url}/bot") as bot:
        assert bot.id == int(token.split(":")[0])
        me = await bot.get_me()
        assert me.is_bot and me.username == "helper_bot", me

        assert await bot.set_webhook(webhook_url, max_connections=7, secret_token="s3cret", allowed_updates=["message"])
        info = await bot.get_webhook_info()
        assert (info.url, info.max_connections, info.allowed_updates) == (webhook_url, 7, ("message",)), info
        await fails(bot.set_webhook(webhook_url), RetryAfter, "Flood control exceeded. Retry in 1 seconds")

        keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Buy", callback_data="buy")]])
        message = await bot.send_message(chat_id, "<b>Привет</b> 😀", ParseMode.HTML, reply_markup=keyboard)
        assert message.text == "Привет 😀" and message.text_html == "<b>Привет</b> 😀", message
        assert message.reply_markup == keyboard

        await fails(bot.send_message(chat_id, "<b>x", ParseMode.HTML), BadRequest, "Can't find end tag corresponding to")
        await fails(bot.send_message(chat_id, "x" * 4097), BadRequest, "Message is too long")
        await fails(bot.send_message(999, "x"), BadRequest, "Chat not found")
        too_long = InlineKeyboardMarkup([[InlineKeyboardButton("x", callback_data="x" * 65)]])
        await fails(bot.send_message(chat_id, "x", reply_markup=too_long), BadRequest, "BUTTON_DATA_INVALID")

        edited = await message.edit_text("Hello", reply_markup=keyboard)
        assert edited.text == "Hello" and edited.edit_date is not None
        await fails(message.edit_text("Hello", reply_markup=keyboard), BadRequest, "Message is not modified")
        await fails(bot.edit_message_text("x", chat_id, 999_999), BadRequest, "Message to edit not found")
        await message.edit_reply_markup(None)

        photo = await bot.send_photo(chat_id, picture(), caption="a picture", reply_markup=keyboard)
        assert (photo.photo[-1].width, photo.photo[-1].height) == (40, 30), photo.photo
        await fails(photo.edit_text("x"), BadRequest, "There is no text in the message to edit")
        await photo.edit_caption("another")
        await message.edit_media(InputMediaPhoto(photo.photo[-1].file_id, caption="the same picture"))

        assert await bot.send_chat_action(chat_id, ChatAction.TYPING)
        await fails(bot.answer_callback_query("1"), BadRequest, "Query is too old and response timeout expired")
        assert await bot.set_my_commands([("start", "Begin")])
        assert [(one.command, one.description) for one in await bot.get_my_commands()] == [("start", "Begin")]

        assert await message.delete()
        await fails(message.delete(), BadRequest, "Message to delete not found")
        assert await bot.delete_webhook(drop_pending_updates=True)
        assert (await bot.get_webhook_info()).pending_update_count == 0
        assert await bot.get_updates(timeout=0) == ()

    await fails(Bot(f"{token}x", base_url=f"{base_url}/bot").initialize(), InvalidToken, "was rejected by the server")


base_url, token, chat_id, webhook_url = sys.argv[1:]
asyncio.run(run(base_url, token, int(chat_id), webhook_url))
