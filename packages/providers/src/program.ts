/** Finds agents' programs and asks them for their version and options. */

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { TimedOutError } from "@reprise/core/errors/errors";
import type { ProbeCache } from "./provider.ts";

/** `name` is a path or a name on the PATH; undefined when there is no such program. */
export function findProgram(name: string, path = ""): string | undefined {
  if (name.includes("/")) return executable(name);
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => executable(join(folder, name)))
    .find((file) => file !== undefined);
}

/** The result of `look` for one build of a program; cached while the file's size and modification time stay the same. */
export async function examineProgram<T extends object>(
  binary: string,
  cache: ProbeCache,
  look: () => Promise<T>,
): Promise<T> {
  const { size, mtimeMs: time } = await stat(binary);
  const cached = (await cache.read(binary)) as (T & Build) | null | undefined;
  if (cached?.size === size && cached.time === time) return cached;
  const found = await look();
  await cache.write(binary, { size, time, ...found });
  return found;
}

interface Build {
  readonly size: number;
  readonly time: number;
}

export interface ProgramOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds until the program must have answered. */
  readonly timeout: number;
}

/** No program prints more than this for --version or --help. */
const maxAnswer = 1024 * 1024;

/**
 * The program's output; null when it cannot be started or fails, as an older version does with an option that it
 * does not know.
 * @throws TimedOutError `probe-timed-out`, after killing the program and its children.
 */
export async function askProgram(
  binary: string,
  args: readonly string[],
  { env, timeout }: ProgramOptions,
): Promise<string | null> {
  const answered = Promise.withResolvers<string | null>();
  // In a process group of its own, so that its children can be killed with it.
  const child = spawn(binary, args, {
    env: { ...env },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part.slice(0, maxAnswer - text.length);
  });
  const answer = () => answered.resolve(child.exitCode === 0 ? text : null);
  child.once("error", () => answered.resolve(null));
  child.once("close", answer);
  const timer = setTimeout(() => {
    // A child that outlives it may keep its output open.
    if (child.exitCode !== null || child.signalCode !== null) answer();
    else answered.reject(late([binary, ...args], timeout));
    endGroup(child.pid);
    child.stdout.destroy();
  }, timeout);
  try {
    return await answered.promise;
  } finally {
    clearTimeout(timer);
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The whole group has ended.
  }
}

function late(command: readonly string[], timeout: number): TimedOutError {
  return new TimedOutError(
    "probe-timed-out",
    `"${command.join(" ")}" did not answer within ${timeout / 1000} s.`,
    "Run it by hand, set binary to another program, or give it more time with the setting probeTimeout.",
  );
}

function executable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return undefined;
  }
}
