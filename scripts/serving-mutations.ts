/** What keeps the server serving: full disks, owners, limits, logins, slow readers; each taken out. Part of `mutations.ts`. */

import type { Mutation } from "./mutations.ts";

const engine = "packages/engine/src";
const server = "packages/reprise/src/server";
const unrecorded = [`${engine}/unrecorded.test.ts`];
const hosts = [`${engine}/hosts.test.ts`];
const limits = [`${engine}/limits.test.ts`];
const insideTurn = ["test/surfaces/run-inside-turn.test.ts"];
const logins = [`${server}/login.test.ts`];

export const servingMutations: readonly Mutation[] = [
  {
    name: "serving: what cannot be recorded is let go of",
    file: `${engine}/turn/run-turn.ts`,
    find: '    await release(engine, { kind: "turn", id: turn, token }, failed);\n',
    replace: "",
    tests: unrecorded,
  },
  {
    name: "serving: not ready while something could not be recorded",
    file: `${engine}/readiness.ts`,
    find: "return { ready: reasons.length === 0, reasons };",
    replace: "return { ready: true, reasons };",
    tests: unrecorded,
  },
  {
    name: "serving: an owner that cannot be seen lives until its place was silent",
    file: `${engine}/hosts.ts`,
    find: 'return now() - watched.since >= silence ? "silent" : "lives";',
    replace: 'return "silent";',
    tests: hosts,
  },
  {
    name: "serving: a silent owner's turn is not free without the agent's exit",
    file: `${engine}/turn/ownership.ts`,
    find: 'return state === "silent" ? hasNoAgent(engine, turn) : state === "gone";',
    replace: 'return state !== "lives";',
    tests: hosts,
  },
  {
    name: "serving: a pid counts in its own namespace",
    file: "packages/providers/src/launch/process.ts",
    find: 'return identity.namespace === here.namespace ? isThere() : "unseen";',
    replace: "return isThere();",
    tests: ["packages/providers/src/launch/process.test.ts"],
  },
  {
    name: "serving: an owner that lives is not declared gone",
    file: `${engine}/turn/owner-gone.ts`,
    find: 'if (seen(owner) === "lives")',
    replace: "if (owner.pid < 0)",
    tests: hosts,
  },
  {
    name: "serving: no more agents than maxAgents",
    file: "packages/store/src/verbs/turns/record-turn.ts",
    find: "  if (limit && live !== null && live >= limit.max) return null;\n",
    replace: "",
    tests: limits,
  },
  {
    name: "serving: no more scripts than maxScripts",
    file: "packages/store/src/verbs/hosts/hosts.ts",
    find: "  if ((taken?.count ?? 0) >= max) return false;\n",
    replace: "",
    tests: limits,
  },
  {
    name: "serving: a token asks no more often than rateLimit",
    file: `${server}/rate-limit.ts`,
    find: "    if (bucket.left < 1) throw tooMany(Math.ceil((1 - bucket.left) / this.#perSecond));\n",
    replace: "",
    tests: logins,
  },
  {
    name: "serving: a page of a listing has a largest size",
    file: "packages/core/src/api/routes.ts",
    find: "const pageLimit = once(() => z.coerce.number().int().positive().max(1000));",
    replace: "const pageLimit = once(() => z.coerce.number().int().positive());",
    tests: logins,
  },
  {
    name: "serving: a login ends after its time",
    file: `${server}/gatekeeper.ts`,
    find: "if (login !== null && login.expiresAt > now())",
    replace: "if (login !== null)",
    tests: logins,
  },
  {
    name: "serving: under the public name the scheme counts",
    file: `${server}/hosts.ts`,
    find: " || hostOf(origin) === front?.host)",
    replace: ")",
    tests: ["test/server/proxy.test.ts"],
  },
  {
    name: "serving: each webhook receiver has requests of its own",
    file: `${server}/webhook/webhooks.ts`,
    find: 'const claim = { owner, kind: "webhook", webhook, limit: free };',
    replace: 'const claim = { owner, kind: "webhook", limit: free };',
    tests: [`${server}/webhook/webhooks.test.ts`],
  },
  {
    name: "serving: a reader that does not read is disconnected",
    file: `${server}/event-response.ts`,
    find: "AbortSignal.any([late, gone.signal])",
    replace: "gone.signal",
    tests: [`${server}/event-response.test.ts`],
  },
  {
    name: "serving: readers that are far behind take turns",
    file: `${server}/event-feed.ts`,
    find: "      .then(() => immediate())\n",
    replace: "",
    tests: [`${server}/events.test.ts`],
  },
  {
    name: "serving: a run that is started inside a turn does not wait for its slot",
    file: `${engine}/run/start.ts`,
    find: "    ...(within !== null && { within }),\n",
    replace: "",
    tests: insideTurn,
  },
  {
    name: "serving: a server that an agent starts belongs to no turn",
    file: "packages/reprise/src/cli/background.ts",
    find: "REPRISE_TURN: undefined",
    replace: "",
    tests: insideTurn,
  },
  {
    name: "serving: a history that cannot be read ends its turn",
    file: `${engine}/turn/observe-after.ts`,
    find: "      if (read === maxReads) return error;\n",
    replace: "      if (read === maxReads) throw error;\n",
    tests: ["test/cli/unread-history.test.ts"],
  },
  {
    name: "serving: stopping has a deadline",
    file: `${server}/lifecycle.ts`,
    find: "await Promise.race([undoAll().then(() => true), late])",
    replace: "await undoAll().then(() => true)",
    tests: [`${server}/stop-deadline.test.ts`],
  },
];
