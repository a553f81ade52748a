"""Registering a symbol on Solana: what counts as the service's authorisation, and who may claim what."""

import struct
from datetime import UTC, datetime

import pytest
from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import TransferParams, transfer

from indexer.contracts.solana import idl, program
from indexer.contracts.solana.statements import ED25519_PROGRAM, Domain, next_nonce, nonce_at, signed
from tests.fixtures.solana_registry import FREE_PER_DAY, PAID_FROM, SOL, START, Refused, SolanaRegistry, events

DAY = 86_400


def test_a_claim_registers_the_symbol_and_pays_the_treasury(solana_registry: SolanaRegistry) -> None:
    before = solana_registry.svm.get_balance(solana_registry.treasury.pubkey())
    result = solana_registry.claim("LUMEN")
    crown = solana_registry.registered("LUMEN")
    assert (crown.symbol, crown.token_id, crown.registered_at) == ("LUMEN", 1, START)
    assert (crown.owner, crown.mint) == (solana_registry.owner.pubkey(), solana_registry.mint)
    assert solana_registry.svm.get_balance(solana_registry.treasury.pubkey()) == before + 5_000
    ((name, fields),) = events(result)
    assert name == "Registered"
    assert (fields["token_id"], fields["fee"], fields["mint"]) == (1, 5_000, solana_registry.mint)


def test_a_symbol_is_registered_once(solana_registry: SolanaRegistry) -> None:
    solana_registry.claim("LUMEN")
    with pytest.raises(Refused, match="SymbolTaken"):
        solana_registry.claim("LUMEN", solana_registry.stranger)


def test_token_ids_are_never_reused(solana_registry: SolanaRegistry) -> None:
    solana_registry.claim("LUMEN")
    solana_registry.of_crown("release", "LUMEN", solana_registry.owner)
    solana_registry.claim("LUMEN")
    assert solana_registry.registered("LUMEN").token_id == 2


def test_a_used_authorization_does_not_register_again_after_a_release(solana_registry: SolanaRegistry) -> None:
    parts = solana_registry.claim_parts("LUMEN")
    solana_registry.send(parts, solana_registry.owner)
    solana_registry.of_crown("release", "LUMEN", solana_registry.owner)
    with pytest.raises(Refused, match="NonceUsed"):
        solana_registry.send(parts, solana_registry.owner)


def test_an_unused_authorization_does_not_register_after_a_release(solana_registry: SolanaRegistry) -> None:
    used, unused = (solana_registry.claim_parts("LUMEN", nonce=moment(second)) for second in (START, START + 5))
    solana_registry.send(used, solana_registry.owner)
    solana_registry.set_time(START + 5)
    solana_registry.of_crown("release", "LUMEN", solana_registry.owner)
    with pytest.raises(Refused, match="NonceUsed"):
        solana_registry.send(unused, solana_registry.owner)
    solana_registry.claim("LUMEN")


def test_a_nonce_is_at_most_an_hour_ahead(solana_registry: SolanaRegistry) -> None:
    for nonce in (moment(START + 3_600) + 1, 2**64 - 1):
        with pytest.raises(Refused, match="NonceTooHigh"):
            solana_registry.claim("LUMEN", nonce=nonce)
    solana_registry.claim("LUMEN", nonce=moment(START + 3_600))


def test_a_stolen_signer_does_not_use_up_the_nonces_of_a_symbol(solana_registry: SolanaRegistry) -> None:
    """The worst that it can do: use the highest nonce, then free the symbol."""
    solana_registry.claim("LUMEN", solana_registry.stranger, nonce=moment(START + 3_600))
    solana_registry.of_crown("release", "LUMEN", solana_registry.stranger)
    solana_registry.set_time(START + 2)
    data = solana_registry.data(solana_registry.address("LUMEN"))
    assert data is not None
    solana_registry.claim("LUMEN", nonce=next_nonce(int.from_bytes(data[16:24], "little"), START + 2))
    assert solana_registry.registered("LUMEN").owner == solana_registry.owner.pubkey()


def moment(second: int) -> int:
    """The first nonce of a second."""
    return nonce_at(datetime.fromtimestamp(second, UTC))


def test_only_the_authorized_wallet_claims(solana_registry: SolanaRegistry) -> None:
    check, claim = solana_registry.claim_parts("LUMEN", solana_registry.owner)
    metas = [AccountMeta(solana_registry.stranger.pubkey(), True, True), *claim.accounts[1:]]
    with pytest.raises(Refused, match="NotAuthorized"):
        solana_registry.send([check, Instruction(claim.program_id, claim.data, metas)], solana_registry.stranger)


