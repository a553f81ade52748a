"""Links from an alert to the readings that it rests on."""

from datetime import datetime, timedelta
from typing import Final
from urllib.parse import quote, urlencode

from api.http.times import timestamp
from warehouse.domain.addresses import checksum_address
from warehouse.domain.alerts import ALERT_TYPES, Source
from warehouse.domain.chains import Chain

_PATHS: Final = {
    Source.MARKET: "/api/v2/token/{symbol}/{chain}/candles",
    Source.HEARTBEATS: "/api/v2/heartbeat/{symbol}/{chain}/history",
}
_DAY: Final = timedelta(days=1)


def reading_url(
    public_url: str, chain: Chain | None, alert_type: str, symbol: str, token: str, at: datetime
) -> str | None:
    """The history of the readings in the day up to ``at``; None where this service serves none."""
    path = _PATHS.get(ALERT_TYPES[alert_type].source)
    if path is None or chain is None:
        return None
    place = path.format(symbol=quote(symbol, safe=""), chain=chain.key)
    period = {"tokenAddress": checksum_address(token), "from": timestamp(at - _DAY), "to": timestamp(at)}
    return f"{public_url}{place}?{urlencode(period)}"
