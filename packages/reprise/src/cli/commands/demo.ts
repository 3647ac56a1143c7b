/** `reprise demo`: real turns with the scripted agent that show every outcome and a repaired history. */

import { mkdir, readdir, truncate } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Reprise, TurnResult } from "@reprise/core/api/reprise";
import { TerminalError, UsageError } from "@reprise/core/errors/errors";
import { shellWord } from "@reprise/core/text/shell-word";
import { homeFolder } from "@reprise/engine/home";
import type { Cli } from "../cli.ts";
import { type DemoStep, demoSteps, secret } from "../demo-steps.ts";
import { badge, noticeLines, verdictTable } from "../format/outcome.ts";
import { shorten, wrap } from "../format/text.ts";

const agent = "demo";

interface Shown {
  readonly says: string;
  /** The commands that do the same. */
  readonly commands: readonly string[];
  readonly result: TurnResult;
}

export async function run(cli: Cli): Promise<number> {
  const key = `demo-${cli.now().toString(36)}`;
  const otherFolder = join(cli.home, "demo", "other-folder");
  const shown: Shown[] = [];
  if (!cli.json) printOpening(cli);
  await cli.withReprise(async (reprise) => {
    await mkdir(otherFolder, { recursive: true });
    await prepareAgent(reprise);
    for (const [index, step] of demoSteps(agent, otherFolder).entries()) {
      const damaged = step.damages ? [await damage(cli, shown.at(-1)!.result)] : [];
      const commands = [...damaged, sendCommand(cli, key, step)];
      if (!cli.json) announce(cli, index + 1, step.says, commands);
      const { turn, prompt } = step;
      const result = await reprise.sessions.send({ key, prompt, ...turn });
      shown.push({ says: step.says, commands, result });
      if (!cli.json) printResult(cli, step, result);
      check(step, result);
    }
  });
  if (cli.json) cli.document({ key, agent, steps: shown });
  else printClosing(cli, key);
  return 0;
}

async function prepareAgent({ agents }: Reprise): Promise<void> {
  const existing = (await agents.list()).find(({ name }) => name === agent);
  if (existing === undefined) await agents.create({ name: agent, provider: "scripted" });
  else if (existing.provider !== "scripted")
    throw new UsageError(
      "demo-agent",
      `The agent ${agent} in this home uses ${existing.provider}, but the demo needs the scripted agent.`,
      "Choose another home: reprise demo --home ./.reprise.",
    );
}

/** Empties the file of the resumed provider session; returns the command for it. */
async function damage(cli: Cli, { decision }: TurnResult): Promise<string> {
  const { id, place } = decision!.handle!;
  const name = (await readdir(place, { recursive: true })).find((entry) => entry.includes(id));
  if (name === undefined)
    throw new TerminalError(
      "demo-no-file",
      `No session file of ${id} was found in ${place}.`,
      "This is a bug in Reprise. Please report it.",
    );
  const file = join(place, name);
  await truncate(file);
  return `truncate -s 0 ${shownPath(cli, file)}`;
}

/** Checks that what the demo claims has really happened. */
function check(
  { outcome, remembers, notice }: DemoStep,
  { decision, output, notices }: TurnResult,
) {
  const asPromised =
    decision?.outcome === outcome &&
    (output?.includes(secret) ?? false) === remembers &&
    (notice === undefined || notices.some(({ code }) => code === notice));
  if (asPromised) return;
  throw new TerminalError(
    "demo-differs",
    `The demo expected ${outcome}, and got ${decision?.outcome ?? "no decision"}: ${output ?? "no answer"}.`,
    'Look at it with "reprise doctor".',
  );
}

function printOpening({ out }: Cli): void {
  out.line(out.paint("bold", "Reprise: one agent, one conversation, and why it continued or not"));
  const text =
    "The agent here is the scripted one: a real program that keeps its memory in a session file of its own, as coding agents do. Below each turn are the guards that decided, each with its stored and its current value.";
  for (const line of wrap(text, out.width)) out.line(line);
}

const indent = "   ";

function announce({ out }: Cli, number: number, says: string, commands: readonly string[]): void {
  const width = out.width - indent.length;
  out.line();
  for (const [index, line] of wrap(says, width).entries())
    out.line(`${index === 0 ? out.paint("bold", `${number}. `) : indent}${line}`);
  for (const line of commands.flatMap((command) => wrapCommand(command, width)))
    out.line(indent + out.paint("dim", line));
}

function printResult({ out }: Cli, { guards }: DemoStep, result: TurnResult): void {
  const inner = { ...out, width: out.width - indent.length };
  const decisive = result.decision?.verdicts.filter(({ guard }) => guards.includes(guard));
  const answer = wrap(result.output ?? "", inner.width - 2);
  for (const line of [
    badge(inner, result),
    ...verdictTable(inner, decisive ?? [], { titles: false }),
    ...noticeLines(inner, result.notices),
    ...answer.map((text) => out.paint("bold", `> ${text}`)),
  ])
    out.line(indent + line);
}

/** Breaks before options, so that it can still be pasted; a path that is still too long is shortened. */
function wrapCommand(command: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of `$ ${command}`.split(/ (?=--)/)) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)} ${part}`;
    if (lines.length === 0 || longer.length > width - 2)
      lines.push(lines.length ? `    ${part}` : part);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line, index) =>
    index < lines.length - 1 ? `${line} \\` : shorten(line, width),
  );
}

function printClosing(cli: Cli, key: string): void {
  const { out } = cli;
  const program = programName(cli);
  // Ignores the environment: REPRISE_HOME may have been set for this process only.
  const { REPRISE_HOME: _, ...env } = cli.env;
  const isDefault = homeFolder(undefined, { ...cli, env }) === cli.home;
  const lines = [
    ...(isDefault ? [] : [`export REPRISE_HOME=${shellWord(cli.home)}`]),
    `${program} why ${key}`,
    `${program} session show ${key}`,
    `${program} send ${key} "remember the milk"`,
    `${program} agent create coder --provider codex`,
    `${program} send my-task "What is in this folder?" --agent coder`,
  ];
  out.line();
  out.line(out.paint("bold", "Now try it yourself:"));
  for (const line of lines) out.line(`  ${line}`);
}

function sendCommand(cli: Cli, key: string, { prompt, turn }: DemoStep): string {
  return [
    `${programName(cli)} send ${key} "${prompt}"`,
    ...(turn.agent ? [`--agent ${turn.agent}`] : []),
    ...(turn.continuity ? [`--${turn.continuity}`] : []),
    ...(turn.folder ? [`--folder ${shownPath(cli, turn.folder)}`] : []),
  ].join(" ");
}

/** When npx started the demo, as in a clone, `reprise` is not on the PATH. */
function programName({ env }: Cli): string {
  return env.npm_lifecycle_event ? "npx reprise" : "reprise";
}

/** Relative inside the current folder, absolute elsewhere; quoted where a shell needs it. */
function shownPath({ cwd }: Cli, path: string): string {
  const inside = relative(cwd, path);
  return shellWord(inside === "" || inside.startsWith("..") ? path : `./${inside}`);
}
