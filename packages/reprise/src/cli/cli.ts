/** The context of one command: its process, where Reprise's home is, how to print, and how to open Reprise. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { styleText } from "node:util";
import type { Reprise } from "@reprise/core/api/reprise";
import { asCommands } from "@reprise/core/api/verb-commands";
import { UsageError } from "@reprise/core/errors/errors";
import { hasHint, renderHints } from "@reprise/core/errors/hint";
import { suggestion } from "@reprise/core/errors/suggestion";
import { environmentName, settingNames } from "@reprise/core/settings/settings";
import { shellWord } from "@reprise/core/text/shell-word";
import { inertJson } from "@reprise/core/text/visible-controls";
import type { Engine } from "@reprise/engine/engine";
import { checkHome, homeFolder, isShared, readStoreRecord } from "@reprise/engine/home";
import { parseStoreAddress } from "@reprise/engine/store-address";
import type { Command } from "commander";
import type { ServedStore } from "../server/served-store.ts";
import { commandGroups } from "./command-groups.ts";
import { inertLine } from "./format/text.ts";
import type { Here } from "./reach.ts";

/** The options that every command takes. */
export interface GlobalOptions {
  readonly home?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
}

export interface OpenedHome {
  readonly engine: Pick<Engine, "env" | "within" | "now"> & { readonly store: ServedStore };
  readonly reprise: Reprise;
}

export interface Cli extends Surroundings {
  readonly home: string;
  /** The home is the usual one: neither --home nor REPRISE_HOME names another. */
  readonly isUsualHome: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  /** Print the stack of an unexpected error. */
  readonly verbose: boolean;
  readonly out: Channel;
  readonly err: Channel;
  /** Reprise for `work`: through the home's server if there is one, else opened here. */
  withReprise<Result>(work: (reprise: Reprise) => Promise<Result>): Promise<Result>;
  /**
   * Opens the home in this process, for commands that need its folder or more than the Reprise API. A home on
   * PostgreSQL is used through its server.
   */
  withHome<Result>(work: (opened: OpenedHome) => Promise<Result>): Promise<Result>;
  /** @throws UsageError `not-on-postgres`, with the hint, for a home whose sessions are not in its folder. */
  requireOwnDatabase(command: string, hint: string): void;
  /** Prints the one document of `--json`. */
  document(value: unknown): void;
  /** Prints a remark on standard error, with commands that can be pasted; not with `--quiet`. */
  remark(text: string): void;
}

const opening = {
  read: { mayCreate: false, onlyReads: true },
  examine: { mayCreate: false, onlyReads: true, tolerant: true },
  write: { mayCreate: false },
  create: {},
} as const;

async function reach(here: Here): Promise<Reprise | null> {
  const { reachServer } = await import("./reach.ts");
  return reachServer(here);
}

