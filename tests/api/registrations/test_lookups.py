"""The lookups at the root of the host: unified, over all chains, roles."""

from datetime import timedelta

from eth_utils.address import to_checksum_address

from tests.factories.registrations import (
    ARBITRUM,
    BASE,
    LONG_AGO,
    add_registration,
    add_token,
    address,
    scored,
)
from tests.fixtures.service import Service
from warehouse.postgres import Connection

OTHER = address(0xB0B)
SOLANA = 900900


async def test_the_unified_registration_is_the_earliest_active_one(service: Service, store: Connection) -> None:
    add_registration(store, token_id=1, released_at=LONG_AGO)
    add_registration(store, token_id=2, minted_at=LONG_AGO + timedelta(days=2))
    add_registration(store, token_id=5, chain_id=ARBITRUM, minted_at=LONG_AGO + timedelta(days=1), owner=OTHER)
    answer = (await service.client.get("/registration/unified/pepe")).json()
    assert answer["primaryClaimedAt"].endswith("Z")
    assert {**answer, "primaryClaimedAt": None} == {
        "symbol": "PEPE", "owner": to_checksum_address(OTHER), "tokenId": 5, "chainId": ARBITRUM, "status": "confirmed",
        "primaryType": "evm", "primaryClaimedAt": None, "isPending": False,
    }  # fmt: skip


async def test_a_symbol_without_a_registration_is_not_found(service: Service, store: Connection) -> None:
    add_registration(store, expired_at=LONG_AGO)
    missing = await service.client.get("/registration/unified/PEPE")
    assert (missing.status_code, missing.json()["code"]) == (404, "NOT_FOUND")
    assert (await service.client.get("/registration/v2/symbol/PEPE/all-chains")).json() == {
        "symbol": "PEPE", "crowns": [],
    }  # fmt: skip
    assert (await service.client.get("/registration/PEPE/roles")).status_code == 404


async def test_registrations_of_one_owner_are_linked_and_the_oldest_is_primary(
    service: Service, store: Connection
) -> None:
    add_registration(store, token_id=1, minted_at=LONG_AGO + timedelta(days=1))
    add_registration(store, token_id=7, chain_id=ARBITRUM)
    add_registration(store, token_id=9, chain_id=10, owner=OTHER, minted_at=LONG_AGO + timedelta(days=2))
    crowns = (await service.client.get("/registration/v2/symbol/PEPE/all-chains")).json()["crowns"]
    linked = {crown["chainId"]: (crown["isLinked"], crown["deploymentCount"]) for crown in crowns}
    assert list(linked.items()) == [(ARBITRUM, (True, 2)), (BASE, (True, 2)), (10, (False, 1))]
    assert [crown["primaryChainId"] for crown in crowns] == [ARBITRUM, ARBITRUM, 10]
    assert {(crown["ownerType"], crown["chainType"], crown["isPending"]) for crown in crowns} == {("evm", "evm", False)}


async def test_registrations_of_different_owners_are_linked_if_each_names_the_other(
    service: Service, store: Connection
) -> None:
    add_registration(store, token_id=1)
    add_registration(store, token_id=7, chain_id=ARBITRUM, owner=OTHER, peer_chain_id=BASE, peer_token_id=1)
    path = "/registration/v2/symbol/PEPE/all-chains"
    crowns = (await service.client.get(path)).json()["crowns"]
    assert [crown["isLinked"] for crown in crowns] == [False, False]
    store.execute("UPDATE registration SET peer_chain_id = %s, peer_token_id = 7 WHERE chain_id = %s", (ARBITRUM, BASE))
    crowns = (await service.client.get(path)).json()["crowns"]
    assert [crown["isLinked"] for crown in crowns] == [True, True]


