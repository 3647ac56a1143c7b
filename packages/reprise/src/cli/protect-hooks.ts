/** The hooks by which the agents' programs of this user start a scan when they have answered and when they exit. */

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "@reprise/core/errors/errors";
import { shellWord } from "@reprise/core/text/shell-word";
import type { NativeHooks } from "@reprise/providers/provider";
import { ProviderRegistry } from "@reprise/providers/registry";
import type { Cli } from "./cli.ts";
import { programFile } from "./program-file.ts";
import { replaceFile } from "./replace-file.ts";

/** A settings file as it would be. */
export interface HookChange {
  readonly title: string;
  readonly file: string;
  /** What is added to it, or taken out. */
  readonly hooks: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface HookGroup {
  readonly hooks?: readonly { readonly command?: unknown }[];
}
type Hooks = Record<string, readonly HookGroup[]>;

/** At the end of the command, so that it is found again. */
const mark = "# reprise protect";

/**
 * The program does not wait for the scan, and sees nothing of it. In a turn of Reprise there is none: its checkpoint
 * has the session.
 */
function hookCommand({ home }: Cli): string {
  const words = [process.execPath, programFile(), "--home", home, "protect", "scan", "--quiet"];
  return `[ -n "$REPRISE_TURN" ] || ${words.map(shellWord).join(" ")} >/dev/null 2>&1 & ${mark}`;
}

/** What `protect on --hooks` would write. Programs that were never used here are left out. */
export async function hooksToAdd(cli: Cli): Promise<HookChange[]> {
  const command = hookCommand(cli);
  return changes(cli, (settings, { events }) => {
    const ours = Object.fromEntries(
      events.map((event) => [event, [{ hooks: [{ type: "command", command }] }]]),
    );
    const without = withoutOurs(settings.hooks ?? {});
    const joined = Object.fromEntries(
      events.map((event) => [event, [...(without[event] ?? []), ...ours[event]!]]),
    );
    const hooks = { ...without, ...joined };
    return JSON.stringify(hooks) === JSON.stringify(settings.hooks)
      ? null
      : { shown: ours, settings: { ...settings, hooks } };
  });
}

/** What `protect off` would take out. */
export async function hooksToRemove(cli: Cli): Promise<HookChange[]> {
  return changes(cli, ({ hooks, ...settings }) => {
    if (hooks === undefined || !JSON.stringify(hooks).includes(mark)) return null;
    const left = withoutOurs(hooks);
    const isEmpty = Object.keys(left).length === 0;
    return { shown: {}, settings: { ...settings, ...(!isEmpty && { hooks: left }) } };
  });
}

export async function writeHooks(changed: readonly HookChange[]): Promise<void> {
  for (const { file, text } of changed) {
    if (existsSync(file)) await replaceFile(file, text);
    else {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, text, { mode: 0o600, flag: "wx" });
    }
  }
}

type Settings = { readonly hooks?: Hooks } & Readonly<Record<string, unknown>>;
type Edit = (
  settings: Settings,
  hooks: NativeHooks,
) => { readonly shown: Record<string, unknown>; readonly settings: Settings } | null;

async function changes({ env, home }: Cli, edit: Edit): Promise<HookChange[]> {
  const found: HookChange[] = [];
  for (const { manifest, native } of new ProviderRegistry().providers) {
    if (!native?.hooks) continue;
    const agent = {
      name: manifest.name,
      settings: {},
      privateFolder: home,
      env: Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
    };
    const file = await native.hooks.settingsFile(agent);
    if (!existsSync(dirname(file))) continue;
    const text = existsSync(file) ? await readFile(file, "utf8") : "{}";
    const edited = edit(readSettings(file, text), native.hooks);
    if (edited === null) continue;
    const { shown, settings } = edited;
    found.push({
      title: manifest.title,
      file,
      hooks: shown,
      text: `${JSON.stringify(settings, null, 2)}\n`,
    });
  }
  return found;
}

/** A file with comments would lose them. */
function readSettings(file: string, text: string): Settings {
  try {
    const settings: unknown = JSON.parse(text);
    if (typeof settings === "object" && settings !== null && !Array.isArray(settings))
      return settings as Settings;
  } catch {
    // The same answer as for another value.
  }
  throw new UsageError(
    "settings-not-json",
    `${file} is not plain JSON, so its hooks cannot be changed safely. Nothing was written.`,
    "Remove its comments, or use protect without --hooks: a server scans regularly.",
  );
}

function withoutOurs(hooks: Hooks): Hooks {
  const isOurs = ({ command }: { readonly command?: unknown }) => String(command).endsWith(mark);
  return Object.fromEntries(
    Object.entries(hooks)
      .map(([event, groups]): [string, HookGroup[]] => [
        event,
        groups.filter(({ hooks: commands = [] }) => !commands.some(isOurs)),
      ])
      .filter(([event, groups]) => groups.length > 0 || hooks[event]?.length === 0),
  );
}