def test_the_claimer_signs(solana_registry: SolanaRegistry) -> None:
    check, claim = solana_registry.claim_parts("LUMEN", solana_registry.owner)
    metas = [AccountMeta(solana_registry.owner.pubkey(), False, True), *claim.accounts[1:]]
    with pytest.raises(Refused, match="MissingSignature"):
        solana_registry.send([check, Instruction(claim.program_id, claim.data, metas)])


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"crown": Pubkey.from_string("So11111111111111111111111111111111111111112")}, "WrongCrown"),
        ({"config": Pubkey.new_unique()}, "WrongConfig"),
        ({"treasury": Pubkey.new_unique()}, "WrongTreasury"),
        ({"mint": Pubkey.new_unique()}, "WrongMint"),
    ],
)
def test_a_wrong_account_is_refused(solana_registry: SolanaRegistry, changed: dict[str, object], error: str) -> None:
    with pytest.raises(Refused, match=error):
        solana_registry.claim("LUMEN", **changed)


@pytest.mark.parametrize(("place", "error"), [(5, "WrongSysvar"), (6, "WrongSystemProgram")])
def test_an_account_with_another_address_than_the_fixed_one_is_refused(
    solana_registry: SolanaRegistry, place: int, error: str
) -> None:
    check, claim = solana_registry.claim_parts("LUMEN")
    with pytest.raises(Refused, match=error):
        solana_registry.send([check, with_account(claim, place, Pubkey.new_unique())], solana_registry.owner)


def with_account(instruction: Instruction, place: int, address: Pubkey, signer: bool = False) -> Instruction:
    """The instruction with another account at a place."""
    metas = list(instruction.accounts)
    metas[place] = AccountMeta(address, signer, metas[place].is_writable)
    return Instruction(instruction.program_id, instruction.data, metas)


def test_another_mint_than_the_authorized_one_is_refused(solana_registry: SolanaRegistry) -> None:
    with pytest.raises(Refused, match="NotAuthorized"):
        solana_registry.claim("LUMEN", mint=solana_registry.new_mint())


@pytest.mark.parametrize("field", ["fee", "deadline", "nonce"])
def test_other_terms_than_the_signed_ones_are_refused(solana_registry: SolanaRegistry, field: str) -> None:
    check, _ = solana_registry.claim_parts("LUMEN", fee=5_000, deadline=START + 900, nonce=moment(START))
    changed = {"fee": 5_000, "deadline": START + 900, "nonce": moment(START), field: START + 1_000}
    _, claim = solana_registry.claim_parts("LUMEN", **changed)
    with pytest.raises(Refused, match="NotAuthorized"):
        solana_registry.send([check, claim], solana_registry.owner)


def test_a_statement_of_another_signer_is_refused(solana_registry: SolanaRegistry) -> None:
    solana_registry.signer = Keypair()
    with pytest.raises(Refused, match="NotAuthorized"):
        solana_registry.claim("LUMEN")


@pytest.mark.parametrize("other", [Domain(bytes(32), Pubkey.default()), None])
def test_a_statement_for_another_cluster_or_program_is_refused(
    solana_registry: SolanaRegistry, other: Domain | None
) -> None:
    cluster, address = solana_registry.domain.cluster, solana_registry.program
    solana_registry.domain = Domain(cluster, Pubkey.new_unique()) if other is None else Domain(bytes(32), address)
    with pytest.raises(Refused, match="NotAuthorized"):
        solana_registry.claim("LUMEN")


def test_an_authorization_ends_with_its_deadline(solana_registry: SolanaRegistry) -> None:
    parts = solana_registry.claim_parts("LUMEN", deadline=START + 10)
    solana_registry.set_time(START + 11)
    with pytest.raises(Refused, match="AuthorizationExpired"):
        solana_registry.send(parts, solana_registry.owner)


def test_a_claim_without_the_check_before_it_is_refused(solana_registry: SolanaRegistry) -> None:
    check, claim = solana_registry.claim_parts("LUMEN")
    for instructions in ([claim], [claim, check], [check, transfer_of_nothing(solana_registry), claim]):
        with pytest.raises(Refused, match="NotAuthorized"):
            solana_registry.send(instructions, solana_registry.owner)


