"""The files in which a local chain describes itself."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Whole or not at all, readable by its owner only: keys are in it."""
    draft = path.with_name(f".{path.name}.draft")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    draft.replace(path)
