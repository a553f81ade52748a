"""Commands of a registry's guardian."""

from typing import Annotated

import typer

app = typer.Typer(
    help="The cold key above the signer. Commands print an unsigned transaction for a hardware or multi-signature "
    "wallet, or with --submit send it with the key in REGALIA_GUARDIAN_PRIVATE_KEY, on Solana "
    "REGALIA_SOLANA_GUARDIAN_PRIVATE_KEY.",
    no_args_is_help=True,
)

Chain = Annotated[str, typer.Option(metavar="KEY", help="Chain key, such as base.")]
Id = Annotated[int, typer.Option(min=1, help="The registration's id on the chain.")]
Address = Annotated[str, typer.Argument(metavar="ADDRESS")]
Submit = Annotated[bool, typer.Option("--submit", help="Send it instead of printing it.")]


@app.command("status")
def show_status(chain: Chain) -> None:
    """Print the keys, delays and limits of a registry as one line of JSON.

    Also what is announced, and whether this service's signer is the registry's.

    Example:

      regalia guardian status --chain base
    """
    from api.ops.commands import guardian

    guardian.show_status(chain)


@app.command("stop-end")
def stop_end(chain: Chain, id: Id, submit: Submit = False) -> None:
    """Stop the announced end of a registration.

    Example:

      regalia guardian stop-end --chain base --id 7
    """
    from api.ops.commands import guardian

    guardian.call(chain, "vetoEnd", id, submit=submit)


@app.command("confirm-end")
def confirm_end(chain: Chain, id: Id, submit: Submit = False) -> None:
    """Let an end take effect when it is due, although the owner objected."""
    from api.ops.commands import guardian

    guardian.call(chain, "confirmEnd", id, submit=submit)


@app.command("suspend-signer")
def suspend_signer(chain: Chain, submit: Submit = False) -> None:
    """Refuse the signer's statements and void the ends it announced, at once, until a signer is accepted."""
    from api.ops.commands import guardian

    guardian.call(chain, "suspendSigner", submit=submit)


@app.command("announce-signer")
def announce_signer(chain: Chain, address: Address, submit: Submit = False) -> None:
    """Announce the next signer. It takes over with `accept-signer` after the registry's delay."""
    from api.ops.commands import guardian

    guardian.call(chain, "announceSigner", address, submit=submit)


@app.command("cancel-signer")
def cancel_signer(chain: Chain, submit: Submit = False) -> None:
    """Take the announcement of a signer back."""
    from api.ops.commands import guardian

    guardian.call(chain, "cancelSigner", submit=submit)


@app.command("accept-signer")
def accept_signer(chain: Chain, submit: Submit = False) -> None:
    """Make this service's signer the registry's, after it was announced and the delay has passed.

    The signer signs that its key exists. Anyone may send the transaction; with --submit, REGALIA_PRIVATE_KEY pays, on
    Solana REGALIA_SOLANA_PRIVATE_KEY.
    """
    from api.ops.commands import guardian

    guardian.accept_signer(chain, submit=submit)


@app.command("announce-guardian")
def announce_guardian(chain: Chain, address: Address, submit: Submit = False) -> None:
    """Announce the next guardian; the zero address (on Solana the system program's) takes the announcement back."""
    from api.ops.commands import guardian

    guardian.call(chain, "announceGuardian", address, submit=submit)


@app.command("accept-guardian")
def accept_guardian(chain: Chain, submit: Submit = False) -> None:
    """Become the guardian, as the announced one, after the registry's delay."""
    from api.ops.commands import guardian

    guardian.call(chain, "acceptGuardian", submit=submit)


@app.command("set-factory")
def set_factory(chain: Chain, address: Address, submit: Submit = False) -> None:
    """Name the contract that may call `mintFor`, on EVM chains. It cannot be changed afterwards."""
    from api.ops.commands import guardian

    guardian.call(chain, "setFactory", address, submit=submit)


@app.command("set-mint-limits")
def set_mint_limits(
    chain: Chain,
    free_per_day: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Free mints in a day of UTC.")],
    paid_from: Annotated[int, typer.Option(min=0, help="Lowest fee, in wei or lamports, of a mint that is not free.")],
    submit: Submit = False,
) -> None:
    """Change how many mints a day may be free, and what counts as free."""
    from api.ops.commands import guardian

    guardian.call(chain, "setMintLimits", free_per_day, paid_from, submit=submit)
