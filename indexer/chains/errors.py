"""What can go wrong when reading a chain's nodes, as types. The same for every kind of chain.

RpcError
├── NodeUnavailable     no node answered in time, or each refused for now (timeouts, 5xx, 429)
│   └── UnknownFault    an error whose wording we do not know
│       └── BlockMissing    the node does not have the block asked for, or has another fork
├── NodeLimited         the request is too large for the node: ask for less at once
│   └── TooManyAccounts     a wallet has more accounts of a token than one answer can hold
├── MethodMissing       the node does not offer the method
├── StateMissing        the node has pruned the state of that block
├── CallFailed          the node ran the call and it failed: the contract's fault, not the node's
├── NodeLied            answers contradict each other or the headers: never indexed
│   └── ChainMoved      a reorganisation happened between two answers: look again
└── WrongChain          the node serves another chain: never indexed
"""


class RpcError(Exception):
    """Base class: a node failed, refused or contradicted itself."""


class NodeUnavailable(RpcError):
    """No node answered in the time allowed; ``retry_after`` is what it asked us to wait, in seconds."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnknownFault(NodeUnavailable):
    """An error whose wording we do not know. Treated as the node's fault unless the same single call always fails."""


class BlockMissing(UnknownFault):
    """The node does not have the named block: it is behind, or on another fork."""


class NodeLimited(RpcError):
    """The range, the result or the batch is too large for the node; ``max_results`` when it said how many."""

    def __init__(self, message: str, max_results: int | None = None) -> None:
        super().__init__(message)
        self.max_results = max_results


class TooManyAccounts(NodeLimited):
    """A wallet has more accounts of a token than one answer can hold. Asking again gives the same."""


class MethodMissing(RpcError):
    """The node does not offer the method."""


class StateMissing(RpcError):
    """The node has pruned the state this call asked for."""


class CallFailed(RpcError):
    """The call ran and failed: it reverted, ran out of gas or hit an invalid instruction."""


class NodeLied(RpcError):
    """Answers of the node contradict each other. None of them may be indexed."""


class ChainMoved(NodeLied):
    """Blocks read at different moments do not follow each other: a reorganisation happened in between."""


class WrongChain(RpcError):
    """The node serves another chain than the one configured."""