async def test_registrations_on_evm_and_on_solana_are_linked_if_each_names_the_other(
    service: Service, store: Connection
) -> None:
    owner, mint = "4Nd1mYQzvgvFqjhpJJyYzuTEbWGzHJJLwCoDHLZbqLyN", "DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263"
    add_registration(store, token_id=1, minted_at=LONG_AGO + timedelta(days=1))
    add_registration(
        store, token_id=3, chain_id=SOLANA, owner=owner, token_address=mint, peer_chain_id=BASE, peer_token_id=1
    )
    path = "/registration/v2/symbol/PEPE/all-chains"
    crowns = (await service.client.get(path)).json()["crowns"]
    assert [crown["isLinked"] for crown in crowns] == [False, False]
    store.execute("UPDATE registration SET peer_chain_id = %s, peer_token_id = 3 WHERE chain_id = %s", (SOLANA, BASE))
    on_solana, on_base = (await service.client.get(path)).json()["crowns"]
    assert [crown["isLinked"] for crown in (on_solana, on_base)] == [True, True]
    assert (on_solana["ownerType"], on_base["ownerType"]) == ("solana", "evm")
    assert (on_solana["primaryChainId"], on_base["primaryChainId"]) == (None, None), "the oldest is on Solana"


async def test_addresses_of_evm_owners_can_be_left_out(service: Service, store: Connection) -> None:
    add_registration(store, token_id=1)
    add_registration(store, token_id=7, chain_id=ARBITRUM, owner=OTHER)
    path = "/registration/v2/symbol/PEPE/all-chains"
    answer = await service.client.get(path, params={"excludeEvm": to_checksum_address(OTHER)})
    assert [crown["chainId"] for crown in answer.json()["crowns"]] == [BASE]
    wrong = await service.client.get(path, params={"excludeEvm": "me"})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "INVALID_REQUEST")
    assert wrong.json()["error"].startswith("excludeEvm: ")


async def test_a_registration_whose_heartbeat_is_low_is_not_active(service: Service, store: Connection) -> None:
    add_registration(store)
    add_token(store, **scored("59.99"))
    crowns = (await service.client.get("/registration/v2/symbol/PEPE/all-chains")).json()["crowns"]
    assert [crown["isActive"] for crown in crowns] == [False]


async def test_roles_name_owner_managers_and_maintainers(service: Service, store: Connection) -> None:
    first, second, helper = address(0xA), address(0xB), address(0xC)
    add_registration(store, managers=[first, second], maintainers=[helper], block_number=5)
    store.execute("INSERT INTO chain_checkpoint (chain_id, generation, block_number) VALUES (%s, 1, 77)", (BASE,))
    for name in ("1", "PEPE"):
        roles = (await service.client.get(f"/registration/{name}/roles", params={"chain": "base"})).json()
        assert roles["owner"] == to_checksum_address(address(0xA11CE))
        assert roles["manager"] == to_checksum_address(first)
        assert roles["managers"] == [to_checksum_address(first), to_checksum_address(second)]
        assert roles["maintainers"] == [to_checksum_address(helper)]
        assert (roles["tokenId"], roles["isPending"], roles["asOfBlock"]) == (1, False, 77)


async def test_root_lookups_do_not_answer_under_the_prefix_nor_others_without_it(
    service: Service, store: Connection
) -> None:
    add_registration(store)
    for path in ("/registration/unified/PEPE/x", "/api/v2/registration/v2/symbol/PEPE/all-chains", "/registration/fee"):
        assert (await service.client.get(path)).status_code == 404
    prefixed = await service.client.get("/api/v2/registration/unified/PEPE")
    assert prefixed.status_code == 400  # a symbol on a chain called PEPE
    assert (await service.client.get("/api/v2/registration/1/roles")).status_code == 400


async def test_root_lookups_need_a_key(service: Service) -> None:
    for path in ("unified/PEPE", "v2/symbol/PEPE/all-chains", "PEPE/roles"):
        assert (await service.anonymous.get(f"/registration/{path}")).status_code == 401