export function createCli(
  surroundings: Surroundings,
  options: GlobalOptions,
  need: HomeNeed = "create",
): Cli {
  const { env, cwd, stdout, stderr } = surroundings;
  const home = homeFolder(options.home, surroundings);
  const quiet = options.quiet ?? false;
  const colourWanted = options.color ?? true;
  const hint = hinting(options.home);
  const out = channel(stdout, env, colourWanted, hint);
  const err = channel(stderr, env, colourWanted, hint);
  const remark = (text: string) => {
    if (!quiet) err.line(hint(text));
  };
  let isProjectRead = false;
  /** Remarks once on settings that the project's file may not set or has wrong; the command continues. */
  const remarkIgnored = async () => {
    // `doctor` reports them among its findings.
    if (need === "examine") return;
    if (isProjectRead || !existsSync(join(cwd, ".reprise", "config.yaml"))) return;
    isProjectRead = true;
    const { readSettings } = await import("@reprise/engine/config");
    // A mistake in the user's own file is reported by the command that needs it.
    const settings = await readSettings({ flags: {}, env, cwd }).catch(() => null);
    for (const text of settings?.ignored ?? []) remark(text);
  };
  /** For a home on PostgreSQL, which commands never open themselves. */
  const withServer: Cli["withHome"] = async (work) => {
    const repaired = checkHome(home);
    if (repaired !== null) remark(repaired);
    const { requireServer } = await import("./reach.ts");
    const { reprise, store, differing } = await requireServer({ home, env, cwd });
    try {
      if (differing.length > 0 && need !== "read" && need !== "examine")
        remark(
          `The server uses its own settings, which differ from those here (${differing.join(", ")}). To use these, start it again: reprise down, then reprise up --detach`,
        );
      const within = env.REPRISE_TURN ?? null;
      return await work({ engine: { store, env, within, now: surroundings.now }, reprise });
    } finally {
      await reprise.close();
    }
  };
  const withHome: Cli["withHome"] = async (work) => {
    await remarkIgnored();
    if (isShared(home)) return withServer(work);
    const { openEngine } = await import("@reprise/engine/open-reprise");
    const opened = await openEngine({ home, env, cwd, ...opening[need] });
    const { repaired } = opened.engine.home;
    if (repaired !== null) remark(repaired);
    try {
      return await work(opened);
    } finally {
      await opened.reprise.close();
    }
  };
  return {
    ...surroundings,
    home,
    isUsualHome: options.home === undefined && !env.REPRISE_HOME,
    json: options.json ?? false,
    quiet,
    verbose: (options.verbose ?? false) || Boolean(env.REPRISE_DEBUG),
    out,
    err,
    withHome,
    requireOwnDatabase(command, hint) {
      const address = readStoreRecord(home);
      if (address === null) return;
      throw new UsageError(
        "not-on-postgres",
        `reprise ${command} cannot be used with the home ${home}, whose sessions are in the PostgreSQL database ${parseStoreAddress(address).name}.`,
        hint,
      );
    },
    async withReprise(work) {
      await remarkIgnored();
      if (isShared(home)) return withServer(({ reprise }) => work(reprise));
      const repaired = checkHome(home);
      if (repaired !== null) remark(repaired);
      const server = existsSync(join(home, "server.json")) && (await reach({ home, env, cwd }));
      if (!server) return withHome(({ reprise }) => work(reprise));
      try {
        return await work(server);
      } finally {
        await server.close();
      }
    },
    document: (value) => out.line(inertJson(renderHints(value, hint), 2)),
    remark,
  };
}

// What a command needs of the home: `read` changes nothing, `examine` is the same despite a broken settings file,
// `write` changes an existing home, `create` creates one.
// /

type HomeNeed = "read" | "examine" | "write" | "create";

const needs: Readonly<Record<Exclude<HomeNeed, "write">, readonly string[]>> = {
  read: [
    ...["why", "explain", "inbox", "runs", "show", "logs", "status", "usage", "backup"],
    ...["session list", "session show", "session explain", "session verify", "session export"],
    ...["agent list", "agent show", "agent use", "token list", "passphrase list"],
    ...["webhook list", "webhook deliveries", "protect status"],
  ],
  examine: ["doctor"],
  create: [
    ...["send", "session send", "session import", "run", "agent create", "up", "demo", "mcp"],
    ...["restore", "token create", "passphrase set", "webhook add"],
    ...["protect on", "protect scan"],
  ],
};

/** `path` as in `session list`. */
export function homeNeed(path: string): HomeNeed {
  if (needs.read.includes(path)) return "read";
  if (needs.examine.includes(path)) return "examine";
  return needs.create.includes(path) ? "create" : "write";
}

export const namedNeeds: readonly string[] = Object.values(needs).flat();

// Finds environment variables that begin with REPRISE_ but have no meaning: usually misspelled ones.

const prefix = "REPRISE_";

/** Those that are not settings. */
const others = [
  ...["REPRISE_HOME", "REPRISE_USER", "REPRISE_DEBUG", "REPRISE_TURN", "REPRISE_NODE"],
  ...["REPRISE_SPOOLS", "REPRISE_STORE"],
  ...["REPRISE_RUN", "REPRISE_TOKEN", "REPRISE_URL", "REPRISE_ANSWERS", "REPRISE_DEFERRED"],
];

/** One sentence for each that is close to a known name; others may belong to other programs. */
export function misspelledVariables(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const names = [...others, ...settingNames.map(environmentName)];
  const known = names.map((name) => name.slice(prefix.length));
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !names.includes(name))
    .flatMap((name) => {
      // Compared without the prefix, which would make any two names similar.
      const meant = suggestion(name.slice(prefix.length), known);
      return meant
        ? [`The environment variable ${name} has no effect. Did you mean ${prefix}${meant}?`]
        : [];
    });
}

