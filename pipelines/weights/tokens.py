"""Weights of tokens by the hour, in the warehouse; :func:`pipelines.copies.standing` is the specification."""

from pipelines.prices.market import native_names, stablecoin_names
from pipelines.refresh_run import RefreshRun
from pipelines.rules import MARKET
from pipelines.weights.quotes import quote_decimals
from pipelines.windows import Window
from warehouse.domain.copies import HOUR_SECONDS, CopyRules

_DAY_SECONDS = 86_400
_MICRO = 6
_POOL_HOURS_PER_STATEMENT = 2_000_000
_FEWEST_HOURS, _MOST_HOURS = 12, 240


def weigh_tokens(
    run: RefreshRun, window: Window, history_from: int, closed_to: int, reached: int, rules: CopyRules
) -> int:
    """Write the weights of all tokens for the hours between two moments; returns how many rows."""
    chain = window.chain
    quotes = [*stablecoin_names(chain), *native_names(chain)]
    decimals = quote_decimals(chain)
    remembered, gap = rules.remembered_days * 24, rules.gap_days * 24
    parameters = {
        **window.parameters(run.version),
        "quotes": quotes,
        # Depth times a price with 18 decimals, divided by this, is millionths of a dollar.
        "divisors": [str(10 ** (decimals[quote] + 18 - _MICRO)) for quote in quotes],
        "min_depth_micro": int(MARKET.min_depth_usd.scaleb(_MICRO)),
        "history_from": history_from,
        "window_hours": rules.window_hours,
        "remembered_hours": remembered,
        "gap_hours": gap,
        "kept_hours": max(rules.window_hours, remembered, gap),
    }
    last_day = {"chain_id": chain.chain_id, "day": (reached - 1) // _DAY_SECONDS * _DAY_SECONDS}
    pools = run.read("weights/deep_pools", last_day)[0]["pools"]
    at_once = max(_FEWEST_HOURS, min(_MOST_HOURS, _POOL_HOURS_PER_STATEMENT // max(1, pools)))
    every = range(closed_to, reached, HOUR_SECONDS)
    written = 0
    for place in range(0, len(every), at_once):
        hours = list(every[place : place + at_once])
        written += run.transform("weights/weigh", {**parameters, "hours": hours, "count": len(hours)})
    return written
