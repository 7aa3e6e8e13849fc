// Runs a WebAssembly program of Cargo's, such as a test, in Node.js:
// CARGO_TARGET_WASM32_WASIP1_RUNNER="node $PWD/tests/user/wasi.mjs".
import { readFile } from "node:fs/promises";
import { argv } from "node:process";
import { WASI } from "node:wasi";

const wasi = new WASI({ version: "preview1", args: argv.slice(2) });
const module = await WebAssembly.compile(await readFile(argv[2]));
wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
