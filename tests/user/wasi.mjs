// Runs a WebAssembly program of Cargo's, such as a test, in Node.js:
// CARGO_TARGET_WASM32_WASIP1_RUNNER="node $PWD/tests/user/wasi.mjs".
import { readFile } from "node:fs/promises";
import process from "node:process";
import { WASI } from "node:wasi";

const wasi = new WASI({ version: "preview1", args: process.argv.slice(2) });
const module = await WebAssembly.compile(await readFile(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
