// A local Solana node: Surfpool with an HTTP server in front. It ends when its standard input ends, or with status 9 and
// a line on standard error when it takes too much memory.
//
//   node node.js '{"port": 8899, "wsPort": 8900, "slotMs": 400, "paused": false, …}'
//
// The server takes batches, which Surfpool does not, and corrects what Surfpool says about blocks (see ledger.js).
// Methods of its own, all but the last while block production is paused: devnode_mine [blocks], devnode_skip [slots],
// devnode_spreadTimes [from, to], devnode_resume [], devnode_pause []. Bundles are refused as nodes without them do: in
// Surfpool they never end and take all memory.
"use strict";

const http = require("node:http");
const net = require("node:net");
const { Ledger, RpcError } = require("./ledger.js");

const DRAIN_MS = 20; // Surfpool keeps its events until somebody takes them
const CLOCK_LAG_SECONDS = 2;
const MEMORY_CHECK_MS = 500;
const PAYER_LAMPORTS = 500_000_000_000_000; // half of what Surfpool has to give

const { port, wsPort, slotMs, paused, surfpool, memoryLimitMb } = JSON.parse(process.argv[2]);
const { Surfnet } = require(surfpool);
const surfnet = Surfnet.startWithConfig({
  offline: true,
  blockProductionMode: "clock",
  slotTimeMs: slotMs,
  airdropSol: PAYER_LAMPORTS,
});
let ledger;
let running = true;

async function main() {
  await surfpoolCall("surfnet_pauseClock", []);
  ledger = new Ledger(await surfpoolCall("getFirstAvailableBlock", []), surfnet.instanceId);
  running = false;
  drain();
  mine(1); // the first jump to a slot also sets Surfpool's count of slots in the epoch right
  ledger.firstHeight = (await surfpoolCall("getEpochInfo", [])).blockHeight + 1 - ledger.slots.length;
  if (!paused) await resume();
  setInterval(drain, DRAIN_MS);
  setInterval(watchMemory, MEMORY_CHECK_MS);
  http.createServer(answer).listen(port, "127.0.0.1");
  net.createServer(pipeToSubscriptions).listen(wsPort, "127.0.0.1");
  const genesisHash = await surfpoolCall("getGenesisHash", []);
  console.log(JSON.stringify({ genesisHash, payerSecret: Array.from(surfnet.payerSecretKey) }));
}

/** Take the node's events, and set its clock when it lags behind the machine's. */
function drain() {
  for (const event of surfnet.drainEvents()) ledger.record(event);
  const lag = Date.now() / 1000 - ledger.clock;
  if (running && lag > Math.max(CLOCK_LAG_SECONDS, (4 * slotMs) / 1000)) {
    surfnet.timeTravelToTimestamp(Date.now());
    for (const event of surfnet.drainEvents()) ledger.record(event);
  }
}

function watchMemory() {
  const taken = Math.round(process.memoryUsage.rss() / 2 ** 20);
  if (taken <= memoryLimitMb) return;
  console.error(`Surfpool took ${taken} MB of memory and was stopped`);
  process.exit(9);
}

function mine(blocks, skipped = 0) {
  if (running) throw new RpcError(-32602, "pause block production first");
  for (let made = 0; made < blocks; made++) {
    surfnet.timeTravelToSlot(ledger.current + 1 + skipped);
    drain();
  }
  return ledger.newest("confirmed");
}

async function pause() {
  if (running) await surfpoolCall("surfnet_pauseClock", []);
  running = false;
  drain();
  return ledger.newest("confirmed");
}

async function resume() {
  if (!running) await surfpoolCall("surfnet_resumeClock", []);
  running = true;
  return null;
}

async function refuse() {
  throw new RpcError(-32601, "Method not found");
}

const commitmentOf = (config) => config?.commitment ?? "finalized";
const configOf = (params) => params.find((value) => value !== null && typeof value === "object");

