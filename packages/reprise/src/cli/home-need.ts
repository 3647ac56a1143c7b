/**
 * What a command needs of the home: `read` changes nothing, `examine` is the same despite a broken settings file,
 * `write` changes an existing home, `create` creates one.
 */

export type HomeNeed = "read" | "examine" | "write" | "create";

const needs: Readonly<Record<Exclude<HomeNeed, "write">, readonly string[]>> = {
  read: [
    ...["why", "explain", "inbox", "runs", "show", "logs", "status", "usage", "backup"],
    ...["session list", "session show", "session explain", "session verify", "session export"],
    ...["agent list", "agent show", "agent use", "token list", "passphrase list"],
    ...["webhook list", "webhook deliveries"],
  ],
  examine: ["doctor"],
  create: [
    ...["send", "session send", "session import", "run", "agent create", "up", "demo", "mcp"],
    ...["restore", "token create", "passphrase set", "webhook add"],
  ],
};

/** `path` as in `session list`. */
export function homeNeed(path: string): HomeNeed {
  if (needs.read.includes(path)) return "read";
  if (needs.examine.includes(path)) return "examine";
  return needs.create.includes(path) ? "create" : "write";
}

export const namedNeeds: readonly string[] = Object.values(needs).flat();
