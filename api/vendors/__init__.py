"""Vendors that carry messages to people: mail, web push, Telegram, Discord, SMS."""
