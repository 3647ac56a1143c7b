/** The context of one command: where Reprise's home is, how to print, and how to open Reprise. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { UsageError } from "@reprise/core/errors/errors";
import { renderHints } from "@reprise/core/errors/hint";
import { inertJson } from "@reprise/core/text/visible-controls";
import type { Engine } from "@reprise/engine/engine";
import { homeFolder } from "@reprise/engine/home";
import { checkHome } from "@reprise/engine/home-check";
import { parseStoreAddress } from "@reprise/engine/store-address";
import { isShared, readStoreRecord } from "@reprise/engine/store-record";
import type { ServedStore } from "../server/served-store.ts";
import { type Channel, channel } from "./channel.ts";
import { hinting } from "./hint.ts";
import type { HomeNeed } from "./home-need.ts";
import type { Here } from "./reach.ts";
import type { Surroundings } from "./surroundings.ts";

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
