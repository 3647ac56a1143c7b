/**
 * The scripted agent: a real program with its own session files, flags and ledger. It remembers what it is asked to
 * remember, and misbehaves when a script says so. It reads its prompt from standard input.
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Access, accessLevels } from "@reprise/core/session/access";
import type { Answers } from "../answers.ts";
import type { ScriptedAccess } from "./deed.ts";
import { readItems, replaceItems } from "./files.ts";
import * as identity from "./identity.ts";
import { Ledger } from "./ledger.ts";
import { type Rule, readScript, type Script, ScriptProblem } from "./script.ts";
import { talk } from "./talk.ts";
import { inUseText, missingText, ScriptedTurn, writeError } from "./turn.ts";

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

class UsageProblem extends Error {}

interface Launch {
  readonly home: string;
  readonly id: string;
  readonly resume: boolean;
  readonly model: string | null;
  readonly literal: boolean;
  /** File with the answers to what the session asked. */
  readonly answers: string | null;
  readonly interactive: boolean;
  /** To make the session shorter; standard input is what the summary should focus on. */
  readonly compact: boolean;
  readonly access: ScriptedAccess;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  writeError(error instanceof Error ? error.message : String(error));
  return error instanceof UsageProblem || error instanceof ScriptProblem ? 2 : 1;
});

async function main(argv: string[]): Promise<number> {
  const flags = parseFlags(argv);
  const script = flags.script === undefined ? null : await readScript(flags.script);
  if (flags.version) return print(version(script));
  if (flags.help) return print(help(script));
  const launch = checkFlags(flags, script);

  const ledger = new Ledger(launch.home);
  const start = { argv, turn: process.env.REPRISE_TURN ?? null, session: launch.id };
  ledger.write("start", { ...start, resume: launch.resume });
  const code = launch.interactive ? await talk(launch, ledger) : await run(launch, script, ledger);
  ledger.write("exit", { code });
  return code;
}

async function run(launch: Launch, script: Script | null, ledger: Ledger): Promise<number> {
  const { home, id, resume, literal } = launch;
  const answered = launch.answers === null ? null : answerText(launch.answers);
  const typed = answered ?? readFileSync(0, "utf8");
  if (typed.trim() === "" && !launch.compact)
    throw new UsageProblem("There is no prompt on standard input.");

  let history = readItems(home, id);
  if (resume && history === null) return refuse(missingText(id));
  if (!resume && history !== null) return refuse(inUseText(id));

  const resets = !literal && !launch.compact && /^\/(?:new|clear)\b/.test(typed);
  if (resets && history !== null) {
    ledger.write("reset", { session: id });
    replaceItems(home, id, []);
    history = [];
  }
  const prompt = literal ? typed : withFiles(typed);

  const rule = script && chooseRule(script, launch, prompt, ledger);
  const manners = rule?.manners ?? {};
  watchSignals(ledger, manners["ignore-sigterm"] === true);
  const folder = script?.folder ?? home;
  const turn = new ScriptedTurn({
    home,
    id,
    history: history ?? [],
    prompt,
    answered: answered !== null,
    compacts: launch.compact,
    manners,
    version: script?.version ?? null,
    folder,
    access: launch.access,
    ledger,
  });
  for (const step of rule?.steps ?? []) {
    const code = await turn.perform(step);
    if (code !== null) return code;
  }
  await turn.reach("result");
  return 0;
}

/** The answers as the asking tool would pass them to the model. */
function answerText(file: string): string {
  const texts = Object.values(JSON.parse(readFileSync(file, "utf8")) as Answers).map((answer) =>
    answer.decision === "deny"
      ? `no: ${answer.message}`
      : [...Object.values(answer.answers ?? { "": "yes" }), answer.note ?? []].flat().join("\n"),
  );
  return `answered ${texts.join("\n")}`;
}

/** The first rule that matches. Earlier starts in this home are counted in the ledger. */
function chooseRule(script: Script, launch: Launch, prompt: string, ledger: Ledger): Rule | null {
  const lines = ledger.read();
  const nth = lines.filter(({ event }) => event === "start").length;
  for (const [index, rule] of script.rules.entries()) {
    const { when, times } = rule;
    if (when.launch !== undefined && when.launch !== nth) continue;
    if (when.resume !== undefined && when.resume !== launch.resume) continue;
    if (when.compact !== undefined && when.compact !== launch.compact) continue;
    if (when.prompt !== undefined && !prompt.includes(when.prompt)) continue;
    if (when.model !== undefined && when.model !== launch.model) continue;
    const number = index + 1;
    const used = lines.filter(({ event, rule }) => event === "rule" && rule === number).length;
    if (times !== undefined && used >= times) continue;
    ledger.write("rule", { rule: number });
    return rule;
  }
  return null;
}

