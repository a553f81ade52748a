"""Exchanges of Solana in the chains file."""

from pathlib import Path

import pytest

from warehouse.chains import facts
from warehouse.chains.facts import ChainFactsError
from warehouse.chains.pool_programs import anchor_discriminator
from warehouse.domain.chains import Chain
from warehouse.domain.pool_programs import Curve, PoolAction, PoolInstruction

PROGRAM = "So11111111111111111111111111111111111111112"


def read(tmp_path: Path, exchange: str) -> Chain:
    path = tmp_path / "chains.toml"
    path.write_text(f'[[chains.solana.exchanges]]\nname = "one"\nfactory = "{PROGRAM}"\n{exchange}')
    return facts.load(path).by_key["solana"]


def test_the_builtin_programs_have_no_two_instructions_that_begin_alike() -> None:
    for dex in facts.load(None).by_key["solana"].dexes:
        kinds = {(item.discriminator, item.pool) for item in dex.instructions}
        assert len(kinds) == len(dex.instructions)
        assert any(item.action is PoolAction.CREATE for item in dex.instructions)


def test_an_instruction_is_named_as_anchor_does_or_by_its_first_bytes(tmp_path: Path) -> None:
    chain = read(
        tmp_path,
        """protocol = "constant_product"
        ignored = ["pause"]
        [chains.solana.exchanges.instructions]
        swap = { action = "swap", pool = 1, vaults = [4, 5] }
        create = { action = "create", data = "00", pool = 1, mints = [2, 3], vaults = [4, 5] }
        """,
    )
    assert chain.dexes[0].instructions == (
        PoolInstruction(PoolAction.SWAP, bytes.fromhex("f8c69e91e17587c8"), 1, (4, 5)),
        PoolInstruction(PoolAction.CREATE, b"\0", 1, (4, 5), (2, 3)),
        PoolInstruction(PoolAction.IGNORE, anchor_discriminator("pause")),
    )


def test_a_bonding_curve_says_what_it_begins_with(tmp_path: Path) -> None:
    curve = "curve = { virtual_tokens = 100, virtual_quote = 10, tokens_for_sale = 80 }"
    assert read(tmp_path, f'protocol = "bonding_curve"\n{curve}').dexes[0].curve == Curve(100, 10, 80)


@pytest.mark.parametrize(
    ("exchange", "message"),
    [
        ('protocol = "bonding_curve"', "curve.virtual_tokens is missing"),
        (
            'protocol = "bonding_curve"\ncurve = { virtual_tokens = 8, virtual_quote = 1, tokens_for_sale = 8 }',
            "tokens_for_sale must be less than virtual_tokens",
        ),
        (
            'protocol = "constant_product"\ninstructions.swap = { action = "swap", pool = 1, vaults = [4] }',
            "instructions.swap: vaults must name 2 accounts",
        ),
        (
            'protocol = "constant_product"\ninstructions.swap = { action = "steal", pool = 1, vaults = [4] }',
            "instructions.swap: 'steal'",
        ),
        (
            'protocol = "concentrated"\ninstructions.open = { action = "open", pool = 1, position = 2 }',
            "instructions.open: ticks is missing",
        ),
        (
            'protocol = "concentrated"\ninstructions.create = { action="create", pool=1, mints=[1, 2], vaults=[3, 4] }',
            "instructions.create: sqrt_price is missing",
        ),
    ],
)
def test_an_impossible_declaration_names_the_instruction(tmp_path: Path, exchange: str, message: str) -> None:
    with pytest.raises(ChainFactsError, match=r"chains\.solana\.exchanges\.one: ") as raised:
        read(tmp_path, exchange)
    assert message in str(raised.value)
