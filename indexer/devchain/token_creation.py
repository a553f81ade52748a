"""Create each kind of token: which contract, who creates it, who controls it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from eth_abi.abi import encode
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from indexer.devchain import artifacts
from indexer.devchain.sender import Sender, create2_address, created_address
from indexer.devchain.token_plans import TokenPlan

_NAME_REVERTS, _SYMBOL_REVERTS, _DECIMALS_REVERTS, _SUPPLY_REVERTS = 1, 2, 4, 8


@dataclass(frozen=True, slots=True)
class DemoToken:
    """A token that was created, and the truth about it. Addresses are lower case.

    ``name`` and ``symbol`` are None where no honest reading exists; ``decimals`` likewise.
    """

    key: str
    kind: str
    address: str
    name: str | None
    symbol: str | None
    decimals: int | None
    supply_raw: int
    deployer: LocalAccount
    creator: str
    factory: str | None = None
    owner: str | None = None
    owner_account: LocalAccount | None = None
    proxy_admin: str | None = None
    majority_holder: str | None = None
    majority_account: LocalAccount | None = None
    copy_of: str | None = None


@dataclass(frozen=True, slots=True)
class Tools:
    """What creating a token needs: the sender, and contracts that already exist."""

    sender: Sender
    maker: str
    logic: str
    new_wallet: Callable[[str], LocalAccount]


def create_token(plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    """Queue the transactions that create the token of ``plan``. Its deployer receives the supply."""
    token = _CREATORS.get(plan.kind, _plain)(plan, deployer, tools)
    return replace(token, copy_of=plan.copy_of)


def holder_of(token: DemoToken) -> str:
    """Who received the supply."""
    return token.creator if token.kind != "contract_wallet" else token.deployer.address.lower()


def _facts(plan: TokenPlan, deployer: LocalAccount, address: str) -> DemoToken:
    return DemoToken(
        key=plan.key, kind=plan.kind, address=address, name=plan.name or None, symbol=plan.symbol or None,
        decimals=plan.decimals, supply_raw=plan.supply * 10 ** (18 if plan.decimals is None else plan.decimals),
        deployer=deployer, creator=deployer.address.lower(),
    )  # fmt: skip


def _standard(contract: str, plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    draft = _facts(plan, deployer, "")
    data = artifacts.load(contract).deployment(
        plan.name, plan.symbol, plan.decimals, draft.supply_raw, deployer.address
    )
    return replace(draft, address=tools.sender.create(draft.creator, data, purpose=f"create {plan.key}"))


def _plain(plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    return _standard("PlainToken", plan, deployer, tools)


def _owned(plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    token = _standard("OwnedToken", plan, deployer, tools)
    return replace(token, owner=token.creator, owner_account=deployer)


def _owner_moved(plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    token = _standard("OwnedToken", plan, deployer, tools)
    new_owner = tools.new_wallet(f"owner of {plan.key}")
    data = artifacts.load("OwnedToken").call("transferOwnership", new_owner.address)
    tools.sender.send(token.creator, token.address, data, purpose="move ownership")
    return replace(token, owner=new_owner.address.lower(), owner_account=new_owner)


def _renounced(plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    token = _standard("OwnedToken", plan, deployer, tools)
    data = artifacts.load("OwnedToken").call("renounceOwnership")
    tools.sender.send(token.creator, token.address, data, purpose="renounce ownership")
    return token


def _elastic(plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    token = _standard("ElasticToken", plan, deployer, tools)
    return replace(token, owner=token.creator, owner_account=deployer)


def _proxied(proxy: str, plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    draft = _facts(plan, deployer, "")
    start = artifacts.load("UpgradeableToken").call(
        "initialize", plan.name, plan.symbol, draft.supply_raw, deployer.address
    )
    arguments: list[str | bytes] = [tools.logic, deployer.address, bytes.fromhex(start[2:])]
    if proxy == "UupsProxy":
        del arguments[1]
    data = artifacts.load(proxy).deployment(*arguments)
    address = tools.sender.create(draft.creator, data, purpose=f"create {plan.key}")
    admin = None
    if proxy == "TransparentProxy":
        admin = created_address(address, 1)  # the ProxyAdmin that the proxy's constructor makes
    elif proxy == "WalletAdminProxy":
        admin = draft.creator
    return replace(draft, address=address, owner=draft.creator, owner_account=deployer, proxy_admin=admin)


def _made_by_factory(plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    draft = _facts(plan, deployer, "")
    maker = artifacts.load("TokenMaker")
    if plan.kind == "factory_create":
        nonce = int(tools.sender.anvil.rpc("eth_getTransactionCount", tools.maker, "latest"), 16)
        address = created_address(tools.maker, nonce)
        data = maker.call("make", plan.name, plan.symbol, draft.supply_raw)
        owner: LocalAccount | None = deployer
    else:
        salt = keccak(text=plan.key)
        code = artifacts.load("PlainToken").deployment(plan.name, plan.symbol, 18, draft.supply_raw, deployer.address)
        address = create2_address(tools.maker, salt, code)
        data = maker.call("makeQuietly", plan.name, plan.symbol, draft.supply_raw, salt)
        owner = None
    tools.sender.send(draft.creator, tools.maker, data, gas=4_000_000, purpose=f"create {plan.key}")
    return replace(
        draft, address=address, factory=tools.maker,
        owner=owner.address.lower() if owner else None, owner_account=owner,
    )  # fmt: skip


def _made_by_contract_wallet(plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    draft = _facts(plan, deployer, "")
    wallet = artifacts.load("ContractWallet")
    address = tools.sender.create(draft.creator, wallet.deployment(deployer.address), purpose="create contract wallet")
    code = artifacts.load("OwnedToken").deployment(plan.name, plan.symbol, 18, draft.supply_raw, deployer.address)
    data = wallet.call("deploy", bytes.fromhex(code[2:]))
    tools.sender.send(draft.creator, address, data, gas=4_000_000, purpose=f"create {plan.key}")
    token = created_address(address, 1)
    return replace(draft, address=token, factory=address, owner=draft.creator, owner_account=deployer)


def _majority(plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    token = _plain(plan, deployer, tools)
    whale = tools.new_wallet(f"majority of {plan.key}")
    return replace(token, majority_holder=whale.address.lower(), majority_account=whale)


def _raw(plan: TokenPlan, deployer: LocalAccount, tools: Tools) -> DemoToken:
    name, symbol, decimals, flags = _RAW_ANSWERS[plan.kind](plan)
    draft = _facts(plan, deployer, "")
    data = artifacts.load("RawMetadataToken").deployment(
        name, symbol, decimals, flags, draft.supply_raw, deployer.address
    )
    # A string of ten thousand bytes costs seven million gas to keep.
    return replace(
        draft, address=tools.sender.create(draft.creator, data, gas=30_000_000, purpose=f"create {plan.key}")
    )


def _text(value: str | bytes) -> bytes:
    return encode(["bytes"], [value.encode() if isinstance(value, str) else value])


def _number(value: int) -> bytes:
    return encode(["uint256"], [value])


_EIGHTEEN = _number(18)
_RAW_ANSWERS: dict[str, Callable[[TokenPlan], tuple[bytes, bytes, bytes, int]]] = {
    "bytes32": lambda plan: (plan.name.encode().ljust(32, b"\0"), plan.symbol.encode().ljust(32, b"\0"), _EIGHTEEN, 0),
    "reverting": lambda plan: (b"", b"", b"", _NAME_REVERTS | _SYMBOL_REVERTS | _DECIMALS_REVERTS | _SUPPLY_REVERTS),
    "rubbish": lambda plan: (b"\xde\xad\xbe\xef" * 17, b"\xff" * 33, b"\x01\x02\x03", 0),
    "returns_nothing": lambda plan: (b"", b"", b"", 0),
    "huge_strings": lambda plan: (_text("A" * 10_240), _text("HUGE" * 2_560), _EIGHTEEN, 0),
    "invalid_utf8": lambda plan: (_text(b"Bent \xff\xfe\x80 text"), _text(b"\xc3\x28\xa0\xa1"), _EIGHTEEN, 0),
    "control_characters": lambda plan: (_text("\x07Bell\x1b[31m\n"), _text("\x00\x01\x02\x7f"), _EIGHTEEN, 0),
    "no_decimals": lambda plan: (_text(plan.name), _text(plan.symbol), b"", _DECIMALS_REVERTS),
    "decimals_out_of_range": lambda plan: (_text(plan.name), _text(plan.symbol), _number(300), 0),
    # The offset of the text points far beyond the answer.
    "offset_out_of_bounds": lambda plan: (_number(2**255), _number(2**64) + _number(2**200), _EIGHTEEN, 0),
    "supply_reverts": lambda plan: (_text(plan.name), _text(plan.symbol), _EIGHTEEN, _SUPPLY_REVERTS),
    "hostile_text": lambda plan: (_text(plan.name), _text(plan.symbol), _EIGHTEEN, 0),
}
_CREATORS: dict[str, Callable[[TokenPlan, LocalAccount, Tools], DemoToken]] = {
    "owned": _owned,
    "owner_moved": _owner_moved,
    "renounced": _renounced,
    "roles": lambda plan, deployer, tools: _standard("RoleToken", plan, deployer, tools),
    "fee_on_transfer": lambda plan, deployer, tools: _standard("FeeToken", plan, deployer, tools),
    "elastic": _elastic,
    "transparent_proxy": lambda plan, deployer, tools: _proxied("TransparentProxy", plan, deployer, tools),
    "wallet_admin_proxy": lambda plan, deployer, tools: _proxied("WalletAdminProxy", plan, deployer, tools),
    "uups_proxy": lambda plan, deployer, tools: _proxied("UupsProxy", plan, deployer, tools),
    "factory_create": _made_by_factory,
    "factory_create2": _made_by_factory,
    "contract_wallet": _made_by_contract_wallet,
    "majority": _majority,
    **dict.fromkeys(_RAW_ANSWERS, _raw),
}
