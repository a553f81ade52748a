// Searches, claims and uploads with a client whose types are generated from the service's OpenAPI document.
//
//   npm install openapi-fetch@0.17.0 viem@2.40.0
//   npm install --save-dev openapi-typescript@7.13.0 typescript@5.9.3 @types/node@22.7.5
//   npx openapi-typescript http://127.0.0.1:8000/openapi.json -o api.d.ts
//   npx tsc --strict --skipLibCheck --target es2022 --module nodenext --types node claim.ts
//   API=http://127.0.0.1:8000 API_KEY=rgl_live_... RPC=http://127.0.0.1:8545 CHAIN=base SYMBOL=QUILL \
//     CLAIM_PRIVATE_KEY=0x... node claim.js
//
// The private key never leaves this process: the service sees a signature of a message and, through the node, the
// signed transaction. With the access token of a wallet session in SESSION (docs/authentication.md) a metadata document
// is uploaded, too. Prints what became of everything as one line of JSON.
import createClient from 'openapi-fetch';
import { createWalletClient, http, isAddress, isHex, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { components, paths } from './api.js';

type Token = components['schemas']['SearchResult'];

const POLLS = 120;

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}`);
  return value;
}

function hex(value: string): Hex {
  if (!isHex(value)) throw new Error(`${value} is not hexadecimal text`);
  return value;
}

function address(value: string | null | undefined): Address {
  if (!value || !isAddress(value)) throw new Error(`${value} is not an address`);
  return value;
}

const chain = setting('CHAIN');
const symbol = setting('SYMBOL');
const account = privateKeyToAccount(hex(setting('CLAIM_PRIVATE_KEY')));
const wallet = createWalletClient({ account, transport: http(setting('RPC')) });
const api = createClient<paths>({ baseUrl: setting('API'), headers: { 'X-API-Key': setting('API_KEY') } });
// What the service refuses ends the script with what it said; what comes after is typed as the document has it.
api.use({
  async onResponse({ request, response }) {
    if (!response.ok) throw new Error(`${new URL(request.url).pathname}: ${response.status} ${await response.text()}`);
  },
});

/** The body of an answer, which is there: `onResponse` has thrown otherwise. */
function body<T>({ data }: { data?: T }): T {
  if (data === undefined) throw new Error('an answer without a body');
  return data;
}

/** The token of the symbol that search puts first on the chain. */
async function find(): Promise<Token> {
  const found = body(await api.GET('/api/v2/search', { params: { query: { symbol, chain, exact: true } } }));
  const first = found.results[0];
  if (first === undefined) throw new Error(`no token ${symbol} on ${chain}`);
  return first;
}

/** Prove control of the token with a signature; the proof's hash is good for 24 hours. */
async function prove(claim: { symbol: string; chainId: number; tokenAddress: Address }): Promise<string> {
  const asked = body(await api.POST('/api/v2/claim/message', { body: { ...claim, claimerAddress: account.address } }));
  const signature = await account.signMessage({ message: asked.message });
  const verdict = body(
    await api.POST('/api/v2/claim/verify', {
      body: { ...claim, walletAddress: account.address, signature, timestamp: asked.timestamp },
    }),
  );
  if (!verdict.verified || !verdict.proofHash) throw new Error(`not verified: ${verdict.message}`);
  return verdict.proofHash;
}

/** Sign the transaction with the wallet and hand it to the node. */
async function send(unsigned: components['schemas']['UnsignedTransaction']): Promise<Hex> {
  if ((await wallet.getChainId()) !== unsigned.chainId) throw new Error('RPC is a node of another chain');
  return wallet.sendTransaction({
    chain: null,
    to: address(unsigned.to),
    data: hex(unsigned.data),
    value: BigInt(unsigned.value),
    gas: BigInt(unsigned.gasLimit),
  });
}

/** Ask once a second until the transaction is confirmed. */
async function confirmed(txHash: Hex, chainId: number): Promise<components['schemas']['ClaimStatus']> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    const status = body(
      await api.GET('/api/v2/claim/status/{txHash}', { params: { path: { txHash }, query: { chainId } } }),
    );
    if (status.status === 'failed') throw new Error(`transaction ${txHash} failed`);
    if (status.status === 'confirmed') return status;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  throw new Error(`transaction ${txHash} is not confirmed yet`);
}

/** Upload a metadata document for the registration. */
async function upload(session: string): Promise<components['schemas']['Uploaded']> {
  const document = { name: symbol, website: 'https://quill.example' };
  const headers = { Authorization: `Bearer ${session}`, 'X-API-Key': null };
  return body(await api.POST('/api/v2/metadata/upload', { body: document, headers }));
}

const { chainId, token } = await find();
const claim = { symbol, chainId, tokenAddress: address(token.address) };
const proofHash = await prove(claim);
const built = body(await api.POST('/api/v2/claim', { body: { ...claim, walletAddress: account.address, proofHash } }));
const status = await confirmed(await send(built.transaction), chainId);
const registration = body(
  await api.GET('/api/v2/registration/{symbol}/{chain}', { params: { path: { symbol, chain } } }),
);
const session = process.env['SESSION'];
console.log(JSON.stringify({ status, registration, uploaded: session ? await upload(session) : null }));
