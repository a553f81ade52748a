"""Who controls a mint of Solana: proofs, and what a thief would try."""

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from pipelines.documents.replay import replay_holders
from pipelines.refresh import refresh
from tests.factories.ledger import ZERO
from tests.factories.mints import PAD, PAD_PROGRAM, RELAYER, MintLedger, derived, wallet
from tests.fixtures.data_checks import violations
from tests.fixtures.derived import LISTED, contents, forget, served
from warehouse.clickhouse import Warehouse
from warehouse.domain.authorities import SHARED_ABOVE
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

ALICE, BOB, CAROL, THIEF, VICTIM = map(wallet, ("alice", "bob", "carol", "thief", "victim"))
PAD_BACKEND = wallet("a launchpad that nobody declared")
HOUR, DAY = 3_600, 86_400
Refresh = Callable[[], None]


@pytest.fixture
def publish(mints: MintLedger, warehouse: Warehouse, store: Connection, solana: Chains) -> Refresh:
    """Publish what was gathered, and derive."""

    def published() -> None:
        mints.publish()
        refresh(warehouse, store, solana)

    return published


@pytest.fixture
def controls(warehouse: Warehouse) -> Callable[[str], dict[tuple[str, str], int]]:
    """Who controls a mint as served, and from when on in seconds since its last block began."""

    def found(token: str) -> dict[tuple[str, str], int]:
        rows = warehouse.rows(
            "SELECT lower(hex(wallet)) AS who, method, toUInt32(qualifies_from) AS since"
            f" FROM published_serve_provenance WHERE token = unhex('{token}')"
        )
        return {(row["who"], row["method"]): row["since"] for row in rows}

    return found


def test_every_way_of_control_is_found_and_followed(mints: MintLedger, publish: Refresh, controls: Any) -> None:
    mints.mine()
    token = mints.mint("a", "AAA", creator=ALICE, supply=100, mint_authority=BOB, update_authority=CAROL)
    publish()
    assert controls(token) == {
        (ALICE, "deployer"): 0, (ALICE, "majority_holder"): 0, (BOB, "mint_authority"): 0,
        (CAROL, "update_authority"): 0,
    }  # fmt: skip
    mints.mine()
    mints.hand_over(token, "mint_authority", "")  # who had it from the beginning may give it up
    mints.hand_over(token, "update_authority", BOB)
    mints.transfer(token, ALICE, CAROL, 51)
    publish()
    moment = mints.time
    assert controls(token) == {
        (ALICE, "deployer"): 0, (CAROL, "majority_holder"): 0, (BOB, "update_authority"): moment + 7 * DAY,
    }  # fmt: skip
    mints.revert_last_unit()
    mints.mine()
    publish()
    assert (BOB, "mint_authority") in controls(token)
    assert (CAROL, "update_authority") in controls(token)


def test_a_served_authority_that_nobody_holds_is_a_violation(
    mints: MintLedger, publish: Refresh, warehouse: Warehouse
) -> None:
    mints.mine()
    token = mints.mint("a", "AAA", creator=ALICE, mint_authority=BOB)
    publish()
    warehouse.command("TRUNCATE TABLE agg_document_request")  # as the cleaning does
    check = "controls_without_authority"
    assert violations(warehouse, check) == []
    warehouse.command(
        "INSERT INTO serve_provenance (wallet, chain_id, token, method, version)"
        f" SELECT unhex('{THIEF}'), {mints.chain_id}, unhex('{token}'), 'mint_authority', 1"
    )
    assert [row["wallet_hex"] for row in violations(warehouse, check)] == [THIEF]


def test_an_authority_that_changes_hands_counts_after_a_week(
    mints: MintLedger, publish: Refresh, controls: Any
) -> None:
    """Who grabs or buys an old mint shortly before a claim has no proof. Naming the holder again starts no new week."""
    mints.mine()
    token = mints.mint("a", "AAA", creator=ALICE, mint_authority=ALICE)
    mints.mine()
    mints.hand_over(token, "mint_authority", THIEF, signed=True)
    taken = mints.time
    mints.mine(DAY)
    mints.hand_over(token, "mint_authority", THIEF, signed=True)
    publish()
    assert controls(token) == {(ALICE, "deployer"): 0, (THIEF, "mint_authority"): taken + 7 * DAY}
    mints.mine()
    mints.hand_over(token, "mint_authority", ALICE)
    mints.mine()
    mints.hand_over(token, "mint_authority", THIEF, signed=True)
    publish()
    assert controls(token)[THIEF, "mint_authority"] == mints.time + 7 * DAY


