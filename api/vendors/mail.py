"""Mail over SMTP. One-click unsubscribe by RFC 8058; the relay signs with DKIM, which that asks for."""

import re
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from typing import Final
from urllib.parse import unquote, urlsplit

import aiosmtplib
from email_validator import EmailNotValidError, validate_email

from api.vendors.messages import SENT, AddressRefused, Message, Outcome

LIMIT_SECONDS: Final = 20.0
_IDLE_CONNECTIONS: Final = 8
_LINE_BREAKS = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]+")


class MailVendor:
    """Sends mail through one SMTP server. Connections are kept and used again.

    Args:
        url: smtp:// (with STARTTLS where the server offers it) or smtps://, with user and password if needed.
        sender: the address that mail comes from.
        name: the service's name, shown as the sender.
    """

    def __init__(self, url: str, sender: str, name: str) -> None:
        self._server = urlsplit(url)
        self._sender = Address(_one_line(name), addr_spec=sender)
        self._idle: list[aiosmtplib.SMTP] = []

    def read_address(self, text: str) -> str:
        """A mail address, normalised."""
        try:
            return validate_email(text.strip(), check_deliverability=False).normalized
        except EmailNotValidError as error:
            raise AddressRefused("must be a mail address") from error

    async def send(self, address: str, message: Message) -> Outcome:
        """Hand the mail to the server. The same message has the same Message-ID in every attempt."""
        mail = self.compose(address, message)
        try:
            client = self._idle.pop() if self._idle else await self._connect()
        except (aiosmtplib.SMTPException, OSError) as error:
            return Outcome("connect", f"the mail server does not answer: {type(error).__name__}")
        outcome = await _hand_over(client, mail)
        if client.is_connected and len(self._idle) < _IDLE_CONNECTIONS:
            self._idle.append(client)
        else:
            client.close()
        return outcome

    async def close(self) -> None:
        """Close the connections."""
        idle, self._idle = self._idle, []
        for client in idle:
            client.close()

    def compose(self, address: str, message: Message) -> EmailMessage:
        """The mail: plain text, and no header with a line break."""
        mail = EmailMessage(policy=SMTP_POLICY)
        mail["From"] = self._sender
        mail["To"] = address
        mail["Subject"] = _one_line(message.title)
        mail["Message-ID"] = f"<{message.id}@{self._sender.domain}>"
        if message.leave_url is not None:
            mail["List-Unsubscribe"] = f"<{message.leave_url}>"
            mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        mail.set_content("\n\n".join(part for part in (message.text, message.link, message.why) if part))
        return mail

    async def _connect(self) -> aiosmtplib.SMTP:
        server = self._server
        client = aiosmtplib.SMTP(
            hostname=server.hostname,
            port=server.port,
            username=None if server.username is None else unquote(server.username),
            password=None if server.password is None else unquote(server.password),
            use_tls=server.scheme == "smtps",
            timeout=LIMIT_SECONDS,
        )
        await client.connect()
        return client


async def _hand_over(client: aiosmtplib.SMTP, mail: EmailMessage) -> Outcome:
    try:
        await client.send_message(mail)
    except aiosmtplib.SMTPRecipientsRefused as error:
        final = all(500 <= one.code < 600 for one in error.recipients)
        return Outcome("refused", "the mail server refuses the recipient", final=final, gone=final)
    except aiosmtplib.SMTPResponseException as error:
        return Outcome("refused", f"the mail server answered {error.code}", final=500 <= error.code < 600)
    except (aiosmtplib.SMTPException, OSError) as error:
        client.close()
        return Outcome("connect", f"the mail server does not answer: {type(error).__name__}")
    return SENT


def _one_line(text: str) -> str:
    return _LINE_BREAKS.sub(" ", text)
