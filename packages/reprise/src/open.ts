/** `openReprise`: opens a home in this process, for a program that imports `reprise`. */

import { checkedReprise } from "@reprise/core/api/checked-reprise";
import { checkOptions, type OptionKinds } from "@reprise/core/api/options";
import type { Reprise } from "@reprise/core/api/reprise";
import { openEngine } from "@reprise/engine/open-reprise";
import type { Provider } from "@reprise/providers/provider";
import { homeFolder } from "./home-folder.ts";

export interface RepriseOptions {
  /**
   * Folder with everything that Reprise keeps; it is created if it does not exist. Unless given, the folder in
   * `REPRISE_HOME`, otherwise `reprise` in the state folder of the XDG standard, as for the command line.
   */
  readonly home?: string | undefined;
  /** Environment for agents, and for settings in variables such as `REPRISE_MAX_AGENTS`; `process.env` unless given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Folder that relative paths start from, and that the project's settings are read from; the current one unless given. */
  readonly cwd?: string | undefined;
  /** Settings that override those of the environment and of settings files. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Providers in addition to those of Reprise. */
  readonly providers?: readonly Provider[] | undefined;
}

const known: OptionKinds<RepriseOptions> = {
  home: "string",
  env: "object",
  cwd: "string",
  settings: "object",
  providers: "array",
};

/**
 * Opens a home in this process, without a server. Several processes can have the same home open.
 * @throws UsageError `bad-option` for an unknown option, DeniedError `home-not-writable`, StoreError when the
 * database cannot be used.
 * @example
 * import { openReprise } from "reprise";
 *
 * const reprise = await openReprise({ home: "./.reprise" });
 * await reprise.agents.create({ name: "coder", provider: "codex" });
 * const turn = await reprise.sessions.send({ key: "fix-42", agent: "coder", prompt: "Fix the parser." });
 * console.log(turn.decision?.outcome, turn.output);
 * await reprise.close();
 */
export async function openReprise(options: RepriseOptions = {}): Promise<Reprise> {
  checkOptions("openReprise", options, known);
  const { home, env = process.env, cwd = process.cwd(), settings = {}, providers = [] } = options;
  const { reprise } = await openEngine({
    home: homeFolder(home, { env, cwd }),
    env,
    cwd,
    settings,
    providers,
  });
  return checkedReprise(reprise);
}
