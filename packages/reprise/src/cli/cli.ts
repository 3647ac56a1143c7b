/** The context of one command: where Reprise's home is, how to print, and how to open Reprise. */

import type { Reprise } from "@reprise/core/api/reprise";
import { type Channel, channel } from "./channel.ts";
import { homeFolder } from "./home.ts";
import type { Surroundings } from "./surroundings.ts";

/** The options that every command takes. */
export interface GlobalOptions {
  readonly home?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
}

export interface Cli extends Surroundings {
  readonly home: string;
  readonly json: boolean;
  readonly quiet: boolean;
  /** Show the stack of an error that nobody expected. */
  readonly verbose: boolean;
  readonly out: Channel;
  readonly err: Channel;
  /** Opens Reprise for `work` and closes it afterwards, whatever happens. */
  withReprise<Result>(work: (reprise: Reprise) => Promise<Result>): Promise<Result>;
  /** Prints the one document of `--json`. */
  document(value: unknown): void;
  /** A remark beside the result: on standard error, and not with `--quiet`. */
  remark(text: string): void;
}

export function createCli(surroundings: Surroundings, options: GlobalOptions): Cli {
  const { env, cwd, stdout, stderr } = surroundings;
  const home = homeFolder(options.home, surroundings);
  const quiet = options.quiet ?? false;
  const colourWanted = options.color ?? true;
  const out = channel(stdout, env, colourWanted);
  const err = channel(stderr, env, colourWanted);
  return {
    ...surroundings,
    home,
    json: options.json ?? false,
    quiet,
    verbose: (options.verbose ?? false) || Boolean(env.REPRISE_DEBUG),
    out,
    err,
    async withReprise(work) {
      const { openReprise } = await import("@reprise/engine/open-reprise");
      const reprise = await openReprise({ home, env, cwd });
      try {
        return await work(reprise);
      } finally {
        await reprise.close();
      }
    },
    document: (value) => out.line(JSON.stringify(value, null, 2)),
    remark: (text) => {
      if (!quiet) err.line(text);
    },
  };
}
