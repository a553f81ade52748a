"""Merkle trees over what accounts hold, in the form of OpenZeppelin's ``StandardMerkleTree``.

A leaf is ``keccak256(keccak256(abi.encode(address account, uint256 held)))``, hashed twice so that no inner node passes
for one. Nodes are hashed in sorted pairs. Leaves are sorted by hash and stand at the end of the array in reverse.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from eth_hash.auto import keccak

HASH_BYTES: Final = 32


def leaf_hash(account: str, held: int) -> bytes:
    """The leaf of an account; ``account`` is 0x and 40 hexadecimal digits."""
    return keccak(keccak(bytes.fromhex(account[2:]).rjust(32, b"\0") + held.to_bytes(32, "big")))


@dataclass(frozen=True, slots=True)
class MerkleTree:
    """A tree. ``nodes`` are all hashes in one piece, the root first; ``places`` says where each leaf is, in the order
    in which the leaves were given."""

    nodes: bytes
    places: Sequence[int]

    @property
    def root(self) -> bytes:
        """The root."""
        return self.nodes[:HASH_BYTES]

    def proof(self, place: int) -> list[bytes]:
        """The proof of the leaf at a place."""
        return [self.nodes[HASH_BYTES * at : HASH_BYTES * (at + 1)] for at in proof_places(place)]


def build_tree(leaves: Sequence[tuple[str, int]]) -> MerkleTree:
    """The tree of accounts and what they hold. There is at least one, and no account comes twice."""
    hashes = [leaf_hash(account, held) for account, held in leaves]
    order = sorted(range(len(hashes)), key=hashes.__getitem__)
    count = 2 * len(hashes) - 1
    nodes, places = [b""] * count, [0] * len(hashes)
    for rank, leaf in enumerate(order):
        places[leaf] = count - 1 - rank
        nodes[count - 1 - rank] = hashes[leaf]
    for at in range(len(hashes) - 2, -1, -1):
        left, right = nodes[2 * at + 1], nodes[2 * at + 2]
        nodes[at] = keccak(left + right if left < right else right + left)
    return MerkleTree(b"".join(nodes), places)


def proof_places(place: int) -> list[int]:
    """Where the hashes of the proof of a leaf are, from the leaf to the root."""
    found = []
    while place > 0:
        found.append(place + 1 if place % 2 else place - 1)
        place = (place - 1) // 2
    return found
