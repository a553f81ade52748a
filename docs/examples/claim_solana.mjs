// Claims a token's registration on Solana: asks for the transaction, checks that it does what it should and nothing
// else, signs it, sends it, waits, and reads the registration back.
//
//   npm install @solana/web3.js@1.98.4 @solana/kit@8.4.0
//   node docs/examples/claim_solana.mjs --api http://127.0.0.1:8000 --api-key KEY --rpc http://127.0.0.1:8899 \
//       --registry ADDRESS --symbol BONK --mint DezX... --secret-key ...
//
// --registry is the address of the registration program, which docs/claim.md says where to get. Do not take it from the
// service: it is what the service's answers are checked against.
//
// The secret key (base58, as wallets export it, or a JSON list of 64 numbers) never leaves this process: the service and
// the node see a signed transaction. It can also come from CLAIM_SECRET_KEY. A browser wallet takes the place of Keypair:
// wallet.signTransaction(transaction).
import { parseArgs } from "node:util";
import { getBase58Encoder } from "@solana/kit";
import {
  Connection,
  Ed25519Program,
  Keypair,
  PublicKey,
  SYSVAR_INSTRUCTIONS_PUBKEY,
  SystemProgram,
  VersionedTransaction,
} from "@solana/web3.js";

const POLL_MS = 500;
const CLAIM = 1; // the first byte of the registry's instruction

const { values: given } = parseArgs({
  options: Object.fromEntries(
    ["api", "api-key", "rpc", "registry", "symbol", "mint", "secret-key"].map((name) => [name, { type: "string" }]),
  ),
});
if (!given.registry) throw new Error("--registry is missing: the address of the registration program");
const registry = new PublicKey(given.registry);
const { mint } = given;
const symbol = given.symbol.toUpperCase();
const secret = given["secret-key"] ?? process.env.CLAIM_SECRET_KEY ?? "";
const secretBytes = secret.startsWith("[") ? JSON.parse(secret) : getBase58Encoder().encode(secret);
const wallet = Keypair.fromSecretKey(Uint8Array.from(secretBytes));
const claimer = wallet.publicKey.toBase58();
const node = new Connection(given.rpc, "confirmed");

/** Call the service; what it refuses ends the script with what it said. While it is busy or a part of it is down, it
 * says when to ask again; asking twice for the same changes nothing. */
async function call(path, body, attempts = 5) {
  const response = await fetch(`${given.api}/api/v2${path}`, {
    method: body ? "POST" : "GET",
    headers: { "X-API-Key": given["api-key"], "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if ([429, 503].includes(response.status) && attempts > 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get("Retry-After") ?? 1)));
    return call(path, body, attempts - 1);
  }
  if (!response.ok) throw new Error(`${path}: ${response.status} ${answer.code}: ${answer.error}`);
  return answer;
}

/** The transaction of the answer, or an error if it is not the claim of this symbol for this mint by this wallet. */
function checked(built) {
  const transaction = VersionedTransaction.deserialize(Buffer.from(built.transaction, "base64"));
  const { header, staticAccountKeys: keys, compiledInstructions, addressTableLookups } = transaction.message;
  const [proof, claim] = compiledInstructions;
  const accounts = claim.accountKeyIndexes.map((index) => keys[index].toBase58());
  const derived = (...seeds) => PublicKey.findProgramAddressSync(seeds.map(Buffer.from), registry)[0].toBase58();
  const programs = [SYSVAR_INSTRUCTIONS_PUBKEY, SystemProgram.programId, registry].map((key) => key.toBase58());
  const facts = {
    "the wallet alone signs": header.numRequiredSignatures === 1 && keys[0].toBase58() === claimer,
    "it names all its accounts": addressTableLookups.length === 0,
    "it has two instructions": compiledInstructions.length === 2,
    "the first checks a signature": keys[proof.programIdIndex].equals(Ed25519Program.programId),
    "the second calls the registry": keys[claim.programIdIndex].equals(registry),
    "it is a claim": claim.data[0] === CLAIM && accounts.length === 8,
    "it is the wallet's": accounts[0] === claimer,
    "it is of this registry": accounts[1] === derived("config"),
    "it is of this symbol": accounts[2] === derived("crown", symbol) && built.crownPda === accounts[2],
    "it is for this mint": accounts[4] === mint,
    "it names no other program": accounts.slice(5).join() === programs.join(),
    "its fee is as said": Buffer.from(claim.data).readBigUInt64LE(1) === BigInt(built.costs.registrationFee),
  };
  const wrong = Object.keys(facts).filter((fact) => !facts[fact]);
  if (wrong.length) throw new Error(`do not sign: it does not hold that ${wrong.join(", ")}`);
  return transaction;
}

/** Simulate the transaction: it must succeed and take what was said from the wallet, and no lamport more. */
async function simulate(transaction, costs) {
  const before = await node.getBalance(wallet.publicKey);
  const accounts = { encoding: "base64", addresses: [claimer] };
  const { value: run } = await node.simulateTransaction(transaction, { sigVerify: false, accounts });
  if (run.err) throw new Error(`the simulation failed: ${JSON.stringify(run.err)} ${run.logs?.join(" ")}`);
  const taken = before - run.accounts[0].lamports;
  if (taken > costs.total) throw new Error(`the transaction takes ${taken} lamports, not ${costs.total}`);
}

/** Build, check, simulate, sign and send once. */
async function attempt() {
  const built = await call("/claim/solana/build", { claimer, symbol, tokenMint: mint });
  const transaction = checked(built);
  await simulate(transaction, built.costs);
  console.log(`costs ${built.costs.total} lamports, of which ${built.costs.rent} are a deposit`);
  transaction.sign([wallet]);
  const signature = await node.sendRawTransaction(transaction.serialize(), { preflightCommitment: "confirmed" });
  console.log(`sent ${signature}`);
  return { signature, lastValidBlockHeight: built.lastValidBlockHeight };
}

/** Wait until the claim is confirmed; null when the blockhash ran out before the network took it. */
async function confirmed({ signature, lastValidBlockHeight }) {
  for (;;) {
    const height = await node.getBlockHeight("confirmed"); // read first, so that a transaction at the limit is seen
    const status = await call(`/claim/solana/status/${symbol}`);
    if (status.status === "confirmed") return status;
    const { value } = await node.getSignatureStatus(signature, { searchTransactionHistory: true });
    if (value?.err) throw new Error(`transaction ${signature} failed: ${JSON.stringify(value.err)}`);
    if (!value && height > lastValidBlockHeight) return null;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

let status = null;
while (!status) status = await confirmed(await attempt()); // a new transaction when the old one can no longer be taken
if (status.owner !== claimer) throw new Error(`${symbol} was registered by ${status.owner}`);
console.log(`${status.status} in slot ${status.slot}`);
const registration = await call(`/registration/${symbol}/solana`);
const { tokenId, owner } = registration;
console.log(`${symbol} on solana: registration ${tokenId} is owned by ${owner}, status ${registration.status}`);
