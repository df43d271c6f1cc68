-- Nothing is parked any more: a screen that Telegram refuses for good is taken back.

-- How far ahead of itself a chat is: each message that it was sent or had edited moves it on by the time that a chat
-- may take one. The sender's column. Null: never sent anything.
ALTER TABLE chats ADD COLUMN paced_until timestamptz;
