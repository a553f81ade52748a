"""Links from an alert to the readings that it rests on."""

from datetime import datetime, timedelta
from typing import Final
from urllib.parse import quote, urlencode

from api.http.times import timestamp
from warehouse.domain.addresses import checksum_address
from warehouse.domain.alerts import ALERT_TYPES, Source
from warehouse.domain.chains import Chain

_HISTORIES: Final = {
    Source.MARKET: "/api/v2/token/{symbol}/{chain}/candles",
    Source.HEARTBEATS: "/api/v2/heartbeat/{symbol}/{chain}/history",
}
_NOW: Final = "/api/v2/token/{symbol}/{chain}"
_DAY: Final = timedelta(days=1)


def reading_url(
    public_url: str, chain: Chain | None, alert_type: str, symbol: str, token: str, at: datetime
) -> str | None:
    """Where a reading is shown: the history of the day up to ``at``, where one is served; copies in a search for the
    symbol, other readings with the token. None while the chain is not served."""
    if chain is None:
        return None
    source = ALERT_TYPES[alert_type].source
    if source is Source.COPIES:
        return f"{public_url}/api/v2/search?{urlencode({'symbol': symbol, 'chain': chain.key})}"
    path = _HISTORIES.get(source, _NOW).format(symbol=quote(symbol, safe=""), chain=chain.key)
    query = {"tokenAddress": checksum_address(token)}
    if source in _HISTORIES:
        query |= {"from": timestamp(at - _DAY), "to": timestamp(at)}
    return f"{public_url}{path}?{urlencode(query)}"