@pytest.mark.parametrize("kind", ["mint_authority", "permanent_delegate"])
def test_a_majority_counts_a_week_after_somebody_could_mint_or_seize_it(
    mints: MintLedger, publish: Refresh, controls: Any, kind: str
) -> None:
    """The thief gives the grabbed authority up again, or back, to hide it."""
    mints.mine()
    token = mints.mint("a", "AAA", creator=ALICE, supply=100)
    mints.hand_over(token, kind, ALICE, signed=True)
    mints.mine(DAY)
    mints.hand_over(token, kind, THIEF, signed=True)
    mints.transfer(token, ZERO, THIEF, 101)
    taken = mints.time
    publish()
    assert controls(token)[THIEF, "majority_holder"] == taken + 7 * DAY
    mints.mine()
    mints.hand_over(token, kind, "")
    publish()
    assert controls(token) == {(ALICE, "deployer"): 0, (THIEF, "majority_holder"): taken + 7 * DAY}
    mints.mine()
    mints.hand_over(token, kind, ALICE)
    publish()
    assert controls(token)[THIEF, "majority_holder"] == mints.time + 7 * DAY


def test_a_majority_of_who_makes_mints_for_others_proves_nothing(
    mints: MintLedger, publish: Refresh, controls: Any
) -> None:
    mints.mine()
    token = mints.mint("a", "AAA", creator=ALICE, supply=100)
    mints.transfer(token, ALICE, PAD_BACKEND, 60)
    for number in range(SHARED_ABOVE):
        mints.mint(f"made {number}", f"T{number}", creator=PAD_BACKEND)
    publish()
    assert controls(token) == {(ALICE, "deployer"): 0, (PAD_BACKEND, "majority_holder"): 0}
    mints.mine()
    mints.mint("one more", "MORE", creator=PAD_BACKEND)
    publish()
    assert controls(token) == {(ALICE, "deployer"): 0}
    mints.revert_last_unit()
    mints.mine()
    publish()
    assert controls(token) == {(ALICE, "deployer"): 0, (PAD_BACKEND, "majority_holder"): 0}


def test_an_authority_of_a_mint_whose_beginning_was_not_seen_counts_after_a_week(
    mints: MintLedger, publish: Refresh, controls: Any
) -> None:
    mints.mine()
    token = wallet("mint old")
    mints.describe(token, "OLD")
    mints.hand_over(token, "mint_authority", ALICE)
    publish()
    assert controls(token) == {(ALICE, "mint_authority"): mints.time + 7 * DAY}


def test_accounts_without_a_key_control_nothing(mints: MintLedger, publish: Refresh, controls: Any) -> None:
    mints.mine()
    vault = derived("vault")
    token = mints.mint("a", "AAA", creator=ALICE, supply=100, mint_authority=vault, update_authority="00" * 32)
    mints.transfer(token, ALICE, vault, 90)
    publish()
    assert controls(token) == {(ALICE, "deployer"): 0}


def test_what_a_mint_holds_itself_is_nobodys_holding(
    mints: MintLedger, publish: Refresh, controls: Any, warehouse: Warehouse, store: Connection, solana: Chains
) -> None:
    """It stands for withheld fees and hidden balances. Sums keep it, holders do not."""
    mints.mine()
    token = mints.mint("a", "AAA", creator=ALICE, supply=100, traits=["transfer_fee"])
    mints.transfer(token, ALICE, token, 60)
    publish()
    assert controls(token) == {(ALICE, "deployer"): 0}
    row = served(warehouse)["AAA"]
    assert (row["holders"], row["top10_share"], row["total_supply_raw"]) == (1, Decimal("0.4"), 100)
    mints.mine(DAY)
    mints.transfer(token, token, BOB, 60)
    mints.transfer(token, ALICE, token, 40)
    publish()
    assert served(warehouse)["AAA"]["holders"] == 1
    for check in ("supply_equals_balances", "holders_equal_balances", "days_equal_hours"):
        assert violations(warehouse, check) == []
    replay = replay_holders(warehouse, store, solana.by_key["solana"])
    assert ([count.replayed for count in replay.compared], replay.differences) == ([1], [])


def test_holders_of_indivisible_units_and_of_hidden_supplies_have_no_majority(
    mints: MintLedger, publish: Refresh, controls: Any
) -> None:
    mints.mine()
    unit = mints.mint("a", "AAA", creator=ALICE, decimals=0, supply=1, mint_authority=BOB)
    hidden = mints.mint("b", "BBB", creator=ALICE, supply=100, traits=["confidential_supply"])
    publish()
    assert controls(unit) == {(ALICE, "deployer"): 0, (BOB, "mint_authority"): 0}
    assert controls(hidden) == {(ALICE, "deployer"): 0}


