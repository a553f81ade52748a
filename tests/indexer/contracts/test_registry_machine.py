"""Any order of announcements, objections, vetoes, signers and settlements against a model of the registry's rules."""

from typing import Any, ClassVar

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from indexer.contracts import registry
from indexer.contracts.registry import Reason
from indexer.contracts.statements import SettlementAuthorization, SettlementConsent, SignerAcceptance
from indexer.devchain.anvil import Anvil
from tests.indexer.contracts.deployed_registry import TERMS, Registry, Reverted

_LAPSE = 30 * 86_400
_WAITS = (60, TERMS.signer_delay, TERMS.end_delay, TERMS.objection_delay, _LAPSE)


class RegistryMachine(RuleBasedStateMachine):
    """One registration; every step is either what the model allows and then happens, or is refused."""

    node: ClassVar[Anvil]

    @initialize()
    def deploy(self) -> None:
        self.deployed = Registry.deploy(self.node)
        self.owner, self.other = self.deployed.wallet(), self.deployed.wallet()
        self.key: LocalAccount = self.deployed.signer
        self.suspended = False
        self.next_key: LocalAccount | None = None
        self.next_from = 0
        self.token_id = self.deployed.mint(self.owner, "AURUM")
        self.ended = False
        self.end: dict[str, Any] | None = None
        self.number = 10**9

    def nonce(self) -> int:
        self.number += 1
        return self.number

    def now(self) -> int:
        return self.deployed.now()

    def attempt(self, allowed: bool, data: str, sender: LocalAccount, value: int = 0) -> bool:
        """Send what the model allows; check that the rest is refused."""
        try:
            self.deployed.ask(data, sender.address, value)
        except Reverted:
            assert not allowed, "the model allows what the registry refuses"
            return False
        assert allowed, "the registry does what the model forbids"
        self.deployed.send(sender, data, value)
        return True

    def call(self, allowed: bool, sender: LocalAccount, function: str, *arguments: Any) -> bool:
        return self.attempt(allowed, registry.contract().call(function, *arguments), sender)

    def pending(self) -> bool:
        return self.end is not None and self.now() <= self.end["due_at"] + _LAPSE

    @rule(seconds=st.sampled_from(_WAITS))
    def wait(self, seconds: int) -> None:
        self.deployed.wait(seconds)

    @rule(reason=st.sampled_from([0, *Reason]), forged=st.booleans())
    def announce(self, reason: int, forged: bool) -> None:
        key = self.other if forged else self.key
        statement = registry.EndAnnouncement(self.token_id, reason, self.now() + 900, self.nonce())
        data = registry.announcement_calldata(statement, self.deployed.sign(statement, by=key))
        allowed = not (forged or self.suspended or self.ended or self.pending() or reason == 0)
        if self.attempt(allowed, data, self.other):
            due_at = self.now() + TERMS.end_delay
            self.end = {"reason": reason, "due_at": due_at, "objected": False, "confirmed": False}

    @rule()
    def withdraw(self) -> None:
        statement = registry.EndWithdrawal(self.token_id, self.now() + 900, self.nonce())
        data = registry.withdrawal_calldata(statement, self.deployed.sign(statement, by=self.key))
        if self.attempt(self.pending() and not self.suspended, data, self.other):
            self.end = None

    @rule(by_owner=st.booleans())
    def object_to_it(self, by_owner: bool) -> None:
        allowed = (
            by_owner and not self.ended and self.pending() and not self.end["objected"]
            and self.now() < self.end["due_at"]
        )  # fmt: skip
        if self.call(allowed, self.owner if by_owner else self.other, "objectToEnd", self.token_id):
            self.end["objected"] = True
            self.end["due_at"] += TERMS.objection_delay

    @rule(by_guardian=st.booleans())
    def confirm(self, by_guardian: bool) -> None:
        allowed = by_guardian and self.pending() and self.end["objected"]
        if self.call(allowed, self.deployed.guardian if by_guardian else self.other, "confirmEnd", self.token_id):
            self.end["confirmed"] = True

    @rule(by_guardian=st.booleans())
    def veto(self, by_guardian: bool) -> None:
        sender = self.deployed.guardian if by_guardian else self.owner
        if self.call(by_guardian and self.pending(), sender, "vetoEnd", self.token_id):
            self.end = None

    @rule()
    def execute(self) -> None:
        allowed = (
            self.pending() and self.now() >= self.end["due_at"]
            and (self.end["confirmed"] or not self.end["objected"])
        )  # fmt: skip
        if self.call(allowed, self.other, "executeEnd", self.token_id):
            self.end, self.ended = None, True

    @rule()
    def suspend(self) -> None:
        if self.call(not self.suspended, self.deployed.guardian, "suspendSigner"):
            self.suspended, self.end = True, None

    @rule()
    def announce_signer(self) -> None:
        heir: LocalAccount = Account.create()
        self.call(True, self.deployed.guardian, "announceSigner", heir.address)
        self.next_key, self.next_from = heir, self.now() + TERMS.signer_delay

    @rule(forged=st.booleans())
    def activate_signer(self, forged: bool) -> None:
        heir = self.next_key or self.other
        acceptance = self.deployed.sign(SignerAcceptance(heir.address), by=self.other if forged else heir)
        allowed = self.next_key is not None and not forged and self.now() >= self.next_from
        if self.call(allowed, self.other, "activateSigner", acceptance):
            self.key, self.next_key, self.suspended, self.end = heir, None, False, None

    @precondition(lambda self: not self.ended)
    @rule(consenting=st.booleans(), authorized=st.booleans())
    def settle(self, consenting: bool, authorized: bool) -> None:
        buyer, deal = self.deployed.wallet(), self.nonce().to_bytes(32, "big")
        consent = SettlementConsent(
            deal, self.token_id, buyer.address, "0x" + "00" * 20, 1, self.node.chain_id, self.now() + 900,
            self.nonce(),
        )  # fmt: skip
        authorization = SettlementAuthorization(consent.struct_hash, self.now() + 900, self.nonce())
        data = registry.settlement_calldata(
            consent,
            self.deployed.sign(consent, by=self.owner if consenting else self.other),
            authorization,
            self.deployed.sign(authorization, by=self.key if authorized else self.other),
        )
        if self.attempt(consenting and authorized and not self.suspended, data, buyer, value=1):
            self.owner, self.end = buyer, None
            self.token_id += 1

    @precondition(lambda self: self.ended)
    @rule()
    def register_again(self) -> None:
        self.deployed.anvil.rpc("evm_mine")
        authorization = self.deployed.authorization(self.owner.address, "AURUM", nonce=self.nonce())
        data = registry.mint_calldata(authorization, self.deployed.sign(authorization, by=self.key))
        try:
            self.deployed.send(self.owner, data, value=authorization.fee)
        except Reverted:
            assert self.suspended
            return
        assert not self.suspended
        self.token_id += 1
        self.ended = False

    @invariant()
    def the_registry_agrees(self) -> None:
        if not hasattr(self, "deployed"):
            return
        assert self.deployed.token_id("AURUM") == (0 if self.ended else self.token_id)
        reason, due_at, objected, confirmed = self.deployed.end(self.token_id)
        if self.pending():
            known = self.end
            assert (reason, due_at) == (known["reason"], known["due_at"])
            assert (objected, confirmed) == (known["objected"], known["confirmed"])
        else:
            assert reason == 0
        if not self.ended:
            assert self.deployed.read("ownerOf", self.token_id) == self.owner.address.lower()


@pytest.mark.slow
def test_the_registry_follows_the_model_in_any_order(clock_node: Anvil) -> None:
    RegistryMachine.node = clock_node
    run_state_machine_as_test(
        RegistryMachine,
        settings=settings(
            max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
