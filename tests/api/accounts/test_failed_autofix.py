"""An operator tells an account that an automatic fix of its app failed."""

import pytest

from api.accounts.service import AccountError, Accounts
from tests.factories.events import log
from tests.factories.registrations import address
from warehouse.postgres import Connection


def test_a_failed_run_is_told_once_to_the_wallets_account(store_url: str, store: Connection) -> None:
    accounts = Accounts(store_url)
    account = accounts.set_plan(address(0xACC), "developer")
    accounts.set_plan(address(0xACD), "developer")
    run = {"app": "quill-site", "run": "run-7", "message": "The build fails."}
    assert [accounts.record_failed_autofix(address(0xACC), **run) for _ in range(2)] == [True, False]
    [event] = log(store, "ci.autofix.failed")
    assert (event["account_id"], event["payload"]) == (account.id, run)


def test_an_unknown_wallet_is_refused(store_url: str) -> None:
    with pytest.raises(AccountError, match="no account has"):
        Accounts(store_url).record_failed_autofix(address(0xACC), app="a", run="r", message="m")
