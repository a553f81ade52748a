"""Commands for backups."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.options import AsJson

app = typer.Typer()
backup = typer.Typer(help="Back up store, warehouse, keys and uploads while the service runs.")

_TARGET = "A folder, or s3://bucket/prefix with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL."
Source = Annotated[str, typer.Option("--from", metavar="TARGET", help=_TARGET)]
At = Annotated[str | None, typer.Option(metavar="NAME", help="Which backup. Default: the newest.")]
WithoutKeys = Annotated[bool, typer.Option("--without-keys", help="Leave the keys out.")]


@backup.callback(invoke_without_command=True)
def make_backup(
    context: typer.Context,
    to: Annotated[str | None, typer.Option("--to", metavar="TARGET", help=_TARGET)] = None,
    keep: Annotated[
        int | None, typer.Option(min=1, help="Then remove all but so many, and the full ones that these build on.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Write all of the warehouse, not only what the last full backup lacks.")
    ] = False,
    key_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Encrypts the keys: 32 random bytes or more. Or REGALIA_BACKUP_PASSPHRASE."),
    ] = None,
    without_keys: WithoutKeys = False,
    wait: Annotated[
        int | None, typer.Option(min=1, help="Seconds to wait for indexing and publishing to pause. Default: 600.")
    ] = None,
) -> None:
    """Back up store, warehouse, keys and uploads at one point, while the service runs.

    Indexing and publishing pause for about a second; requests are answered all the time.

    Examples:

      REGALIA_BACKUP_PASSPHRASE=… regalia backup --to /mnt/backups --keep 14

      regalia backup list --from s3://bucket/regalia
    """
    if context.invoked_subcommand is not None:
        return
    if to is None:
        raise typer.BadParameter("name a folder or s3://bucket/prefix", param_hint="--to")
    from api.ops.commands.forward import become, options

    named = options(to=to, keep=keep, full=full, key_file=_text(key_file), without_keys=without_keys, wait=wait)
    become("pipelines", "backup", *named)


@backup.command("list")
def list_backups(source: Source, as_json: AsJson = False) -> None:
    """List the backups of a target, the oldest first."""
    from api.ops.commands.forward import become, options

    become("warehouse", "backup", "list", *options(from_=source, json=as_json))


@backup.command("verify")
def verify_backup(source: Source, at: At = None) -> None:
    """Read every file of a backup and compare it with its checksum."""
    from api.ops.commands.forward import become, options

    become("warehouse", "backup", "verify", *options(from_=source, at=at))


@app.command(rich_help_panel="Service")
def restore(
    source: Source,
    at: At = None,
    key_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What the keys were encrypted with. Or REGALIA_BACKUP_PASSPHRASE."),
    ] = None,
    without_keys: WithoutKeys = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace what is there: folders are moved aside, databases of servers emptied."),
    ] = False,
) -> None:
    """Restore a backup into the data directory, or into the servers that the settings name.

    The backup is verified first; nothing is changed if it is damaged, if its keys do not open or if the service runs.
    A restore that was interrupted is repeated with the same command; until then nothing starts on the data directory.

    Example:

      REGALIA_DATA_DIR=/var/lib/regalia regalia restore --from s3://bucket/regalia
    """
    from api.ops.commands.forward import become, options

    named = options(from_=source, at=at, key_file=_text(key_file), without_keys=without_keys, force=force)
    become("warehouse", "restore", *named)


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
