/** `openReprise`: opens a home in this process, for a program that imports `reprise`. */

import { checkedReprise } from "@reprise/core/api/checked-reprise";
import { checkOptions, type OptionKinds } from "@reprise/core/api/options";
import type { Reprise } from "@reprise/core/api/reprise";
import { homeFolder } from "@reprise/engine/home";
import { openEngine } from "@reprise/engine/open-reprise";
import type { Provider } from "@reprise/providers/provider";

export interface RepriseOptions {
  /**
   * Folder with everything that Reprise keeps; it is created if it does not exist. Unless given, the folder in
   * `REPRISE_HOME`, otherwise `reprise` in the state folder of the XDG standard, as for the command line.
   */
  readonly home?: string | undefined;
  /**
   * Address of a PostgreSQL database for the sessions of a new home, such as `postgres://user@host:5432/database`;
   * unless given, the one in `REPRISE_STORE`. The home keeps the address without a password, so later calls need
   * none. The password is taken from the address, `PGPASSWORD`, or a passfile. Without an address, the home has a
   * database of its own.
   */
  readonly store?: string | undefined;
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
  store: "string",
  env: "object",
  cwd: "string",
  settings: "object",
  providers: "array",
};

/**
 * Opens a home in this process, without a server. Several processes can have the same home open.
 * @throws UsageError `bad-option` for an unknown option, `bad-store-address` or `store-differs` for an address,
 * DeniedError `home-not-writable`, BusyError `store-of-another-home`, StoreError when the database cannot be used.
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
    store: options.store ?? (env.REPRISE_STORE || undefined),
    env,
    cwd,
    settings,
    providers,
  });
  return checkedReprise(reprise);
}
