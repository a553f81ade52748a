// The blocks that the node has made: their slots, times and heights, from the node's own events.
//
// Surfpool answers about blocks in ways that no other node does. It divides times by 1000 twice, gives a block with
// transactions another hash than the next block names as its parent, names a block as its own parent, and answers for
// slots that were jumped over. The ledger says these things right; what is in a block stays as Surfpool has it.
"use strict";

const { createHash } = require("node:crypto");

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const FINALITY_SLOTS = 31; // Surfpool's own distance between the current slot and a final one

class Ledger {
  constructor(firstSlot, chainName) {
    this.chainName = chainName; // in the hashes, so that two runs of the node are two chains
    this.current = firstSlot; // the slot that takes transactions now; blocks are those before it
    this.slots = [];
    this.times = []; // unix seconds, by position in slots
    this.clock = 0; // unix seconds
    this.firstHeight = 0; // height of the first block
  }

  /** Take note of a block made or a jump of the clock. */
  record(event) {
    if (event.kind !== "systemClockUpdated") return;
    const { slot, unixTimestamp, epochStartTimestamp } = event.clock;
    this.clock = unixTimestamp;
    if (epochStartTimestamp === 0) {
      // A new block; jumps state when their epoch started.
      this.slots.push(this.current);
      this.times.push(unixTimestamp);
    }
    this.current = slot;
  }

  /** State that the blocks made so far were made evenly between two times (unix seconds). */
  spreadTimes(from, to) {
    const steps = Math.max(this.slots.length - 1, 1);
    this.times = this.slots.map((_, at) => Math.floor(from + ((to - from) * at) / steps));
  }

  /** Position of the newest block at or before a slot, or -1. */
  position(slot) {
    let low = 0;
    let high = this.slots.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.slots[middle] <= slot) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Slot of the newest block of a commitment; the first block counts as final. */
  newest(commitment) {
    const newest = this.slots.length - 1;
    if (commitment !== "finalized") return this.slots[newest];
    return this.slots[Math.max(this.position(this.current - FINALITY_SLOTS), 0)];
  }

  /** Slots of blocks between two slots, both included. */
  between(start, end) {
    return this.slots.slice(this.position(start - 1) + 1, this.position(end) + 1);
  }

  /** Position of the block in a slot, or the error that a node answers with. */
  find(slot, commitment) {
    if (slot < this.slots[0]) {
      const first = `First available block: ${this.slots[0]}`;
      throw new RpcError(-32001, `Block ${slot} cleaned up, does not exist on node. ${first}`);
    }
    if (slot > this.newest(commitment)) throw new RpcError(-32004, `Block not available for slot ${slot}`);
    const position = this.position(slot);
    if (this.slots[position] !== slot) {
      throw new RpcError(-32009, `Slot ${slot} was skipped, or missing in long-term storage`);
    }
    return position;
  }

  /** When a transaction's block was made. */
  time(slot) {
    return this.times[this.position(slot)] ?? null;
  }

  hash(slot) {
    return base58(createHash("sha256").update(`${this.chainName} ${slot}`).digest());
  }

  /** A block as Surfpool has it, with its place in the chain stated right. */
  placed(block, position) {
    const slot = this.slots[position];
    const parent = position > 0 ? this.slots[position - 1] : slot - 1;
    return {
      ...block,
      blockHeight: this.firstHeight + position,
      blockTime: this.times[position],
      blockhash: this.hash(slot),
      parentSlot: parent,
      previousBlockhash: this.hash(parent),
    };
  }
}

/** Bytes as base58. */
function base58(bytes) {
  let number = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (; number > 0n; number /= 58n) text = BASE58[Number(number % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(zeros) + text;
}

class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

module.exports = { Ledger, RpcError };
