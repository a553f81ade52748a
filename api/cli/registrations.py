"""Commands for registrations: attestations, expiry, and the registry contract."""

import os
from typing import Annotated

import typer

app = typer.Typer()
attestations = typer.Typer(help="Statements of the operator about registrations.", no_args_is_help=True)
contracts = typer.Typer(help="The registry contract.", no_args_is_help=True)


@attestations.command("make")
def make_attestation(
    registration: Annotated[str, typer.Option(metavar="CHAIN:ID", help="The registration, such as base:7.")],
    statement: Annotated[str, typer.Option(help="The text of the statement.")],
    kind: Annotated[str, typer.Option(help="Kind of statement, such as identity or partner.")] = "identity",
) -> None:
    """Make a statement about a registration. The API signs it in every answer.

    Example:

      regalia attest make --registration base:7 --statement "The owner has shown who they are."
    """
    from api.ops.commands import attest

    attest.attest(registration, kind, statement)


@attestations.command("withdraw")
def withdraw_attestation(id: Annotated[str, typer.Argument(help="The id that `attest make` printed.")]) -> None:
    """Withdraw an attestation. The API no longer returns it."""
    from api.ops.commands import attest

    attest.withdraw(id)


@app.command()
def expire(
    chain: Annotated[str, typer.Option(metavar="KEY", help="Chain key, such as base.")],
    days: Annotated[
        int | None, typer.Option(min=1, help="Consecutive inactive days. Default: REGALIA_EXPIRY_DAYS.")
    ] = None,
    submit: Annotated[bool, typer.Option("--submit", help="Make the next step. REGALIA_PRIVATE_KEY pays.")] = False,
) -> None:
    """List registrations that have been inactive for long, or make the next step of their expiry.

    A registration is listed if its heartbeat was below 60 in every scored hour of that time, after its grace period,
    and at least nine tenths of the hours were scored. With --submit, the end of a
    registration is announced in the chain's registry, and executed by a later run when the registry's delay has passed;
    then the symbol can be claimed again. Run it daily. Safe to repeat.

    Example:

      regalia expire --chain base --days 90
    """
    from api.ops.commands.expire import expire_inactive

    expire_inactive(chain, days, submit)


@contracts.command("deploy")
def deploy_contracts(
    chain: Annotated[str, typer.Option(metavar="KEY", help="Chain key from the chains file, such as base.")],
    private_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Key that pays: hexadecimal, on Solana base58. Better: REGALIA_PRIVATE_KEY or "
            "REGALIA_SOLANA_PRIVATE_KEY, which `ps` does not show.",
        ),
    ] = None,
    treasury: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Where fees go. Default: the deployer.")
    ] = None,
    guardian: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The cold key above the signer. Default: the deployer.")
    ] = None,
    upgradeable: Annotated[
        bool, typer.Option("--upgradeable", help="On Solana: the guardian may replace the code. Default: nobody may.")
    ] = False,
) -> None:
    """Deploy our contracts for this service's own signer.

    The signer is created in the data directory on first use. Needs nothing running. Prints the addresses as one line of
    JSON, with the keys of the chains file. On Solana the same command, repeated after it was killed, finishes the same
    deployment.

    Example:

      REGALIA_PRIVATE_KEY=0x… regalia contracts deploy --chain base
    """
    from api.ops.commands.forward import become, options

    if private_key:
        # Not as an argument, which every user of the machine can read.
        os.environ["REGALIA_PRIVATE_KEY"] = os.environ["REGALIA_SOLANA_PRIVATE_KEY"] = private_key
    given = options(chain=chain, treasury=treasury, guardian=guardian, upgradeable=upgradeable)
    become("indexer", "contracts", "deploy", *given)