def transfer_of_nothing(registry: SolanaRegistry) -> Instruction:
    payer = registry.payer.pubkey()
    return transfer(TransferParams(from_pubkey=payer, to_pubkey=payer, lamports=0))


def test_a_check_whose_parts_lie_in_another_instruction_is_refused(solana_registry: SolanaRegistry) -> None:
    """The runtime would verify the attacker's own statement there, while ours stands unsigned where we look."""
    real, claim = solana_registry.claim_parts("LUMEN")
    mine = Keypair()
    own_statement = b"anything"
    other = signed(own_statement, mine.pubkey(), bytes(mine.sign_message(own_statement)))
    data = bytearray(real.data)
    data[48:112] = bytes(64)  # no signature of the service
    # Key, signature and message are read from instruction 0.
    data[2:16] = bytes(other.data[2:16]).replace(b"\xff\xff", b"\0\0")
    forged = Instruction(real.program_id, bytes(data), [])
    with pytest.raises(Refused, match="NotAuthorized"):
        solana_registry.send([other, forged, claim], solana_registry.owner)


class Parts:
    """The data of the Ed25519 program's instruction, whose parts can be moved. Numbers are two bytes each."""

    SIGNATURE, SIGNATURE_IN, KEY, KEY_IN, MESSAGE, LENGTH, MESSAGE_IN = range(2, 16, 2)

    def __init__(self, genuine: Instruction) -> None:
        self.data = bytearray(genuine.data)

    def put(self, at: int, value: int) -> None:
        """Change a number of the header."""
        self.data[at : at + 2] = value.to_bytes(2, "little")

    def sign(self, signature: Signature) -> None:
        """Replace the signature."""
        self.data[48:112] = bytes(signature)

    @property
    def instruction(self) -> Instruction:
        return Instruction(ED25519_PROGRAM, bytes(self.data), [])


def test_each_part_of_the_check_must_be_in_its_place(solana_registry: SolanaRegistry) -> None:
    """The runtime accepts each of these checks: it verifies a key, a signature or a message other than those that stand
    where the program looks. Nobody needs the service's signature of this statement for any but the first."""
    owner = solana_registry.owner
    genuine, claim = solana_registry.claim_parts("LUMEN")
    statement = bytes(genuine.data[112:])
    mine = signed(statement, owner.pubkey(), bytes(owner.sign_message(statement)))
    other, _ = solana_registry.claim_parts("OTHER")

    signature_elsewhere = Parts(genuine)
    signature_elsewhere.put(Parts.SIGNATURE_IN, 0)
    key_elsewhere = Parts(genuine)
    key_elsewhere.sign(owner.sign_message(statement))
    key_elsewhere.put(Parts.KEY_IN, 0)
    key_in_the_statement = Parts(genuine)  # which names the claimer
    key_in_the_statement.sign(owner.sign_message(statement))
    key_in_the_statement.put(Parts.KEY, 112 + 81)
    message_elsewhere = Parts(genuine)
    message_elsewhere.data[48:112] = other.data[48:112]
    message_elsewhere.put(Parts.MESSAGE_IN, 0)
    shorter = Parts(genuine)
    shorter.sign(solana_registry.signer.sign_message(statement[:-8]))
    shorter.put(Parts.LENGTH, len(statement) - 8)
    longer = Parts(genuine)
    longer.data += bytes(1)

    for before, check in (
        (genuine, signature_elsewhere),
        (mine, key_elsewhere),
        (mine, key_in_the_statement),
        (other, message_elsewhere),
        (other, shorter),
        (other, longer),
    ):
        with pytest.raises(Refused, match="NotAuthorized"):
            solana_registry.send([before, check.instruction, claim], owner)
    solana_registry.send([other, genuine, claim], owner)


def test_only_the_ed25519_programs_check_counts(solana_registry: SolanaRegistry) -> None:
    """Another program takes any data, also that of a check that would fail."""
    genuine, claim = solana_registry.claim_parts("LUMEN")
    data = genuine.data[:48] + bytes(64) + genuine.data[112:]
    anything = Pubkey.new_unique()
    solana_registry.svm.add_program(anything, program_that_does_nothing())
    solana_registry.send([Instruction(anything, data, [])])
    with pytest.raises(Refused, match="NotAuthorized"):
        solana_registry.send([Instruction(anything, data, []), claim], solana_registry.owner)


