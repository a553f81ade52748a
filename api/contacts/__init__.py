"""Where accounts are reached: mail, phone, Telegram, Discord, browsers."""
