#!/usr/bin/env node
/**
 * Starts `reprise`. Plain JavaScript, so that a Node that is too old can still say so, or, in a
 * clone, hand over to the pinned one.
 */
"use strict";

const fs = require("node:fs");
const { enableCompileCache } = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const built = path.join(__dirname, "..", "dist", "main.js");
const source = path.join(__dirname, "..", "src", "cli", "main.ts");
const clone = path.join(__dirname, "..", "..", "..");
const isClone = fs.existsSync(source);
const isNewEnough = Number.parseInt(process.versions.node, 10) >= 24;

async function start(args) {
  if (isClone && !(isNewEnough && fs.existsSync(path.join(clone, "node_modules")))) {
    const { prepare, handOver } = require("../../../scripts/bootstrap.cjs");
    const pinned = await prepare(clone);
    if (!isNewEnough) return handOver(pinned, [__filename, ...args]);
  }
  if (!isNewEnough) {
    console.error(`reprise needs Node 24 or newer; this is Node ${process.versions.node}.`);
    return 1;
  }
  const entry = !isClone || isCurrent(built) ? built : source;
  if (entry === built) keepCompiled();
  const { main } = await import(pathToFileURL(entry).href);
  return main(args);
}

/** Keeps the compiled code in the user's cache for the next start, if that can be written. */
function keepCompiled() {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  enableCompileCache(path.join(cache, "reprise"));
}

/** Whether the build is there and nothing that it was made from changed since. */
function isCurrent(file) {
  if (!fs.existsSync(file)) return false;
  const since = fs.statSync(file).mtimeMs;
  const packages = path.join(clone, "packages");
  return fs.readdirSync(packages).every((name) => isOlder(path.join(packages, name, "src"), since));
}

function isOlder(folder, since) {
  if (!fs.existsSync(folder)) return true;
  return fs.readdirSync(folder, { withFileTypes: true }).every((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? isOlder(file, since) : fs.statSync(file).mtimeMs <= since;
  });
}

start(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
