"""Alert rules of the caller's account."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from api.alerts.errors import (
    CrownRequired,
    NoSuchRule,
    RuleBeingCreated,
    RuleLimit,
    RulesUncounted,
    TokenNotIndexed,
    TokenUnchecked,
)
from api.alerts.previews import AlertPreviews
from api.alerts.raised.repository import resolve_of_rule
from api.alerts.repository import AlertRuleRepository, RuleRecord, WatchedToken
from api.alerts.rules import Terms, find_chain, read_terms, require_plan, require_source
from api.alerts.schemas import AlertPreview, AlertRule, CreateAlertRule, CreatedAlertRuleData, UpdateAlertRule
from api.http.addresses import chain_address
from api.http.errors import InvalidInput
from api.http.times import timestamp
from api.security.callers import WalletSession
from warehouse.domain.addresses import checksum_address
from warehouse.domain.alerts import ALERT_TYPES, RULES_OF_PLAN, covers
from warehouse.domain.chains import Chains
from warehouse.errors import StoreUnavailable


@dataclass(frozen=True, slots=True)
class AlertRuleService:
    """See the module.

    Args:
        upgrade_url: where plans are changed.
    """

    repository: AlertRuleRepository
    previews: AlertPreviews
    chains: Chains
    upgrade_url: str

    async def list_all(self, session: WalletSession, token: WatchedToken | None) -> list[AlertRule]:
        """The account's rules, oldest first; of one token if it is given."""
        found = await self.repository.rules(session.account_id, token)
        return [self._rendered(rule, session.plan) for rule in found]

    async def preview(self, session: WalletSession, body: CreateAlertRule) -> AlertPreview:
        """What a rule would have done. Nothing is created, so the number of rules does not matter.

        Raises:
            InvalidInput, RuleRefused: the rule is malformed, or could never fire.
            TierRequired: the plan does not include it.
            TokenUnchecked: try again.
        """
        token, _, terms = await self._check(body)
        require_plan(terms.type, session.plan, self.upgrade_url)
        return await self.previews.of(token, terms)

    async def create(self, session: WalletSession, body: CreateAlertRule) -> CreatedAlertRuleData:
        """Create a rule; it comes with its preview.

        Raises:
            InvalidInput, RuleRefused: the rule is malformed, or could never fire.
            TierRequired, RuleLimit: the plan does not include it, or no further rule.
            TokenUnchecked, RulesUncounted, RuleBeingCreated: nothing was created; try again.
        """
        token, symbol, terms = await self._check(body)
        require_plan(terms.type, session.plan, self.upgrade_url)
        rule = {
            "account_id": session.account_id,
            "wallet": session.wallet,
            "chain_id": token.chain.chain_id,
            "token_address": token.address,
            "symbol": symbol,
            **terms.columns(),
            "enabled": body.enabled,
        }
        made = await self._read(session, await self._add(session, rule))
        return CreatedAlertRuleData(rule=made, preview=await self.previews.of_new_rule(token, terms))

    async def update(self, session: WalletSession, id: UUID, body: UpdateAlertRule) -> AlertRule:
        """Change the members that the body has. The rule is judged anew from then on, and its open alert is resolved.

        Raises:
            NoSuchRule: the account has no such rule.
            InvalidInput, RuleRefused: nothing or null is given, or the rule could never fire.
            TierRequired: the plan does not include it.
        """
        given = body.model_dump(exclude_unset=True)
        if not given:
            raise InvalidInput("body", "must have a member to change")
        for name, value in given.items():
            if value is None:
                raise InvalidInput(_wire_name(name), "must not be null; leave it out to keep it")
        # A change that came in between is not overwritten: this one is applied to it.
        while not await self._save(session, id, given):
            pass
        return await self._read(session, id)

    async def toggle(self, session: WalletSession, id: UUID) -> AlertRule:
        """Switch a rule off, or on again. Its open alert is resolved.

        Raises:
            NoSuchRule: the account has no such rule.
            TierRequired: the plan does not include it any more.
        """
        covered = [type.name for type in ALERT_TYPES.values() if covers(session.plan, type)]
        async with self.repository.store.transaction() as transaction:
            switched = await self.repository.toggle(transaction, session.account_id, id, covered)
            if switched:
                await resolve_of_rule(transaction, session.account_id, id)
        if not switched:
            rule = await self._find(session, id)
            require_plan(ALERT_TYPES[rule.alert_type], session.plan, self.upgrade_url)
        return await self._read(session, id)

    async def delete(self, session: WalletSession, id: UUID) -> None:
        """Delete a rule. Its open alert is resolved.

        Raises:
            NoSuchRule: the account has no such rule.
        """
        async with self.repository.store.transaction() as transaction:
            if not await self.repository.delete(transaction, session.account_id, id):
                raise NoSuchRule
            await resolve_of_rule(transaction, session.account_id, id)

    async def _check(self, body: CreateAlertRule) -> tuple[WatchedToken, str, Terms]:
        """The token, its symbol and the terms of a rule that can fire."""
        terms = read_terms(
            alert_type=body.alert_type,
            operator=body.threshold_operator,
            threshold=body.threshold_value,
            window_minutes=body.time_window_minutes,
            cooldown_minutes=body.cooldown_minutes,
            channels=body.channels,
        )
        chain = require_source(terms.type, find_chain(self.chains, body.chain_id), body.chain_id)
        token = WatchedToken(chain, chain_address("tokenAddress", body.token_address, chain))
        return token, await self._symbol(token, terms), terms

    async def _symbol(self, token: WatchedToken, terms: Terms) -> str:
        try:
            standing = await self.repository.standing(token)
        except StoreUnavailable as error:
            raise TokenUnchecked from error
        if terms.type.needs_registration and standing.registered_symbol is None:
            raise CrownRequired(f"tokenAddress: {terms.type.name} needs a registration on the token")
        symbol = standing.registered_symbol or standing.symbol
        if symbol is None:
            raise TokenNotIndexed
        return symbol

    async def _changed(self, rule: RuleRecord, given: dict[str, Any]) -> Terms:
        """The terms of a changed rule, which can fire."""
        before = rule.terms
        terms = read_terms(
            alert_type=given.get("alert_type", rule.alert_type),
            operator=given.get("threshold_operator", rule.operator),
            threshold=given.get("threshold_value", before.threshold),
            window_minutes=given.get("time_window_minutes", before.window_minutes),
            cooldown_minutes=given.get("cooldown_minutes", before.cooldown_minutes),
            channels=given.get("channels", before.channels),
        )
        chain = self.chains.by_id(rule.chain_id)
        known = require_source(terms.type, chain, chain.caip2 if chain else str(rule.chain_id))
        await self._symbol(WatchedToken(known, rule.token_address), terms)
        return terms

    async def _add(self, session: WalletSession, rule: dict[str, Any]) -> UUID:
        """Add the rule unless the account has as many as its plan allows. The account's row is held meanwhile, so that
        simultaneous requests cannot exceed the number."""
        try:
            async with self.repository.store.transaction() as transaction:
                plan = await self.repository.lock_account(transaction, session.account_id)
                if plan is None:
                    raise RuleBeingCreated
                if await self.repository.count(transaction, session.account_id) >= RULES_OF_PLAN[plan]:
                    raise RuleLimit.of(plan, self.upgrade_url)
                return await self.repository.add(transaction, rule)
        except StoreUnavailable as error:
            raise RulesUncounted from error

    async def _save(self, session: WalletSession, id: UUID, given: dict[str, Any]) -> bool:
        """Change a rule as it is now; false: it was changed meanwhile."""
        rule = await self._find(session, id)
        terms = await self._changed(rule, given)
        require_plan(terms.type, session.plan, self.upgrade_url)
        enabled = given.get("enabled", rule.enabled)
        async with self.repository.store.transaction() as transaction:
            saved = await self.repository.change(transaction, session.account_id, rule, terms, enabled)
            if saved:
                await resolve_of_rule(transaction, session.account_id, id)
        return saved

    async def _find(self, session: WalletSession, id: UUID) -> RuleRecord:
        rule = await self.repository.rule(session.account_id, id)
        if rule is None:
            raise NoSuchRule
        return rule

    async def _read(self, session: WalletSession, id: UUID) -> AlertRule:
        return self._rendered(await self._find(session, id), session.plan)

    def _rendered(self, rule: RuleRecord, plan: str) -> AlertRule:
        chain = self.chains.by_id(rule.chain_id)
        covered = covers(plan, ALERT_TYPES[rule.alert_type]) and rule.place <= RULES_OF_PLAN[plan]
        return AlertRule(
            id=str(rule.id),
            wallet=checksum_address(rule.wallet),
            chain_id=chain.caip2 if chain else f"eip155:{rule.chain_id}",
            token_address=checksum_address(rule.token_address),
            symbol=rule.symbol,
            alert_type=rule.alert_type,
            threshold_value=rule.threshold,
            threshold_operator=rule.operator,
            time_window_minutes=rule.window_minutes,
            cooldown_minutes=rule.cooldown_minutes,
            enabled=rule.enabled,
            channels=list(rule.channels),
            paused=rule.enabled and not covered,
            created_at=timestamp(rule.created_at),
            updated_at=timestamp(rule.updated_at),
        )


def _wire_name(name: str) -> str:
    alias = UpdateAlertRule.model_fields[name].alias
    return alias or name
