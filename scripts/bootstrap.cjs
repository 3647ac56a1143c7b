/**
 * Installs the pinned tool chain and runs a task with it: `node scripts/bootstrap.cjs <task> [arguments]`.
 * Plain JavaScript for Node 18 or newer, because it runs before the pinned Node is installed.
 */
"use strict";

const { spawn, spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { inspect } = require("node:util");

const tasks = ["start", "test", "check", "build", "bench", "mutate", "torture"];
const offlineCodes =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED)\b/;

/** By default npm waits a minute and a half without a network. */
const patience = {
  npm_config_fetch_retries: "2",
  npm_config_fetch_retry_mintimeout: "500",
  npm_config_fetch_retry_maxtimeout: "3000",
};
const tryAgain = "connect to a network, then try again.";

/** An error that is printed as one sentence, without a stack. */
class Problem extends Error {
  [inspect.custom]() {
    return this.message;
  }
}

/** Installs what the lockfile names, unless it is installed already, and returns the pinned Node. */
async function prepare(root) {
  const { lockHash, marker } = installState(root);
  if (readOrEmpty(marker) !== lockHash) {
    const release = await takeLock(path.join(root, ".cache", "install.lock"));
    try {
      if (readOrEmpty(marker) !== lockHash) {
        await install(root, release.holdAlso);
        fs.mkdirSync(path.dirname(marker), { recursive: true });
        fs.writeFileSync(marker, lockHash);
      }
    } finally {
      release();
    }
  }
  return pinnedNode(root);
}

function installState(root) {
  const lockfile = fs.readFileSync(path.join(root, "package-lock.json"));
  return {
    lockHash: createHash("sha256").update(lockfile).digest("hex"),
    marker: path.join(root, "node_modules", ".reprise-installed"),
  };
}

async function install(root, holdAlso) {
  process.stderr.write("Installing the tool chain with npm …\n");
  // npm ci removes node_modules, so it must not run on a Node inside it.
  const inside = path.join(root, "node_modules", path.sep);
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const outside = folders.filter((folder) => !folder.startsWith(inside));
  await npm(root, ["ci"], outside, holdAlso);
  const node = pinnedNode(root);
  if (spawnSync(node, ["--version"], { stdio: "ignore" }).status !== 0) {
    throw new Problem("The pinned Node does not start on this system; on Linux it needs glibc.");
  }
  // npm silently leaves out optional packages whose engines do not fit the Node it runs on
  // (the native parts of the tools): under the pinned Node it adds them.
  await npm(root, ["install", "--no-save"], [path.dirname(node), ...outside], holdAlso);
  // It says nothing about those that it could not fetch either.
  const absent = absentNatives(root);
  if (absent.length > 0) throw new Problem(`npm did not bring ${absent.join(", ")}: ${tryAgain}`);
}

/** The packages with native code for this platform that the lockfile names and that are not there. */
function absentNatives(root) {
  const lock = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const fits = (wanted, actual) => wanted === undefined || [wanted].flat().includes(actual);
  return Object.entries(lock.packages)
    .filter(([, entry]) => entry.cpu && fits(entry.cpu, os.arch()) && fits(entry.os, os.platform()))
    .filter(
      ([folder, entry]) => fits(entry.libc, "glibc") && !fs.existsSync(path.join(root, folder)),
    )
    .map(([folder]) => folder);
}