/** What this server answers itself, or corrects in Surfpool's answer. */
const METHODS = {
  ...Object.fromEntries(["sendBundle", "simulateBundle", "getBundleStatuses"].map((method) => [method, refuse])),
  devnode_mine: async ([blocks = 1]) => mine(blocks),
  devnode_skip: async ([slots = 1]) => mine(1, slots),
  devnode_spreadTimes: async ([from, to]) => ledger.spreadTimes(from, to) ?? null,
  devnode_pause: pause,
  devnode_resume: resume,

  async getSlot(params) {
    const commitment = commitmentOf(configOf(params));
    return commitment === "processed" ? ledger.current : ledger.newest(commitment);
  },

  async getBlockHeight(params) {
    return ledger.firstHeight + ledger.position(ledger.newest(commitmentOf(configOf(params))));
  },

  async getBlocks(params) {
    const end = typeof params[1] === "number" ? params[1] : Number.MAX_SAFE_INTEGER;
    return ledger.between(params[0], Math.min(end, ledger.newest(commitmentOf(configOf(params)))));
  },

  async getBlocksWithLimit(params) {
    return ledger.between(params[0], ledger.newest(commitmentOf(configOf(params)))).slice(0, params[1]);
  },

  async getBlockTime([slot]) {
    return ledger.times[ledger.find(slot, "confirmed")];
  },

  async getBlock(params) {
    const position = ledger.find(params[0], commitmentOf(configOf(params)));
    const block = await surfpoolCall("getBlock", [params[0], { ...configOf(params), commitment: "confirmed" }]);
    return ledger.placed(block, position);
  },

  async getTransaction(params) {
    const found = await surfpoolCall("getTransaction", params);
    return found && { ...found, blockTime: ledger.time(found.slot) };
  },

  async getSignaturesForAddress(params) {
    const found = await surfpoolCall("getSignaturesForAddress", params);
    return found.map((one) => ({ ...one, blockTime: ledger.time(one.slot) }));
  },
};

async function surfpoolCall(method, params) {
  const reply = JSON.parse(await forward({ jsonrpc: "2.0", id: 1, method, params }));
  if (reply.error) throw new RpcError(reply.error.code, reply.error.message);
  return reply.result ?? null;
}

async function forward(request) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(surfnet.rpcUrl, { method: "POST", headers, body: JSON.stringify(request) });
  return response.text();
}

/** The answer to one request, as JSON text. */
async function answerOne(request) {
  const own = Object.hasOwn(METHODS, request?.method) ? METHODS[request.method] : null;
  if (own === null) return forward(request);
  const head = { jsonrpc: "2.0", id: request.id ?? null };
  try {
    drain();
    return JSON.stringify({ ...head, result: await own(request.params ?? []) });
  } catch (error) {
    if (!(error instanceof RpcError)) console.error(error);
    return JSON.stringify({ ...head, error: { code: error.code ?? -32603, message: error.message } });
  }
}

/** The answers to a batch, which is carried out in its order. */
async function answerAll(requests) {
  const answers = [];
  for (const request of requests) answers.push(await answerOne(request));
  return `[${answers.join(",")}]`;
}

async function answer(request, response) {
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return; // the client left in the middle of its request
  }
  let text;
  try {
    const body = JSON.parse(Buffer.concat(chunks));
    text = Array.isArray(body) ? await answerAll(body) : await answerOne(body);
  } catch (error) {
    text = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32700, message: `${error.message}` } });
  }
  response.writeHead(200, { "content-type": "application/json" });
  response.end(text);
}

/** Subscriptions (WebSocket) go to Surfpool as they are. */
function pipeToSubscriptions(client) {
  const { hostname, port: upstreamPort } = new URL(surfnet.wsUrl);
  const upstream = net.connect(Number(upstreamPort), hostname);
  client.pipe(upstream).pipe(client);
  for (const [one, other] of [[client, upstream], [upstream, client]]) one.on("error", () => other.destroy());
}

process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
main().catch((error) => {
  console.error(error);
  process.exit(1);
});
