// Takes a claim's transaction apart with @solana/web3.js and with @solana/kit, simulates, signs and sends it with kit,
// and reads the mint with @solana/spl-token. Reads {transaction, rpc, mint, secretKey} from standard input.
import { text } from "node:stream/consumers";
import { getMint } from "@solana/spl-token";
import { Connection, PublicKey, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import {
  createKeyPairFromBytes,
  createSolanaRpc,
  decompileTransactionMessage,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  signTransaction,
} from "@solana/kit";

const WRITABLE = 1;
const SIGNER = 2;
const given = JSON.parse(await text(process.stdin));
const hex = (data) => Buffer.from(data).toString("hex");

function withWeb3() {
  const transaction = VersionedTransaction.deserialize(Buffer.from(given.transaction, "base64"));
  const message = TransactionMessage.decompile(transaction.message);
  return {
    version: transaction.version,
    payer: message.payerKey.toBase58(),
    blockhash: message.recentBlockhash,
    signatures: transaction.signatures.map((signature) => signature.every((byte) => byte === 0)),
    instructions: message.instructions.map(({ programId, keys, data }) => ({
      program: programId.toBase58(),
      accounts: keys.map(({ pubkey, isSigner, isWritable }) => [pubkey.toBase58(), isSigner, isWritable]),
      data: hex(data),
    })),
  };
}

function withKit(transaction) {
  const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  const message = decompileTransactionMessage(compiled);
  return {
    version: message.version,
    payer: message.feePayer.address,
    blockhash: message.lifetimeConstraint.blockhash,
    signatures: Object.values(transaction.signatures).map((signature) => signature === null),
    instructions: message.instructions.map(({ programAddress, accounts, data }) => ({
      program: programAddress,
      accounts: (accounts ?? []).map(({ address, role }) => [
        address,
        (role & SIGNER) !== 0,
        (role & WRITABLE) !== 0,
      ]),
      data: hex(data),
    })),
  };
}

const rpc = createSolanaRpc(given.rpc);
const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(given.transaction));
const { value: run } = await rpc
  .simulateTransaction(given.transaction, { encoding: "base64", sigVerify: false, commitment: "confirmed" })
  .send();
const keys = await createKeyPairFromBytes(Uint8Array.from(given.secretKey));
const signed = await signTransaction([keys], transaction);
const signature = await rpc
  .sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: "base64", preflightCommitment: "confirmed" })
  .send();
const mint = await getMint(new Connection(given.rpc, "confirmed"), new PublicKey(given.mint), "confirmed");
console.log(
  JSON.stringify({
    web3: withWeb3(),
    kit: withKit(transaction),
    simulated: run.err === null,
    signature,
    mintAuthority: mint.mintAuthority?.toBase58() ?? null,
  }),
);