def program_that_does_nothing() -> bytes:
    """The registry's own code, whose first instruction ends it successfully."""
    code = bytearray(program.compiled())
    entry = int.from_bytes(code[24:32], "little")
    section = next(one for one in program_headers(code) if one[1] <= entry < one[1] + one[2])
    at = entry - section[1] + section[0]
    code[at : at + 16] = bytes.fromhex("b7000000000000009500000000000000")  # r0 = 0; exit
    return bytes(code)


def program_headers(code: bytes) -> list[tuple[int, int, int]]:
    """Offset, address and size of each segment of an ELF file."""
    start, size, count = struct.unpack_from("<Q", code, 32)[0], *struct.unpack_from("<HH", code, 54)
    return [struct.unpack_from("<8xQQ8xQ", code, start + number * size) for number in range(count)]


def test_a_made_up_instructions_sysvar_is_refused(solana_registry: SolanaRegistry) -> None:
    check, claim = solana_registry.claim_parts("LUMEN")
    fake = Pubkey.new_unique()
    size = len(check.data)
    body = b"\1\0" + b"\4\0" + b"\0\0" + bytes(check.program_id) + size.to_bytes(2, "little") + bytes(check.data)
    solana_registry.svm.set_account(fake, Account(SOL, body + b"\1\0", Pubkey.default()))
    metas = [*claim.accounts[:5], AccountMeta(fake, False, False), *claim.accounts[6:]]
    with pytest.raises(Refused, match="WrongSysvar"):
        solana_registry.send([Instruction(claim.program_id, claim.data, metas)], solana_registry.owner)


def test_a_made_up_config_is_refused(solana_registry: SolanaRegistry) -> None:
    """An account with the config's very bytes, but not at its address."""
    real = solana_registry.svm.get_account(solana_registry.config)
    assert real is not None
    for owner in (Pubkey.default(), solana_registry.program):
        fake = Pubkey.new_unique()
        solana_registry.svm.set_account(fake, Account(SOL, bytes(real.data), owner))
        with pytest.raises(Refused, match="WrongConfig"):
            solana_registry.claim("LUMEN", config=fake)


@pytest.mark.parametrize("symbol", ["lumen", "1234", "LU MEN", "LUMÉN", "LUMENLUMENLUM"[:13], "A-B"])
def test_a_symbol_that_breaks_the_rules_is_refused(solana_registry: SolanaRegistry, symbol: str) -> None:
    accounts = {
        "claimer": solana_registry.owner.pubkey(),
        "config": solana_registry.config,
        "crown": Pubkey.new_unique(),
        "treasury": solana_registry.treasury.pubkey(),
        "mint": solana_registry.mint,
    }
    with pytest.raises(Refused, match="BadSymbol"):
        solana_registry.call(
            "claim", accounts, solana_registry.owner, fee=0, deadline=START + 900, nonce=1, symbol=symbol
        )


def test_lamports_sent_ahead_do_not_block_a_symbol(solana_registry: SolanaRegistry) -> None:
    for number, lamports in enumerate((890_880, SOL), start=1):  # less than the rent, and more
        solana_registry.svm.airdrop(solana_registry.address(f"LUMEN{number}"), lamports)
        solana_registry.claim(f"LUMEN{number}")
        assert solana_registry.registered(f"LUMEN{number}").token_id == number