def test_a_single_item_is_no_token(
    mints: MintLedger, publish: Refresh, controls: Any, warehouse: Warehouse, store: Connection
) -> None:
    """Metaplex says so, or nobody can mint more than the one unit."""
    mints.mine()
    item = mints.mint("c", "CCC", creator=ALICE, program="token_2022", decimals=0, supply=1, mint_authority=ALICE)
    token = mints.mint("a", "AAA", creator=ALICE, update_authority=ALICE)
    publish()
    assert set(served(warehouse)) == {"AAA", "CCC"}
    mints.mine()
    mints.hand_over(item, "mint_authority", "")
    mints.describe(token, "AAA", traits=["non_fungible"])
    mints.mint("b", "BBB", creator=ALICE, traits=["non_fungible"])
    publish()
    assert served(warehouse) == {}
    assert controls(token) == controls(item) == {}
    assert store.execute("SELECT count(*) AS listed FROM indexed_token").fetchone() == {"listed": 0}


def test_declared_accounts_never_qualify(mints: MintLedger, publish: Refresh, controls: Any) -> None:
    mints.mine()
    relayed = mints.mint("a", "AAA", creator=RELAYER, mint_authority=RELAYER, update_authority=BOB)
    made = mints.mint("b", "BBB", creator=PAD, mint_authority=PAD, supply=9)
    # Somebody else may have paid for the mint that a launchpad's program makes.
    inside = mints.mint("c", "CCC", creator=ALICE, factory=PAD_PROGRAM, update_authority=PAD)
    elsewhere = mints.mint("d", "DDD", creator=ALICE, factory=wallet("another program"))
    sponsored = mints.mint("e", "EEE", creator="", mint_authority=CAROL)
    publish()
    assert controls(relayed) == {(BOB, "update_authority"): 0}
    assert controls(made) == {}
    assert controls(inside) == {}
    assert controls(elsewhere) == {(ALICE, "deployer"): 0}
    assert controls(sponsored) == {(CAROL, "mint_authority"): 0}


def test_an_account_that_signs_for_many_mints_qualifies_for_none(
    mints: MintLedger, publish: Refresh, controls: Any, warehouse: Warehouse
) -> None:
    mints.mine()
    tokens = [mints.mint(f"{n}", f"T{n}", creator=PAD_BACKEND, mint_authority=BOB) for n in range(SHARED_ABOVE)]
    publish()
    assert all((PAD_BACKEND, "deployer") in controls(token) for token in tokens)
    mints.mine()
    tokens.append(mints.mint("one more", "MORE", creator=ALICE, update_authority=PAD_BACKEND))
    mints.hand_over(tokens[-1], "update_authority", PAD_BACKEND, signed=True)
    publish()
    assert all(controls(token) == {(BOB, "mint_authority"): 0} for token in tokens[:-1])
    assert controls(tokens[-1]) == {(ALICE, "deployer"): 0}
    assert {row["deployed_by"] for row in served(warehouse).values()} == {"", ALICE}
    mints.revert_last_unit()
    mints.mine()
    publish()
    assert all((PAD_BACKEND, "deployer") in controls(token) for token in tokens[:-1])


def test_nobody_is_silenced_by_junk_that_names_him(mints: MintLedger, publish: Refresh, controls: Any) -> None:
    """A mint names its authorities without asking them."""
    mints.mine()
    project = mints.mint("project", "REAL", creator=ALICE, mint_authority=VICTIM)
    mints.mine()
    junk = [mints.mint(f"{n}", f"J{n}", creator=THIEF, mint_authority=VICTIM) for n in range(3 * SHARED_ABOVE)]
    mints.mine()
    agreed = mints.mint("agreed", "ALSO", creator=VICTIM, mint_authority=VICTIM)
    publish()
    assert (VICTIM, "mint_authority") in controls(project)
    assert controls(agreed) == {(VICTIM, "deployer"): 0, (VICTIM, "mint_authority"): 0}
    silent = [token for token in junk if (VICTIM, "mint_authority") not in controls(token)]
    assert len(silent) == 2 * SHARED_ABOVE + 1  # the project's mint was the first that named it
    assert all((THIEF, "deployer") not in controls(token) for token in junk)


def test_marks_of_a_launchpad_stay_few(
    mints: MintLedger, publish: Refresh, controls: Any, warehouse: Warehouse
) -> None:
    for batch in range(4):
        mints.mine()
        mints.block += mints.finality_blocks  # what was before is final
        for number in range(SHARED_ABOVE):
            mints.mint(f"{batch} {number}", f"T{batch}X{number}", creator=PAD_BACKEND)
        publish()
    kept = warehouse.scalar("SELECT count() FROM published_agg_account_token")
    assert kept <= 3 * SHARED_ABOVE
    assert controls(wallet("mint 0 0")) == controls(wallet("mint 3 9")) == {}


