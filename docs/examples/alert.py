"""Watches a token: creates a rule, waits until it fires, and acknowledges the alert.

    python docs/examples/alert.py --api http://127.0.0.1:8000 --chain-id 8453 --token 0x... \
        --type price_change --operator pct_drop --threshold 20 --private-key 0x...

Needs ``httpx``, ``eth-account``, and ``calls.py`` and ``sign_in.py`` beside it. Rules are evaluated every 15 minutes.
The private key never leaves this process. It can also come from ``ALERT_PRIVATE_KEY``.
"""

import argparse
import os
import time
from typing import Any

import httpx
from calls import ask, signed_in
from eth_account import Account

EVALUATION_SECONDS = 15 * 60


def wait_for_alert(api: httpx.Client, rule: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Read the token's alerts until the rule has one that is firing."""
    token = {"chainId": rule["chainId"], "tokenAddress": rule["tokenAddress"]}
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for alert in ask(api.get("/alerts/active", params=token))["data"]["alerts"]:
            if alert["rule_id"] == rule["id"]:
                return dict(alert)
        time.sleep(1)
    raise SystemExit(f"the rule did not fire in {seconds:.0f} s")


def main() -> None:
    """Create the rule, and wait for its alert."""
    parser = argparse.ArgumentParser(description="Watch a token.")
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="address of the service")
    parser.add_argument("--chain-id", type=int, default=8453)
    parser.add_argument("--token", required=True)
    parser.add_argument("--type", default="price_change", help="what is watched: docs/alerts.md")
    parser.add_argument("--operator", default="pct_drop", choices=("gt", "lt", "pct_drop", "pct_spike"))
    parser.add_argument("--threshold", type=float, default=20.0)
    parser.add_argument("--private-key", default=os.environ.get("ALERT_PRIVATE_KEY"))
    parser.add_argument("--patience", type=float, default=2 * EVALUATION_SECONDS, help="seconds to wait for the alert")
    arguments = parser.parse_args()
    if not arguments.private_key:
        parser.error("name the wallet with --private-key or ALERT_PRIVATE_KEY")

    wanted = {
        "chainId": f"eip155:{arguments.chain_id}",
        "tokenAddress": arguments.token,
        "alertType": arguments.type,
        "thresholdOperator": arguments.operator,
        "thresholdValue": arguments.threshold,
    }
    with signed_in(arguments.api, Account.from_key(arguments.private_key)) as api:
        rule = ask(api.post("/alerts/rules", json=wanted))["data"]["rule"]
        watched = f"{rule['alertType']} {rule['thresholdOperator']} {rule['thresholdValue']}"
        print(f"rule {rule['id']}: {watched}", flush=True)
        alert = wait_for_alert(api, rule, arguments.patience)
        reading = alert["readings"][0]
        print(f"it fired: {alert['metric_value']} was read at {reading['read_at']}, severity {alert['severity']}")
        acknowledged = ask(api.post(f"/alerts/{alert['id']}/acknowledge"))["data"]["alert"]
        counts = ask(api.get("/alerts/summary"))["data"]
        print(f"{acknowledged['status']}; the account has {counts['active']} others that are active")


if __name__ == "__main__":
    main()