// Connects a command's definition to its handler, which is loaded only when the command runs.

interface CommandModule<Args extends unknown[]> {
  /** Runs the command and returns its exit code. */
  run(cli: Cli, ...args: Args): Promise<number>;
}

/** Turns a command's module into commander's action: arguments and options become its parameters. */
export type Invoke = <Args extends unknown[]>(
  load: () => Promise<CommandModule<Args>>,
) => (...args: unknown[]) => Promise<void>;

export function invoker(
  cliFor: (command: Command) => Cli,
  finished: (exitCode: number) => void,
): Invoke {
  return <Args extends unknown[]>(load: () => Promise<CommandModule<Args>>) =>
    async (...given: unknown[]) => {
      const command = given.pop() as Command;
      const { run } = await load();
      finished(await run(cliFor(command), ...(given as Args)));
    };
}

// Writes the hints of messages as commands that can be pasted, with `--home` if it was given.

const words = commandGroups.flatMap(([, paths]) => paths.map((path) => path.split(" ")[0]));
const named = new RegExp(String.raw`\breprise (?=(?:${[...new Set(words)].join("|")})\b)`, "g");

/** Rewrites calls of the library, and commands, in the messages of Reprise. */
export function hinting(home: string | undefined): (text: string) => string {
  const program = home === undefined ? "reprise" : `reprise --home ${shellWord(home)}`;
  return (text) => {
    const pasted = home === undefined ? text : text.replace(named, () => `${program} `);
    return hasHint(pasted) ? asCommands(pasted, program) : pasted;
  };
}

// Everything that the command line uses of its process, in one value that tests can replace.

export type Signal = "SIGINT" | "SIGTERM";

export type OutputStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};
type InputStream = Readable & { readonly isTTY?: boolean };

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  now(): number;
  /** Calls `listener` for each signal instead of ending; the returned function undoes that. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

export function processSurroundings(cwd: string): Surroundings {
  watchOutput(process.stdout, "output");
  watchOutput(process.stderr, "messages");
  return {
    env: process.env,
    cwd,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: Date.now,
    onSignal(listener) {
      process.on("SIGINT", listener);
      process.on("SIGTERM", listener);
      return () => {
        process.off("SIGINT", listener);
        process.off("SIGTERM", listener);
      };
    },
    exit: (code) => process.exit(code),
  };
}

/** `reprise … | head` closes our output early: a running turn continues. Any other write error ends the command. */
function watchOutput(stream: Writable, name: string): void {
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") return;
    if (stream !== process.stderr)
      process.stderr.write(`reprise: The ${name} could not be written (${code}).\n`);
    process.exit(1);
  });
}

// An output stream as commands see it: how wide it is, whether a person watches, and its colours.

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export interface Channel {
  readonly tty: boolean;
  /** Whether a line can be redrawn: on a terminal, unless TERM is dumb. */
  readonly redraws: boolean;
  readonly coloured: boolean;
  /** The terminal's current columns; unlimited without a terminal, so that output to a file is not shortened. */
  readonly width: number;
  /** Writes the text unchanged: text from outside must be made `inert` first. */
  write(text: string): void;
  /** On a terminal all control sequences are neutralized, except the colours of `paint`. */
  line(text?: string): void;
  paint(style: Style, text: string): string;
  /** The message with its commands completed so that they can be pasted. */
  hint(text: string): string;
}

export function channel(
  stream: OutputStream,
  env: Surroundings["env"],
  colourWanted: boolean,
  hint: (text: string) => string = (text) => text,
): Channel {
  const tty = stream.isTTY === true;
  const coloured = colourWanted && hasColours(tty, env);
  return {
    tty,
    redraws: tty && env.TERM !== "dumb",
    coloured,
    get width() {
      // Some terminals report 0 columns when they do not know.
      return tty ? stream.columns || 80 : Number.POSITIVE_INFINITY;
    },
    write: (text) => void stream.write(text),
    line: (text = "") => void stream.write(`${tty ? inertLine(text) : text}\n`),
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
    hint,
  };
}

/** FORCE_COLOR overrides NO_COLOR, which overrides the terminal's abilities, as in Node. */
function hasColours(tty: boolean, { FORCE_COLOR, NO_COLOR, TERM }: Surroundings["env"]): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR) return false;
  return tty && TERM !== "dumb";
}