def test_what_holders_should_know_is_served(mints: MintLedger, publish: Refresh, warehouse: Warehouse) -> None:
    mints.mine()
    token = mints.mint(
        "a", "AAA", creator=ALICE, supply=100, program="token_2022", traits=["permanent_delegate", "scaled_amount"],
        mint_authority=ALICE, freeze_authority=BOB, update_authority=derived("dao"),
    )  # fmt: skip
    mints.mint("b", "BBB", creator=ALICE)
    publish()
    row = served(warehouse)["AAA"]
    flags = ["freezable", "mintable", "mutable_metadata", "permanent_delegate", "scaled_amount"]
    assert (row["trust_flags"], row["program"], row["minted_by"], row["named_by"]) == (
        flags, "token_2022", ALICE, derived("dao"),
    )  # fmt: skip
    assert served(warehouse)["BBB"]["trust_flags"] == []
    mints.mine()
    for kind in ("mint_authority", "freeze_authority"):
        mints.hand_over(token, kind, "")
    publish()
    assert served(warehouse)["AAA"]["trust_flags"] == flags[2:]


def test_burned_tokens_are_nobodys_holding(mints: MintLedger, publish: Refresh, warehouse: Warehouse) -> None:
    mints.mine()
    token = mints.mint("a", "AAA", creator=ALICE, supply=100)
    mints.transfer(token, ALICE, ZERO, 30)
    mints.transfer(token, ALICE, BOB, 20)
    publish()
    row = served(warehouse)["AAA"]
    assert (row["holders"], row["total_supply_raw"]) == (2, 70)


@pytest.mark.parametrize("seed", [2])
def test_deriving_after_each_change_and_once_at_the_end_give_the_same(
    mints: MintLedger, warehouse: Warehouse, store: Connection, solana: Chains, seed: int
) -> None:
    """With a busy account that comes to sign for too many mints and, after a reorganisation, for fewer again."""
    chance = random.Random(seed)
    wallets = [ALICE, BOB, THIEF, PAD_BACKEND, PAD, derived("vault")]
    made: list[tuple[int, str]] = []
    for window in range(8):
        mints.mine(HOUR)
        for number in range(chance.randrange(4, 9)):
            creator = chance.choices(wallets, weights=[1, 1, 1, 6, 1, 0])[0]
            given = {kind: chance.choice(wallets) for kind in ("mint_authority", "update_authority")}
            token = mints.mint(f"{window} {number}", f"T{number}", creator=creator, supply=9, **given)
            made.append((mints.block, token))
        for _, token in chance.sample(made, 3):
            mints.transfer(token, *chance.choices([*wallets, token], k=2), 1)
            mints.hand_over(token, "mint_authority", chance.choice([*wallets, ""]), signed=chance.random() < 0.5)
            mints.describe(token, chance.choice(["T0", "RENAMED"]))
        mints.publish()
        refresh(warehouse, store, solana, full=False)
        if chance.random() < 0.4:
            mints.revert_last_unit()
            made = [(block, token) for block, token in made if block <= mints.block]
            mints.mine(HOUR)
            mints.publish()
            refresh(warehouse, store, solana, full=False)
    refresh(warehouse, store, solana)
    gradually, listed = contents(warehouse), store.execute(LISTED).fetchall()
    forget(warehouse, store)
    refresh(warehouse, store, solana)
    assert contents(warehouse) == gradually
    assert store.execute(LISTED).fetchall() == listed
    methods = warehouse.rows("SELECT DISTINCT method FROM published_serve_provenance")
    assert {"deployer", "mint_authority"} <= {row["method"] for row in methods}


@pytest.mark.parametrize("dies_at", [1, 2])
def test_a_run_that_dies_while_it_counts_mints_is_made_good_by_the_next(
    mints: MintLedger,
    publish: Refresh,
    controls: Any,
    warehouse: Warehouse,
    store: Connection,
    solana: Chains,
    monkeypatch: pytest.MonkeyPatch,
    dies_at: int,
) -> None:
    mints.mine()
    tokens = [mints.mint(f"{n}", f"T{n}", creator=PAD_BACKEND) for n in range(SHARED_ABOVE)]
    publish()
    mints.mine()
    mints.mint("one more", "MORE", creator=PAD_BACKEND)
    mints.publish()
    write, writes = Warehouse.insert_arrow, []

    def insert(self: Warehouse, table: str, *arguments: Any, **settings: Any) -> None:
        if table in ("agg_document_request", "agg_account_token"):
            writes.append(table)
            if len(writes) == dies_at:
                raise KeyboardInterrupt
        write(self, table, *arguments, **settings)

    with monkeypatch.context() as patched:
        patched.setattr(Warehouse, "insert_arrow", insert)
        with pytest.raises(KeyboardInterrupt):
            refresh(warehouse, store, solana)
    refresh(warehouse, store, solana)
    assert [controls(token) for token in tokens] == [{}] * SHARED_ABOVE
    mints.revert_last_unit()
    mints.mine()
    publish()
    assert all(controls(token) == {(PAD_BACKEND, "deployer"): 0} for token in tokens)
