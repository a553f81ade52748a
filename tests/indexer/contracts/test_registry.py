from eth_utils.crypto import keccak

from indexer.contracts import registry
from indexer.contracts.registry import Reason
from warehouse.domain.registrations import END_REASONS, REGISTRY_LOGS


def test_topics_are_the_hashes_of_the_events_signatures() -> None:
    assert len(REGISTRY_LOGS) == 15
    for topic, log in REGISTRY_LOGS.items():
        name = log.signature.partition("(")[0]
        assert registry.contract().topic(name) == "0x" + topic.hex() == "0x" + keccak(text=log.signature).hex()


def test_revert_data_names_the_error() -> None:
    assert registry.contract().error("0x" + keccak(text="Soulbound()")[:4].hex()) == ("Soulbound", ())
    assert registry.contract().error("0x08c379a0") is None
    assert registry.contract().error("0x") is None


def test_reasons_have_one_name_each() -> None:
    assert set(END_REASONS) == set(Reason)
