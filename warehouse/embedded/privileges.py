"""The user that PostgreSQL runs as. It refuses to run as root, so root must change to another user.

The binaries and the data may lie below folders that only root can enter (``/root``), so there are several ways, and
the first that works is taken:

1. an ordinary user runs it as himself;
2. root changes to a user id of the cluster's own;
3. the same, keeping the capability to pass through closed folders (and no other);
4. root enters a user namespace in which it is an ordinary user without capabilities.
"""

import contextlib
import ctypes
import os
import pwd
import stat
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

# Outside the ranges of distributions and systemd. If it is taken, the next ids are tried.
FIRST_USER_ID = 60821

_CLONE_NEWUSER = 0x10000000
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_RAISE = 2
_PR_SET_PDEATHSIG = 1
_PR_SET_SECUREBITS = 28
_SECBIT_NO_SETUID_FIXUP = 1 << 2
CAP_DAC_OVERRIDE = 1
CAP_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION_3 = 0x20080522


class NoUsableIdentity(Exception):
    """Root found no way to run PostgreSQL as another user."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The user that a child becomes. ``owner`` owns its files, as seen from outside; None changes nothing."""

    name: str
    owner: int
    user: int | None = None
    capability: int | None = None
    namespace: bool = False

    def become(self) -> None:
        """Change to this user. Call it in a child, before it runs its program."""
        if self.namespace:
            _enter_namespace()
        elif self.user is not None:
            _change_user(self.user, self.capability)

    def for_setup(self) -> "Identity":
        """The same with a user of the password file, which ``initdb`` requires."""
        if self.user is None:
            return self
        user = passwd_user_id()
        return replace(self, user=user, owner=user)


def identity(binary: Path, directory: Path) -> Identity:
    """The first identity with which ``binary`` starts and may write in ``directory``, which it then owns.

    Raises:
        NoUsableIdentity: none of them does.
    """
    if os.geteuid() != 0:
        return Identity("this user", os.geteuid())
    reasons = []
    for candidate in candidates(directory):
        with contextlib.suppress(OSError):
            give(directory, candidate.owner)
        problem = identity_problem(candidate, binary, directory)
        if problem is None:
            return candidate
        reasons.append(f"{candidate.name}: {problem}")
    raise NoUsableIdentity(
        f"PostgreSQL does not run as root, and no other way was open ({'; '.join(reasons)}). "
        f"Run as an ordinary user, or set REGALIA_DATABASE_URL."
    )


def die_with_parent(signal_number: int) -> None:
    """Call it in a child before its program: the kernel then signals the child when its parent ends."""
    _libc().prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0)


def passwd_user_id() -> int:
    """A user id with an entry in the password file; it needs no rights."""
    for name in ("nobody", "daemon"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_uid
    return next(entry.pw_uid for entry in pwd.getpwall() if entry.pw_uid != 0)


def known(user_id: int) -> bool:
    """Whether the password file has an entry for this user."""
    try:
        pwd.getpwuid(user_id)
    except KeyError:
        return False
    return True


def candidates(directory: Path) -> Iterable[Identity]:
    """All ways for root, those with the fewest rights first."""
    user = _own_user_id(directory)
    yield Identity("user of its own", user, user)
    yield Identity("user of its own with read-search", user, user, CAP_DAC_READ_SEARCH)
    yield Identity("user of its own with override", user, user, CAP_DAC_OVERRIDE)
    yield Identity("user namespace", 0, namespace=True)


def _own_user_id(directory: Path) -> int:
    """The current owner of the cluster if it is not a user of this machine, else the first free id."""
    with contextlib.suppress(FileNotFoundError):
        owner = directory.stat().st_uid
        if owner >= FIRST_USER_ID and not known(owner):
            return owner
    user = FIRST_USER_ID
    while known(user):
        user += 1
    return user


def identity_problem(candidate: Identity, binary: Path, directory: Path) -> str | None:
    """Why ``binary`` cannot start or write to ``directory`` as that identity; None when it can."""
    probe = directory / ".identity-probe"

    def prepare() -> None:
        candidate.become()
        if not os.access(binary, os.R_OK | os.X_OK):
            raise PermissionError(f"{binary} is out of reach")
        os.chdir(directory)
        os.close(os.open(probe.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        os.unlink(probe.name)

    try:
        run = subprocess.run([binary, "--version"], preexec_fn=prepare, capture_output=True, timeout=20)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error) or type(error).__name__
    return None if run.returncode == 0 else run.stderr.decode(errors="replace").strip()


def give(directory: Path, owner: int) -> None:
    """Change the owner of ``directory`` and its contents to ``owner``, without following symbolic links."""
    if directory.stat().st_uid == owner:
        return
    for folder, folders, files in os.walk(directory, topdown=False):
        for name in (*folders, *files):
            os.chown(os.path.join(folder, name), owner, owner, follow_symlinks=False)
    os.chown(directory, owner, owner)
    os.chmod(directory, stat.S_IRWXU)


def _change_user(user: int, capability: int | None = None) -> None:
    libc = _libc()
    if capability is not None:
        # access(2), by which PostgreSQL looks for its own programs, disregards an ordinary user's capabilities
        # unless this is set. It also keeps them over the change of user; the explicit set below is all that stays.
        _call(libc.prctl(_PR_SET_SECUREBITS, _SECBIT_NO_SETUID_FIXUP, 0, 0, 0))
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if capability is not None:
        bit = 1 << capability
        header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
        # effective, permitted, inheritable; twice, for the upper 32 capabilities
        data = (ctypes.c_uint32 * 6)(bit, bit, bit, 0, 0, 0)
        _call(libc.capset(header, data))
        _call(libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability, 0, 0))


def _enter_namespace() -> None:
    inside = passwd_user_id()
    _call(_libc().unshare(_CLONE_NEWUSER))
    # The group map can be written only after setgroups is denied in the namespace.
    for name, content in (("setgroups", "deny"), ("uid_map", f"{inside} 0 1"), ("gid_map", f"{inside} 0 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(content)


def _call(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


_loaded: ctypes.CDLL | None = None


def _libc() -> ctypes.CDLL:
    # Loaded before the fork wherever possible: see load_before_fork.
    global _loaded
    if _loaded is None:
        _loaded = ctypes.CDLL(None, use_errno=True)
    return _loaded


def load_before_fork() -> None:
    """Load the libraries that ``become`` and ``die_with_parent`` call, so that a child loads nothing."""
    _libc()
