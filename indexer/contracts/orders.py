"""What is deployed where: the order, the answer, and the error, for all kinds of chains."""

import json
from dataclasses import asdict, dataclass

from warehouse.domain.chains import Chain
from warehouse.settings import EngineSettings


class DeployError(Exception):
    """Deployment is impossible or was refused; the message is one line for a person."""


@dataclass(frozen=True, slots=True)
class Deployed:
    """Addresses of what was deployed, in their public text. ``vaults`` is None where deals have none."""

    registry: str
    vaults: str | None = None

    def as_json(self) -> str:
        """One line with the keys of the chains file."""
        made = {name: address for name, address in asdict(self).items() if address is not None}
        return json.dumps(made, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to deploy where; see ``deploy.deploy_command``."""

    chain: Chain
    private_key: str | None
    treasury: str | None
    guardian: str | None
    upgradeable: bool
    yes: bool
    settings: EngineSettings
