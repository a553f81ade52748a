"""The commands for backups that need no writer to pause: list, verify, restore."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from warehouse.backup.sealed_keys import Secret
    from warehouse.settings import EngineSettings

app = typer.Typer(help="Backups of store, warehouse, keys and uploads.", no_args_is_help=True)

# Exit statuses, the same for every command of the system.
FAILED, WRONG_USE, UNREACHABLE, IN_USE = 1, 2, 3, 4

Source = Annotated[str, typer.Option("--from", metavar="TARGET", help="A folder or s3://bucket/prefix.")]
At = Annotated[str | None, typer.Option(metavar="NAME", help="Which backup. Default: the newest.")]
KeyFile = Annotated[Path | None, typer.Option(metavar="FILE", help="What the keys were encrypted with.")]


@app.command("list")
def list_backups(
    source: Source, as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per backup.")] = False
) -> None:
    """List the backups of a target, the oldest first."""
    from warehouse.backup.repository import Repository
    from warehouse.storage import open_storage

    with reported():
        repository = Repository(open_storage(source))
        for name in repository.names():
            found = repository.read(name)
            is_full = found.warehouse.full == name
            facts = {
                "name": name,
                "created_at": found.created_at,
                "version": found.version,
                "builds_on": None if is_full else found.warehouse.full,
                "bytes": found.new_bytes,
                "keys": found.keys is not None,
                "blocks": dict(found.blocks),
            }
            if as_json:
                print(json.dumps(facts))
                continue
            kind = "full" if is_full else f"since {found.warehouse.full}"
            keys = "with keys" if found.keys else "without keys"
            print(f"{name}  {size_text(found.new_bytes):>10}  {keys:<12}  {kind}")


@app.command()
def verify(source: Source, at: At = None) -> None:
    """Read every file of a backup and compare it with its checksum."""
    from warehouse.backup.progress import shown_steps
    from warehouse.backup.repository import Repository
    from warehouse.storage import open_storage

    with reported(), shown_steps() as steps:
        repository = Repository(open_storage(source))
        manifest = repository.read(at)
        files = repository.files(manifest)
        repository.verify(manifest, steps.counted("verifying", sum(file.size for _, file in files)))
    print(f"{manifest.name}: {len(files)} files are whole")


def restore(
    source: Source,
    at: At = None,
    key_file: KeyFile = None,
    without_keys: Annotated[bool, typer.Option("--without-keys", help="Leave the keys out.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Restore a backup into the data directory, or into the servers that the settings name."""
    from warehouse.backup import restore as restoration
    from warehouse.backup.repository import Repository
    from warehouse.settings import load
    from warehouse.storage import open_storage

    with reported():
        settings = load()
        given = key_file is not None or settings.backup_passphrase is not None
        secret = chosen_secret(settings, key_file, without_keys) if given or without_keys else None
        choice = restoration.Choice(at, secret, without_keys, force)
        done = restoration.restore(settings, Repository(open_storage(source)), choice)
    blocks = ", ".join(f"chain {chain} at block {block}" for chain, block in done.blocks.items()) or "no chain indexed"
    print(f"restored {done.name}: {sum(done.warehouse.rows.values())} rows of the warehouse, {blocks}")


def chosen_secret(settings: "EngineSettings", key_file: Path | None, without_keys: bool) -> "Secret | None":
    """What encrypts the keys; None to leave them out.

    Raises:
        WrongSecret: nothing was chosen, or what was chosen is unusable.
    """
    from warehouse.backup.sealed_keys import Secret, WrongSecret

    if without_keys:
        return None
    if key_file is not None:
        return Secret.of_file(key_file)
    if settings.backup_passphrase is not None:
        return Secret.of_passphrase(settings.backup_passphrase.get_secret_value())
    raise WrongSecret("the keys are encrypted: set REGALIA_BACKUP_PASSPHRASE, or give --key-file or --without-keys")


def size_text(count: int) -> str:
    """Bytes as people write them."""
    size, unit = float(count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.1f} {unit}" if unit != "B" else f"{count} B"


@contextmanager
def reported() -> Iterator[None]:
    """Report errors that a person can act on in one line, with an exit status."""
    from pydantic import ValidationError

    from warehouse.backup.clickhouse_copy import CopyFailed
    from warehouse.backup.create import BackupBusy
    from warehouse.backup.manifest import DamagedBackup
    from warehouse.backup.postgres_dump import DumpFailed
    from warehouse.backup.repository import NoSuchBackup
    from warehouse.backup.restore import NewerBackup, NotEmpty, ServiceRuns
    from warehouse.backup.sealed_keys import WrongSecret
    from warehouse.embedded.clickhouse.ownership import DataDirectoryInUse
    from warehouse.errors import EnginesNotRunning, MigrationError, StoreUnavailable, WarehouseError
    from warehouse.storage import BadTarget, StorageError

    try:
        yield
    except (BadTarget, WrongSecret, ValidationError) as error:
        _stop(error, WRONG_USE)
    except (BackupBusy, ServiceRuns, DataDirectoryInUse) as error:
        _stop(error, IN_USE)
    except (EnginesNotRunning, StoreUnavailable, StorageError, WarehouseError) as error:
        _stop(error, UNREACHABLE)
    except (CopyFailed, DamagedBackup, DumpFailed, MigrationError, NewerBackup, NoSuchBackup, NotEmpty) as error:
        _stop(error, FAILED)
    except OSError as error:
        _stop(error, FAILED)


def _stop(error: Exception, exit_status: int) -> None:
    print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
    raise typer.Exit(exit_status)
