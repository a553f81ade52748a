"""/api/v2/contacts: where the account is reached."""

from typing import Annotated

from fastapi import Depends, Path

from api.contacts import examples
from api.contacts.errors import AlreadyConfirmed, ChannelOff, CodeWrong, NoSuchContact, TooManyCodes
from api.contacts.repository import ContactRepository
from api.contacts.schemas import CodeGiven, Contact, ContactChange, ContactList, ContactRemoved
from api.contacts.service import Contacts
from api.http.dependencies import ServicesDep
from api.http.errors import InvalidInput, raises
from api.http.examples import success_examples
from api.http.groups import Credential, Origins, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.security.access import Session, with_scope
from api.security.callers import WalletSession
from api.vendors.messages import REACHED_BY_VENDORS, Channel

GROUP = RouteGroup(prefix="/api/v2/contacts", credential=Credential.SESSION, origins=Origins.SITE)
router = GROUP.router(tags=["contacts"], route_class=BodyRoute)
_Writer = Annotated[WalletSession, with_scope("api:write")]
_WAITING = success_examples(("code sent", examples.WAITING))
_CONFIRMED = success_examples(("confirmed", examples.CONFIRMED))


async def _contacts(services: ServicesDep) -> Contacts:
    return Contacts(ContactRepository(services.store), services.vendors, services.sealer, services.clock)


ContactsDep = Annotated[Contacts, Depends(_contacts)]


@raises(InvalidInput)
async def _channel(
    name: Annotated[
        str, Path(alias="channel", description="push, email, sms, telegram or discord.", examples=["email"])
    ],
) -> Channel:
    if name not in REACHED_BY_VENDORS:
        raise InvalidInput("channel", f"must be one of {', '.join(REACHED_BY_VENDORS)}")
    return Channel(name)


ChannelDep = Annotated[Channel, Depends(_channel)]


@router.get("", response_model=ContactList, responses=success_examples(("contacts", examples.LIST)))
async def list_contacts(session: Session, contacts: ContactsDep) -> JsonResponse:
    """The account's contacts, and the channels of this service."""
    return respond(await contacts.listed(session.account_id), headers={"Cache-Control": "no-store"})


@router.put("/{channel}", response_model=Contact, responses=_WAITING | GROUP.responses(ChannelOff, TooManyCodes))
async def set_contact(
    session: _Writer, channel: ChannelDep, body: ContactChange, contacts: ContactsDep
) -> JsonResponse:
    """Save where the account is reached on a channel, and send a code there; `POST /contacts/{channel}/confirm` takes
    it. A browser's needs none."""
    return respond(await contacts.replace(session.account_id, channel, body.to))


@router.post(
    "/{channel}/code",
    response_model=Contact,
    responses=_WAITING | GROUP.responses(NoSuchContact, AlreadyConfirmed, TooManyCodes),
)
async def send_contact_code(session: _Writer, channel: ChannelDep, contacts: ContactsDep) -> JsonResponse:
    """Send another code; the one before is no longer valid."""
    return respond(await contacts.ask_code(session.account_id, channel))


@router.post(
    "/{channel}/confirm", response_model=Contact, responses=_CONFIRMED | GROUP.responses(NoSuchContact, CodeWrong)
)
async def confirm_contact(
    session: _Writer, channel: ChannelDep, body: CodeGiven, contacts: ContactsDep
) -> JsonResponse:
    """Confirm a contact with the code that was sent to it: within 15 minutes, in at most five tries."""
    return respond(await contacts.confirm(session.account_id, channel, body.code))


@router.delete(
    "/{channel}",
    response_model=ContactRemoved,
    responses=success_examples(("removed", examples.REMOVED)) | GROUP.responses(NoSuchContact),
)
async def remove_contact(session: _Writer, channel: ChannelDep, contacts: ContactsDep) -> JsonResponse:
    """Forget a contact: nothing more is sent there."""
    return respond(await contacts.remove(session.account_id, channel))
