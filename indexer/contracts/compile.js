// Compiles our Solidity with the pinned compiler: `npm run build`, or with a directory to write elsewhere than the checkout.
// Imports come from node_modules only; the output carries no metadata hash, so that it depends on nothing but the source.
"use strict";
const fs = require("fs");
const path = require("path");
const solc = require("solc");

const root = path.resolve(__dirname, "..", "..");
const outRoot = path.resolve(process.argv[2] || root);
const settings = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none", appendCBOR: false },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
};
const targets = [
  { sources: listed("indexer/contracts"), out: "indexer/contracts/build" },
  { sources: listed("indexer/devchain/solidity"), out: "indexer/devchain/build" },
  { sources: listed("tests/indexer/contracts/solidity"), out: "tests/indexer/contracts/build" },
];

function listed(folder) {
  const absolute = path.join(root, folder);
  if (!fs.existsSync(absolute)) return [];
  const names = fs.readdirSync(absolute).filter((name) => name.endsWith(".sol")).sort();
  return names.map((name) => `${folder}/${name}`);
}

function resolveImport(name) {
  for (const base of [path.join(root, "node_modules"), root]) {
    const file = path.join(base, name);
    if (fs.existsSync(file)) return { contents: fs.readFileSync(file, "utf8") };
  }
  return { error: `not found: ${name}` };
}

function compile({ sources, out }) {
  const present = sources.filter((name) => fs.existsSync(path.join(root, name)));
  if (present.length === 0) return 0;
  const input = { language: "Solidity", sources: {}, settings };
  for (const name of present) input.sources[name] = { content: fs.readFileSync(path.join(root, name), "utf8") };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: resolveImport }));
  const complaints = output.errors || [];
  for (const complaint of complaints) console.error(complaint.formattedMessage);
  if (complaints.length > 0) process.exit(1);
  const compiler = { version: solc.version(), optimizerRuns: settings.optimizer.runs, evmVersion: settings.evmVersion };
  const folder = path.join(outRoot, out);
  fs.mkdirSync(folder, { recursive: true });
  let written = 0;
  for (const name of present) {
    for (const [contract, made] of Object.entries(output.contracts[name] || {})) {
      if (made.evm.bytecode.object === "") continue; // interfaces and abstract contracts
      const artifact = {
        abi: made.abi,
        bytecode: `0x${made.evm.bytecode.object}`,
        deployedBytecode: `0x${made.evm.deployedBytecode.object}`,
        compiler,
      };
      fs.writeFileSync(path.join(folder, `${contract}.json`), `${JSON.stringify(artifact)}\n`);
      written += 1;
    }
  }
  return written;
}

const started = Date.now();
const count = targets.map(compile).reduce((sum, made) => sum + made, 0);
console.log(`${count} contracts in ${((Date.now() - started) / 1000).toFixed(1)} s`);
