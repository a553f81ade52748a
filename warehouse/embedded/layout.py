"""Where the embedded engines keep their files below the data directory, and their generated passwords."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths below one data directory. Making the object touches nothing; ``prepare`` makes the folders."""

    root: Path

    @classmethod
    def of(cls, data_dir: Path) -> "Layout":
        """The layout below ``data_dir``, which may be relative to the working directory."""
        return cls(data_dir.absolute())

    @property
    def clickhouse(self) -> Path:
        """The ClickHouse engine's own folder."""
        return self.root / "clickhouse"

    @property
    def postgres(self) -> Path:
        """The PostgreSQL cluster, and nothing else: it may belong to another user."""
        return self.root / "postgres"

    @property
    def run(self) -> Path:
        """Ports, process ids, locks: valid while the engines run."""
        return self.root / "run"

    @property
    def keys(self) -> Path:
        """Generated secrets."""
        return self.root / "keys"

    @property
    def metadata(self) -> Path:
        """Uploaded documents and images."""
        return self.root / "metadata"

    @property
    def logs(self) -> Path:
        """What the engines print."""
        return self.root / "logs"

    def prepare(self) -> None:
        """Make the folders, the private ones closed to other users."""
        self.root.mkdir(parents=True, exist_ok=True)
        for private in (self.run, self.keys, self.logs):
            private.mkdir(mode=0o700, exist_ok=True)

    def password(self, name: str) -> str:
        """The generated password called ``name``; generated on first use, then kept."""
        path = self.keys / f"{name}.password"
        try:
            return path.read_text().strip()
        except FileNotFoundError:
            self.prepare()
        # Written under another name, then linked: of two processes that start at once, both use the password of one.
        draft = self.keys / f".{name}.{os.getpid()}.{secrets.token_hex(4)}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(24) + "\n")
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        return path.read_text().strip()