/** As with real agents, `@path` inserts that file; `--literal` switches this off. */
function withFiles(prompt: string): string {
  const contents = Array.from(prompt.matchAll(/(?<!\S)@(\S+)/g), ([, path = ""]) => {
    try {
      return `\n\n${path}:\n${readFileSync(path, "utf8")}`;
    } catch {
      return "";
    }
  });
  return prompt + contents.join("");
}

function watchSignals(ledger: Ledger, ignoreSigterm: boolean): void {
  if (ignoreSigterm) process.on("SIGTERM", () => ledger.write("ignored", { signal: "SIGTERM" }));
  for (const signal of ignoreSigterm ? (["SIGINT"] as const) : (["SIGINT", "SIGTERM"] as const))
    process.once(signal, () => {
      ledger.write("exit", { signal });
      process.kill(process.pid, signal);
    });
}

function parseFlags(argv: string[]) {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        home: { type: "string" },
        "session-id": { type: "string" },
        resume: { type: "string" },
        model: { type: "string" },
        script: { type: "string" },
        literal: { type: "boolean", default: false },
        interactive: { type: "boolean", default: false },
        compact: { type: "boolean", default: false },
        answers: { type: "string" },
        access: { type: "string", default: "full" },
        "allow-command": { type: "string", multiple: true, default: [] },
        hide: { type: "string", multiple: true, default: [] },
        version: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    return values;
  } catch (error) {
    throw new UsageProblem(error instanceof Error ? error.message : String(error));
  }
}

function checkFlags(flags: ReturnType<typeof parseFlags>, script: Script | null): Launch {
  const { home, resume, model, literal, interactive, compact } = flags;
  const id = resume ?? flags["session-id"];
  if (resume !== undefined && !abilities(script).includes("resume"))
    throw new UsageProblem("Unknown option '--resume'");
  if (home === undefined) throw new UsageProblem("--home is missing");
  if (id === undefined || (resume !== undefined && flags["session-id"] !== undefined))
    throw new UsageProblem("Give either --session-id or --resume");
  if (!idPattern.test(id)) throw new UsageProblem(`"${id}" is not a session id`);
  if (compact && resume === undefined) throw new UsageProblem("--compact needs --resume");
  const answers = flags.answers ?? null;
  return {
    home,
    id,
    resume: resume !== undefined,
    model: model ?? null,
    literal,
    answers,
    interactive,
    compact,
    access: {
      level: level(flags.access),
      allowedCommands: flags["allow-command"],
      hidden: flags.hide,
    },
  };
}

function level(word: string): Access {
  const known = accessLevels.find((each) => each === word);
  if (known) return known;
  throw new UsageProblem(`"${word}" is not one of ${accessLevels.join(", ")}`);
}

function abilities(script: Script | null) {
  return script?.abilities ?? identity.abilities;
}

function version(script: Script | null): string {
  return `${script?.product ?? identity.product} ${script?.version ?? identity.version}`;
}

function help(script: Script | null): string {
  const able = abilities(script);
  const flags = [
    ["--home DIR", "where sessions and the ledger are kept"],
    ["--session-id ID", "start a session under this id"],
    ...(able.includes("resume") ? [["--resume ID", "continue this session"]] : []),
    able.includes("model-on-resume")
      ? ["--model M", "the model, for this turn"]
      : ["--model M", "the model of a new session"],
    ["--script FILE", "misbehave as this file says"],
    ["--answers FILE", "answers to what the session asked, instead of a prompt"],
    ["--access A", "read, edit or full: what it may do on the machine"],
    ["--allow-command C", "a command that edit may run, exactly as written"],
    ["--hide PATH", "a file or folder that it may neither read nor write, except with full"],
    ["--literal", "treat /commands and @files in the prompt as text"],
    ["--compact", "make the session shorter; the input is what its summary should focus on"],
    ["--interactive", "talk: one prompt for each line, until the end of the input"],
    ["--version", "print the version"],
    ["--help", "print this"],
  ];
  const lines = flags.map(([flag = "", about]) => `  ${flag.padEnd(16)} ${about}`);
  return ["Usage: scripted-agent [flags] < prompt", "", ...lines].join("\n");
}

function print(text: string): number {
  console.log(text);
  return 0;
}

function refuse(text: string): number {
  writeError(text);
  return 1;
}
