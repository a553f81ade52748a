"""The vendors that the settings configure. A channel that is not configured is off."""

from api.outbound.client import Outbound
from api.security.sealing import stored_key
from api.settings import ApiSettings
from api.vendors.discord import DiscordVendor
from api.vendors.mail import MailVendor
from api.vendors.messages import Channel, Vendor
from api.vendors.push import PushVendor
from api.vendors.requests import VendorRequests
from api.vendors.sms import SmsVendor
from api.vendors.telegram import TelegramVendor

PUSH_KEY = "push.key"


def configured_vendors(settings: ApiSettings, outbound: Outbound) -> dict[Channel, Vendor]:
    """The vendor of each channel that is on."""
    found: dict[Channel, Vendor] = {}
    if settings.mail_url is not None and settings.mail_from is not None:
        found[Channel.EMAIL] = MailVendor(
            settings.mail_url.get_secret_value(), settings.mail_from, settings.service_name
        )
    if settings.push_contact is not None:
        key = stored_key(settings.data_dir / "keys" / PUSH_KEY)
        found[Channel.PUSH] = PushVendor(VendorRequests(outbound, "the push service"), key, settings.push_contact)
    if settings.telegram_token is not None:
        found[Channel.TELEGRAM] = TelegramVendor(
            VendorRequests(outbound, "Telegram"), settings.telegram_url, settings.telegram_token.get_secret_value()
        )
    if settings.discord_token is not None:
        found[Channel.DISCORD] = DiscordVendor(
            VendorRequests(outbound, "Discord"), settings.discord_url, settings.discord_token.get_secret_value()
        )
    if settings.sms_account is not None and settings.sms_token is not None and settings.sms_from is not None:
        found[Channel.SMS] = SmsVendor(
            VendorRequests(outbound, "the SMS vendor"),
            settings.sms_url,
            settings.sms_account,
            settings.sms_token.get_secret_value(),
            settings.sms_from,
        )
    return found
