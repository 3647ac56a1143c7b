/** Finds out which agent would be started and what it can do: starts it, reads what it answers to `initialize`, and ends it. */

import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { NotFoundError, TimedOutError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import type { Ability } from "@reprise/core/session/pin";
import { realPath } from "../files.ts";
import { findProgram } from "../program.ts";
import type { Probe, ProbeTools, ProviderAgent } from "../provider.ts";
import { startAgent } from "./agent-process.ts";
import { type Greeting, greet } from "./client.ts";
import { commandOf } from "./settings.ts";

export async function probe(agent: ProviderAgent, tools: ProbeTools): Promise<Probe> {
  const [program = "", ...args] = commandOf(agent);
  const binary = findBinary(program, agent.env.PATH);
  const { name, version, loads, resumes } = await greeting([binary, ...args], agent, tools);
  const abilities: Ability[] = loads || resumes ? ["resume", "model-on-resume"] : [];
  return {
    binary,
    runtime: {
      product: name ?? basename(binary),
      version: version ?? "unknown",
      home: await placeOf(agent),
      abilities,
    },
    account: null,
  };
}

/** The folder with what Reprise knows of the agent's sessions. */
export function placeOf({ privateFolder }: ProviderAgent): Promise<string> {
  return realPath(join(privateFolder, "acp"));
}

/** @throws NotFoundError when there is none. */
function findBinary(program: string, path: string | undefined): string {
  const found = findProgram(program, path);
  if (found) return found;
  throw new NotFoundError(
    "no-program",
    isAbsolute(program)
      ? `There is no program at "${program}".`
      : `There is no ${program} on the PATH.`,
    `Install the agent, or name another one with ${verb("agents.set", { name: slot("NAME"), settings: { command: slot("COMMAND") } })}. A server looks on the PATH that it was started with.`,
  );
}

/** What a greeting is cached with: it is asked again when one of the command's files is another one. */
type Build = readonly (readonly [size: number, time: number] | null)[];

interface Known {
  readonly build: Build;
  readonly greeting: Greeting;
}

async function greeting(
  command: readonly string[],
  agent: ProviderAgent,
  { cache, timeout }: ProbeTools,
): Promise<Greeting> {
  // The program alone says little: it may be `node` or `npx`.
  const name = `acp ${JSON.stringify(command)}`;
  const build = await buildOf(command);
  const known = (await cache.read(name)) as Known | null | undefined;
  if (known && JSON.stringify(known.build) === JSON.stringify(build)) return known.greeting;
  const found = await ask(command, agent, timeout);
  await cache.write(name, { build, greeting: found } satisfies Known);
  return found;
}

function buildOf(command: readonly string[]): Promise<Build> {
  return Promise.all(
    command.map(async (word) => {
      const file = isAbsolute(word) ? await stat(word).catch(() => null) : null;
      return file?.isFile() ? ([file.size, file.mtimeMs] as const) : null;
    }),
  );
}

async function ask(
  command: readonly string[],
  { env }: ProviderAgent,
  timeout: number,
): Promise<Greeting> {
  const silent = { notified: () => {}, requested: () => undefined };
  const process = startAgent(command, { folder: tmpdir(), env, stderr: "ignore" }, silent);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(tooLate(command, timeout));
    process.kill();
  }, timeout);
  try {
    return await Promise.race([greet(process), late.promise]);
  } catch (error) {
    if (error instanceof TimedOutError) throw error;
    throw new NotFoundError(
      "not-the-agent",
      `"${command.join(" ")}" does not speak the Agent Client Protocol: ${(error as Error).message}.`,
      "Set command to one that does, such as opencode acp; most agents need an argument for it.",
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
    await process.end();
  }
}

function tooLate(command: readonly string[], timeout: number): TimedOutError {
  return new TimedOutError(
    "probe-timed-out",
    `"${command.join(" ")}" did not answer initialize of the Agent Client Protocol within ${timeout / 1000} s.`,
    "Run it by hand, set command to another one, or give it more time with the setting probeTimeout.",
  );
}