async function npm(root, command, folders, holdAlso) {
  const include = ["--include=dev", "--include=optional", "--no-fund", "--no-audit"];
  const child = spawn("npm", [...command, ...include], {
    cwd: root,
    env: { ...patience, ...process.env, PATH: folders.join(path.delimiter) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  holdAlso(child.pid);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const { code, signal, error } = await ended(child);
  if (error)
    throw new Problem(`npm could not be started (${error.message}): install npm, then try again.`);
  if (signal) process.kill(process.pid, signal);
  if (code === 0) return;
  const offline = offlineCodes.exec(output)?.[1];
  if (offline) {
    throw new Problem(
      `The tool chain is not installed and npm cannot reach its registry (${offline}): ${tryAgain}`,
    );
  }
  process.stderr.write(output);
  throw new Problem(`npm ${command[0]} failed with exit code ${code}; its output is above.`);
}

/** The Node that the lockfile pins. If there is none for this platform, the current one if it is new enough. */
function pinnedNode(root) {
  const pinned = platformNode(root);
  if (pinned && fs.existsSync(pinned)) return pinned;
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath;
  if (pinned) throw new Problem(`npm did not bring ${path.relative(root, pinned)}: ${tryAgain}`);
  throw new Problem(
    `There is no pinned Node for ${os.platform()} on ${os.arch()}: install Node 24 or newer, then try again.`,
  );
}

/**
 * Where the Node package for this platform keeps its program. Not `node_modules/.bin/node`: npm 10
 * removes that link when it leaves out the packages of the other platforms.
 */
function platformNode(root) {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const platform = `-${os.platform()}-${os.arch()}`;
  const names = Object.keys(manifest.optionalDependencies ?? {});
  const name = names.find((candidate) => candidate.endsWith(platform));
  return name && path.join(root, "node_modules", name, "bin", "node");
}

/**
 * Waits until no other process installs here. The lock is a folder with one file per process that
 * holds it. It is moved into place complete, so it always has an owner. A process that waits removes
 * the files of dead owners; an empty lock is free.
 */
async function takeLock(lock) {
  fs.mkdirSync(path.dirname(lock), { recursive: true });
  const own = fs.mkdtempSync(`${lock}-`);
  fs.writeFileSync(path.join(own, identity(process.pid)), "");
  let announced = false;
  while (!movedInto(own, lock)) {
    const owners = livingOwners(lock);
    if (owners.length > 0) {
      if (!announced) {
        process.stderr.write(`Waiting for the install of process ${owners[0].split(".")[0]} …\n`);
        announced = true;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const holders = [identity(process.pid)];
  const release = () => {
    // File by file: a process that waits may move its own folder in as soon as this one is empty.
    for (const holder of holders) fs.rmSync(path.join(lock, holder), { force: true });
    removeEmpty(lock);
  };
  // If this process is killed, npm continues and holds the lock until it ends.
  release.holdAlso = (pid) => {
    const holder = pid && identity(pid);
    if (!holder) return;
    holders.push(holder);
    fs.writeFileSync(path.join(lock, holder), "");
  };
  return release;
}

function movedInto(own, lock) {
  try {
    fs.renameSync(own, lock);
    return true;
  } catch (error) {
    if (error.code === "ENOTEMPTY" || error.code === "EEXIST") return false;
    throw error;
  }
}

function removeEmpty(folder) {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(error.code)) throw error;
  }
}

function livingOwners(lock) {
  let owners = [];
  try {
    owners = fs.readdirSync(lock);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  return owners.filter((owner) => {
    if (identity(Number.parseInt(owner, 10)) === owner) return true;
    fs.rmSync(path.join(lock, owner), { force: true });
    return false;
  });
}

/** Names a living process so that a recycled pid is not mistaken for it; undefined when it is gone. */
function identity(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code === "ESRCH") return undefined;
  }
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  if (stat === "") return String(pid);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields[0], fields[19]];
  return state === "Z" ? undefined : `${pid}.${startTime}`;
}

/** Runs the program in place of this process and returns its exit code. */
async function handOver(node, args, env = process.env) {
  const child = spawn(node, args, { stdio: "inherit", env });
  const { code, signal, error } = await ended(child);
  if (error) throw error;
  if (signal) process.kill(process.pid, signal);
  return code;
}

/** Waits for the child, and passes signals on to it. */
function ended(child) {
  const passOn = (signal) => {
    // A terminal sends Ctrl-C to the child too, and there a second one means more than the first.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, passOn);
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ error }));
    child.once("close", (code, signal) => resolve({ code, signal }));
  }).finally(() => {
    for (const signal of signals) process.off(signal, passOn);
  });
}

function readOrEmpty(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

async function main([task, ...args]) {
  if (!tasks.includes(task)) throw new Problem(`Usage: npm run ${tasks.join("|")}`);
  const root = path.join(__dirname, "..");
  const node = await prepare(root);
  const folders = [path.dirname(node), path.join(root, "node_modules", ".bin"), process.env.PATH];
  const script = path.join(__dirname, `${task}.ts`);
  return handOver(node, [script, ...args], { ...process.env, PATH: folders.join(path.delimiter) });
}

if (require.main === module) {
  main(process.argv.slice(2)).then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}

module.exports = { prepare, handOver };
