/**
 * Runs the commands of a page in one shell, as a reader would type them: exported variables and the current folder stay
 * from command to command.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { root, type ShownCommand, shownCommands } from "./shown-commands.ts";

export interface PageOptions {
  /** Variables of the shell, for example those of a real agent on its model server. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** By a command of the page: what is done before it; the lines of sh that it returns are run. */
  readonly before?: Readonly<Record<string, () => string>>;
  /** By a placeholder of the page, such as ITEM: the line of sh that prints its value when it is used. */
  readonly values?: Readonly<Record<string, string>>;
  /** Whether the numbers on the page are only an example. */
  readonly anyNumbers?: boolean;
  /** Where the reader begins: in an empty folder, or in the root of this clone's files. */
  readonly folder?: "empty" | "clone";
  /** Whether the page installs `reprise` itself; otherwise the one of this clone is on the path. */
  readonly installs?: boolean;
  /** Commands that are not run here, each with the reason or the test that runs it. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/** Registers one test that runs every command of the page and compares what it prints with what the page shows. */
export function runsAsShown(page: string, start: () => Promise<PageOptions> | PageOptions): void {
  // Some pages have forty commands; the bound only ends a test that hangs.
  test(`${page}: every command runs as it is shown`, { timeout: 900_000 }, async () => {
    const options = await start();
    const commands = shownCommands(page);
    expectNamed(page, commands, options);
    await using shell = new PageShell(options);
    for (const command of commands)
      if (!(command.text in (options.elsewhere ?? {})))
        await expectAsShown(shell, command, options);
  });
}

async function expectAsShown(
  shell: PageShell,
  { place, text, exitCode, output: shown }: ShownCommand,
  { before, values = {}, anyNumbers = false }: PageOptions,
): Promise<void> {
  const prepared = before?.[text];
  if (prepared) await expectDone(shell, prepared());
  const { code, output } = await shell.run(await withValues(shell, text, values));
  expect(code, [place, text, ...output].join("\n")).toBe(exitCode);
  if (shown === null) return;
  const same = (lines: readonly string[]) => comparable(lines, shell.folder, anyNumbers);
  const printed = same(output);
  const wanted = same(shown);
  // A line of three dots stands for lines that the page leaves out.
  if (!wanted.includes("…")) expect({ place, printed }).toEqual({ place, printed: wanted });
  else
    for (const line of wanted.filter((each) => each !== "…"))
      expect(printed, place).toContain(line);
}

async function expectDone(shell: PageShell, text: string): Promise<void> {
  const { code, output } = await shell.run(text);
  expect(code, [text, ...output].join("\n")).toBe(0);
}

/** What the options name is still on the page. */
function expectNamed(page: string, commands: readonly ShownCommand[], options: PageOptions): void {
  const texts = new Set(commands.map(({ text }) => text));
  const named = [...Object.keys(options.before ?? {}), ...Object.keys(options.elsewhere ?? {})];
  expect(
    named.filter((text) => !texts.has(text)),
    `not on ${page}`,
  ).toEqual([]);
}

async function withValues(
  shell: PageShell,
  text: string,
  values: Readonly<Record<string, string>>,
): Promise<string> {
  let changed = text;
  for (const [name, line] of Object.entries(values)) {
    if (!text.includes(name)) continue;
    const { output } = await shell.run(`{ ${line}; } 2>/dev/null`);
    changed = changed.replaceAll(name, () => output.join("\n").trim());
  }
  return changed;
}

/** Without what differs from run to run: times, token counts, ids, digests, where the folder is, and how wide a column is. */
function comparable(lines: readonly string[], folder: string, anyNumbers: boolean): string[] {
  return lines
    .map((line) => (anyNumbers ? line.replaceAll(/~?\b\d[\d,]*\b/g, "N") : line))
    .map((line) =>
      line
        .replaceAll(folder, "/home/me")
        .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "DATE")
        .replaceAll(/\b(\d+ (s|min) ago|(just )?now)$/g, "AGO")
        .replaceAll(/\b\d+(\.\d+)? (ms|s|min)\b/g, "TIME")
        .replaceAll(/\b[\d,]+ (tokens|cached|out)\b/g, "N $1")
        .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "UUID")
        .replaceAll(/\b(?=[a-z0-9]*\d)[a-z0-9]{20}\b/g, "ID")
        .replaceAll(/\b[0-9a-f]{12}\b/g, "DIGEST")
        // The folder of an agent's sessions is shortened on a terminal.
        .replaceAll(/ in \/\S+/g, " in PATH")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((line) => line !== "");
}

class PageShell implements AsyncDisposable {
  readonly #root = temporaryFolder("page");
  /** The reader's home folder, and where the page begins; shown as /home/me. */
  readonly folder = join(this.#root, "me");
  readonly #shell: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor({ env = {}, folder = "empty", installs = false }: PageOptions) {
    const prefix = join(this.folder, ".local");
    const bin = join(prefix, "bin");
    for (const made of [this.folder, bin]) mkdirSync(made, { recursive: true });
    if (folder === "clone")
      for (const name of [
        "bin",
        "docs",
        "examples",
        "node_modules",
        "packages",
        "scripts",
        "test",
        "workflows",
      ])
        symlinkSync(join(root, name), join(this.folder, name));
    const program = `#!/bin/sh\nexec "${process.execPath}" "${root}bin/reprise.cjs" "$@"\n`;
    if (!installs) writeFileSync(join(bin, "reprise"), program, { mode: 0o755 });
    const path = [bin, dirname(process.execPath), env.PATH ?? process.env.PATH].join(delimiter);
    this.#shell = spawn("bash", ["--noprofile", "--norc"], {
      cwd: this.folder,
      env: {
        ...env,
        HOME: this.folder,
        PATH: path,
        LANG: "C.UTF-8",
        CLONE: root,
        npm_config_prefix: prefix,
        npm_config_offline: "true",
        npm_config_update_notifier: "false",
      },
      detached: true,
    });
    // One stream, so that lines stay in the order in which a terminal would show them.
    this.#shell.stdin.write("exec 2>&1\n");
    this.#lines = createInterface(this.#shell.stdout)[Symbol.asyncIterator]();
  }

  async run(text: string): Promise<{ code: number; output: string[] }> {
    const end = `end of command ${Math.random()}`;
    this.#shell.stdin.write(`{ ${text}\n} </dev/null\nprintf '\\n%s %s\\n' '${end}' "$?"\n`);
    const output: string[] = [];
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`The shell ended in: ${text}\n${output.join("\n")}`);
      if (value.startsWith(end)) return { code: Number(value.slice(end.length)), output };
      output.push(value);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run("command -v reprise && reprise down");
    const ended = once(this.#shell, "exit");
    this.#shell.stdin.end();
    await ended;
    rmSync(this.#root, { recursive: true, force: true });
  }
}
