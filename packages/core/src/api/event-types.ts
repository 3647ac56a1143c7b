/** The types of all events, in groups: what webhooks can subscribe to. */

const names: Readonly<Record<string, readonly string[]>> = {
  account: ["limited"],
  agent: ["created", "changed"],
  attempt: ["ended"],
  class: ["created", "changed"],
  gate: ["opened", "answered", "expired"],
  handle: ["retired"],
  home: ["booted", "backed-up", "restored"],
  iteration: ["began"],
  login: ["ended"],
  loop: ["entered"],
  messages: ["imported"],
  node: ["started", "asked", "waiting", "answered", "done", "failed", "skipped"],
  passphrase: ["set", "removed"],
  protection: ["on", "off", "restored", "forgotten"],
  retry: ["begun"],
  run: ["started", "cancelling", "stuck", "retried", "rerun", "ended"],
  session: [
    ...["created", "pinned", "restored", "moved", "set", "held", "released", "archived"],
    ...["revived", "exported", "purged", "compaction-asked", "compacted"],
  ],
  token: ["created", "rotated", "revoked"],
  turn: ["opened", "reopened", "switched", "decided", "launched", "answered", "finished"],
  webhook: ["created", "removed"],
};

export const eventTypes: readonly string[] = Object.entries(names).flatMap(([group, types]) =>
  types.map((type) => `${group}.${type}`),
);

/** What a webhook may subscribe to: a type, a whole group as in `gate.*`, or `*`. */
export const eventPatterns: readonly string[] = [
  "*",
  ...Object.keys(names).map((group) => `${group}.*`),
  ...eventTypes,
];