def test_free_registrations_are_limited_by_day(solana_registry: SolanaRegistry) -> None:
    for number in range(FREE_PER_DAY):
        solana_registry.claim(f"FREE{number}", fee=number * (PAID_FROM - 1) // FREE_PER_DAY)
    with pytest.raises(Refused, match="TooManyFree"):
        solana_registry.claim("ONEMORE", fee=0)
    solana_registry.claim("PAID", fee=PAID_FROM)
    solana_registry.set_time(START + DAY)
    solana_registry.claim("ONEMORE", fee=0)


def test_a_treasury_below_its_rent_is_named(solana_registry: SolanaRegistry) -> None:
    solana_registry.svm.set_account(solana_registry.treasury.pubkey(), Account(0, b"", Pubkey.default()))
    with pytest.raises(Refused, match="TreasuryBelowRent"):
        solana_registry.claim("LUMEN", fee=PAID_FROM)


def test_the_config_is_made_once_and_by_the_programs_own_key() -> None:
    registry = SolanaRegistry()
    accounts = {"payer": registry.payer.pubkey(), "program": registry.stranger.pubkey(), "config": registry.config}
    zeros = {"cluster": bytes(32), **dict.fromkeys(("signer", "guardian", "treasury"), registry.stranger.pubkey())}
    numbers = dict.fromkeys(("end_delay", "objection_delay", "signer_delay", "free_per_day", "paid_from"), 0)
    with pytest.raises(Refused, match="MissingSignature"):
        registry.call("initialize", accounts, registry.stranger, **zeros, **numbers)
    made = idl.instruction(
        registry.program, "initialize", {**accounts, "program": registry.program}, {**zeros, **numbers}
    )
    with pytest.raises(Refused, match="MissingSignature"):
        registry.send([with_account(made, 1, registry.program)])
    for place, error in ((2, "WrongConfig"), (3, "WrongSystemProgram")):
        with pytest.raises(Refused, match=error):
            registry.send([with_account(made, place, Pubkey.new_unique())], registry.key)
    registry.initialize()
    with pytest.raises(Refused, match="AlreadyInitialized"):
        registry.initialize(guardian=registry.stranger.pubkey())


def test_unknown_instructions_and_wrong_lengths_are_refused(solana_registry: SolanaRegistry) -> None:
    who = AccountMeta(solana_registry.owner.pubkey(), True, True)
    crown = AccountMeta(solana_registry.address("LUMEN"), False, True)
    for data in (b"", b"\xff", b"\2\0", b"\1" + bytes(24) + b"\xff\xff\xff\xff"):
        with pytest.raises(Refused, match="BadInstruction"):
            solana_registry.send([Instruction(solana_registry.program, data, [who, crown])], solana_registry.owner)


def test_a_claim_has_its_accounts_and_its_data_and_no_more(solana_registry: SolanaRegistry) -> None:
    check, claim = solana_registry.claim_parts("LUMEN")
    more = [*claim.accounts, AccountMeta(solana_registry.program, False, False)]
    longer_text = claim.data[:25] + (6).to_bytes(4, "little") + claim.data[29:]
    for data, accounts in (
        (claim.data, claim.accounts[:-1]),
        (claim.data, more),
        (claim.data[:28], claim.accounts),
        (claim.data + b"A", claim.accounts),
        (longer_text, claim.accounts),
    ):
        with pytest.raises(Refused, match="BadInstruction"):
            solana_registry.send([check, Instruction(claim.program_id, data, accounts)], solana_registry.owner)
    with pytest.raises(Refused, match="BadSymbol"):
        solana_registry.send([check, Instruction(claim.program_id, claim.data[:25] + bytes(4), claim.accounts)],
                             solana_registry.owner)  # fmt: skip


def test_numbers_at_their_limits_do_not_wrap(solana_registry: SolanaRegistry) -> None:
    largest = 2**64 - 1
    with pytest.raises(Refused):
        solana_registry.claim("LUMEN", fee=largest)
    for deadline in (-1, -(2**63)):
        with pytest.raises(Refused, match="AuthorizationExpired"):
            solana_registry.claim("LUMEN", deadline=deadline)
    assert solana_registry.crown("LUMEN") is None
    solana_registry.claim("LUMEN", deadline=2**63 - 1)


def test_an_account_of_another_program_at_a_symbols_address_is_refused(solana_registry: SolanaRegistry) -> None:
    strange = Account(SOL, bytes(program.HEADER_BYTES), solana_registry.stranger.pubkey())
    solana_registry.svm.set_account(solana_registry.address("LUMEN"), strange)
    with pytest.raises(Refused, match="WrongCrown"):
        solana_registry.claim("LUMEN")


def test_a_hundred_claims_of_a_symbol_make_one_registration(solana_registry: SolanaRegistry) -> None:
    claimers = [Keypair() for _ in range(100)]
    parts = []
    for claimer in claimers:
        solana_registry.svm.airdrop(claimer.pubkey(), SOL)
        parts.append(solana_registry.claim_parts("LUMEN", claimer))
    refusals = []
    for claimer, pair in zip(claimers, parts, strict=True):
        try:
            solana_registry.send(pair, claimer)
        except Refused as error:
            refusals.append(str(error))
    assert refusals == ["SymbolTaken"] * 99
    assert solana_registry.registered("LUMEN").owner == claimers[0].pubkey()


def test_the_accounts_are_as_long_as_they_are_declared(solana_registry: SolanaRegistry) -> None:
    solana_registry.claim("LUMEN")
    account = solana_registry.svm.get_account(solana_registry.address("LUMEN"))
    assert account is not None
    assert len(account.data) == program.CROWN_BYTES
    assert account.lamports == solana_registry.svm.minimum_balance_for_rent_exemption(program.CROWN_BYTES)
