"""An alert in words."""

from datetime import UTC, datetime

from warehouse.domain.alerts import AlertType, Operator


def title(symbol: str, type: AlertType) -> str:
    """A headline."""
    return f"{symbol}: {type.title}"


def body(
    type: AlertType, operator: Operator, threshold: float, window_minutes: int, value: float, earlier: float | None
) -> str:
    """What was read, in a sentence."""
    reading = f"{type.reading[:1].upper()}{type.reading[1:]}"
    if earlier is None or operator not in (Operator.DROP, Operator.SPIKE):
        compared = "greater" if operator is Operator.ABOVE else "less"
        return f"{reading}: {figure(value)}, which is {compared} than {figure(threshold)}."
    moved = "fell" if operator is Operator.DROP else "rose"
    percent = abs(100 * (value - earlier) / earlier)
    return (
        f"{reading}: {moved} by {figure(percent)} percent in {window_minutes} minutes, from {figure(earlier)} to"
        f" {figure(value)}; the rule's threshold is {figure(threshold)} percent."
    )


def recovered(type: AlertType, triggered_at: datetime) -> str:
    """That an alert is over, in a sentence."""
    reading = f"{type.reading[:1].upper()}{type.reading[1:]}"
    return f"{reading}: recovered. The alert of {triggered_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC is resolved."


def figure(value: float) -> str:
    """A number in at most six significant digits, without exponent."""
    if abs(value) >= 100_000:
        return f"{value:,.0f}"
    return f"{value:.6g}" if abs(value) >= 1e-4 or value == 0 else f"{value:.12f}".rstrip("0")
