import { describe, expect, test } from "vitest";
import { UsageError } from "../errors/errors.ts";
import { formatDuration, parseDuration, roughDuration } from "../text/duration.ts";
import {
  environmentLayer,
  environmentName,
  resolveSettings,
  settingNames,
  toRules,
  withQuotaOf,
} from "./settings.ts";

const layer = (values: unknown, origin = "project") => ({ origin, values });
const entry = (name: string, ...layers: { origin: string; values: unknown }[]) =>
  resolveSettings(layers)
    .list()
    .find((setting) => setting.name === name);

test("no layer: every setting has its default and one sentence", () => {
  const { values, list } = resolveSettings([]);
  expect(values).toEqual({
    regularAgentSessions: "resume",
    onResumeFailure: "reseed",
    acrossAccounts: "refuse",
    onInstructionsChange: "note",
    onModelChange: "note",
    onAdvanced: "reseed",
    onQuota: "fail",
    quotaWait: 6 * 3600 * 1000,
    quotaAgent: null,
    maxStrikes: 3,
    maxAgents: null,
    maxScripts: null,
    publicUrl: null,
    rateLimit: 100,
    "budget.maxAge": null,
    "budget.maxBytes": null,
    "budget.maxTokens": null,
    "budget.over": "warn",
    archiveAfter: null,
    "prune.after": 180 * 24 * 3600 * 1000,
    "prune.maxEntries": 5000,
    "prune.mode": "warn",
    "reset.mode": "none",
    "reset.atHour": 4,
    "reset.idleMinutes": 60,
    "reset.surface": {},
    "reset.channel": {},
    turnTimeout: null,
    legacyPersistentResumes: false,
    probeTimeout: 15_000,
    maxAccess: "edit",
    allowedCommands: [],
    providers: [],
    defaultAgent: null,
    folderAgents: {},
    "protect.every": 3600 * 1000,
    "protect.keep": null,
    endGrace: 5000,
  });
  expect(list().map(({ name }) => name)).toEqual(settingNames);
  for (const { origin, about } of list()) {
    expect(origin).toBe("default");
    expect(about).toMatch(/^[A-Z].*\.$/);
  }
});

test("what is shown can be written back", () => {
  for (const { name, value } of resolveSettings([]).list())
    expect(entry(name, layer({ [name]: value }))?.value).toBe(value);
});

test("the first layer that has a setting wins, and is named", () => {
  const layers = [
    layer({ maxStrikes: 1 }, "flag"),
    layer({ maxStrikes: 2, turnTimeout: "90s" }, "environment"),
    layer({ turnTimeout: "2h", endGrace: "1s" }, "project"),
    layer(null, "user"),
  ];
  expect(entry("maxStrikes", ...layers)).toMatchObject({ value: 1, origin: "flag" });
  expect(entry("turnTimeout", ...layers)).toMatchObject({ value: "90s", origin: "environment" });
  expect(entry("endGrace", ...layers)).toMatchObject({ value: "1s", origin: "project" });
  expect(entry("onAdvanced", ...layers)).toMatchObject({ value: "reseed", origin: "default" });
});

test("a layer can take a limit away", () => {
  const layers = [layer({ turnTimeout: "none" }, "flag"), layer({ turnTimeout: "2h" })];
  expect(entry("turnTimeout", ...layers)).toMatchObject({ value: "none", origin: "flag" });
});

test("groups may be nested or dotted", () => {
  const nested = resolveSettings([layer({ budget: { maxAge: "30d", over: "reseed" } })]);
  const dotted = resolveSettings([layer({ "budget.maxAge": "30d", "budget.over": "reseed" })]);
  expect(nested.list()).toEqual(dotted.list());
  expect(nested.values).toEqual(dotted.values);
  expect(nested.values["budget.maxAge"]).toBe(30 * 24 * 3600 * 1000);
});

test("a value for each of several names may be nested, or one text", () => {
  const nested = resolveSettings([
    layer({ reset: { channel: { support: "daily", sales: "none" } } }),
  ]);
  const text = resolveSettings([layer({ "reset.channel": "support=daily, sales=none" })]);
  expect(nested.list()).toEqual(text.list());
  expect(nested.values).toEqual(text.values);
  expect(nested.values["reset.channel"]).toEqual({ support: "daily", sales: "none" });
  expect(entry("reset.channel", layer({ "reset.channel": { a: "idle" } }))?.value).toBe("a=idle");
});

test("what never happens is written so", () => {
  const { values } = resolveSettings([layer({ archiveAfter: "30d", prune: { after: "never" } })]);
  expect(values).toMatchObject({ archiveAfter: 30 * 24 * 3600 * 1000, "prune.after": null });
  expect(entry("archiveAfter")?.value).toBe("never");
});

test("rules are made of settings", () => {
  const { values } = resolveSettings([
    layer({ onAdvanced: "catch-up", maxStrikes: 5, budget: { maxTokens: 100000, over: "refuse" } }),
  ]);
  expect(toRules(values)).toEqual({
    onResumeFailure: "reseed",
    acrossAccounts: "refuse",
    onInstructionsChange: "note",
    onModelChange: "note",
    onAdvanced: "catch-up",
    maxStrikes: 5,
    budget: { maxAge: null, maxBytes: null, maxTokens: 100000, over: "refuse" },
    quota: { onQuota: "fail", quotaWait: 6 * 3600 * 1000, quotaAgent: null },
  });
});

test("the quota rules of a turn win over its session's, its agent's and the user's, in this order", () => {
  const { values } = resolveSettings([layer({ onQuota: "wait", quotaWait: "1h" })]);
  const quota = (...sources: Parameters<typeof withQuotaOf>[1]) =>
    withQuotaOf(toRules(values), sources).quota;
  expect(quota(undefined, {}, {})).toEqual(toRules(values).quota);
  const agent = { onQuota: "switch", quotaAgent: "codex", quotaWait: "2h" };
  expect(quota(undefined, {}, agent)).toMatchObject({ onQuota: "switch", quotaAgent: "codex" });
  const session = { quotaWait: "3h", quotaAgent: "none" };
  expect(quota({ onQuota: "fail", quotaWait: null }, session, agent)).toEqual({
    onQuota: "fail",
    quotaWait: 3 * 3600 * 1000,
    quotaAgent: null,
  });
});

describe("mistakes", () => {
  test.each<[unknown, string, string]>([
    [
      { onResumeFailur: "fail" },
      'There is no setting "onResumeFailur" (project).',
      'Did you mean "onResumeFailure"?',
    ],
    [
      { budget: { maxAg: "1d" } },
      'There is no setting "budget.maxAg" (project).',
      'Did you mean "budget.maxAge"?',
    ],
    [
      { budget: "1d" },
      'There is no setting "budget" (project).',
      "Use one of: budget.maxAge, budget.maxBytes, budget.maxTokens, budget.over.",
    ],
    [
      { toString: "1d" },
      'There is no setting "toString" (project).',
      "List all settings with reprise.config().",
    ],
    [
      { onResumeFailure: "reseeed" },
      '"reseeed" is not a value for onResumeFailure (project).',
      'Did you mean "reseed"?',
    ],
    [
      { onResumeFailure: true },
      '"true" is not a value for onResumeFailure (project).',
      "Use one of: reseed, fail.",
    ],
    [
      { endGrace: 5 },
      '"5" is not a value for endGrace (project).',
      "Write a duration such as 90s, 15m, 12h or 30d.",
    ],
    [
      { turnTimeout: "5 minutes" },
      '"5 minutes" is not a value for turnTimeout (project).',
      'Write a duration such as 90s, 15m, 12h or 30d, or "none".',
    ],
    [
      { maxStrikes: 0 },
      '"0" is not a value for maxStrikes (project).',
      "Write a whole number above 0.",
    ],
    [
      { maxStrikes: 1.5 },
      '"1.5" is not a value for maxStrikes (project).',
      "Write a whole number above 0.",
    ],
    [
      { maxStrikes: "-1" },
      '"-1" is not a value for maxStrikes (project).',
      "Write a whole number above 0.",
    ],
    [
      { maxStrikes: null },
      '"null" is not a value for maxStrikes (project).',
      "Write a whole number above 0.",
    ],
    [
      { archiveAfter: "none" },
      '"none" is not a value for archiveAfter (project).',
      'Write a duration such as 90s, 15m, 12h or 30d, or "never".',
    ],
    [
      { reset: { atHour: 24 } },
      '"24" is not a value for reset.atHour (project).',
      "Write an hour from 0 to 23.",
    ],
    [
      { reset: { surface: { phone: "daily" } } },
      '"{"phone":"daily"}" is not a value for reset.surface (project).',
      expect.stringContaining("chat"),
    ],
    [
      { "reset.channel": "support=weekly" },
      '"support=weekly" is not a value for reset.channel (project).',
      expect.stringContaining("name=value"),
    ],
    [["maxStrikes"], "The settings from project are not names with values.", expect.any(String)],
    ["maxStrikes", "The settings from project are not names with values.", expect.any(String)],
  ])("%j", (values, message, hint) => {
    const resolve = () => resolveSettings([layer({ maxStrikes: 1 }, "flag"), layer(values)]);
    expect(resolve).toThrow(UsageError);
    expect(resolve).toThrow(expect.objectContaining({ message, hint }));
  });
});

describe("the environment", () => {
  test.each([
    ["onResumeFailure", "REPRISE_ON_RESUME_FAILURE"],
    ["budget.maxAge", "REPRISE_BUDGET_MAX_AGE"],
    ["maxStrikes", "REPRISE_MAX_STRIKES"],
  ] as const)("%s is %s", (name, variable) => {
    expect(environmentName(name)).toBe(variable);
  });

  test("gives texts, and holds other things too", () => {
    const env = {
      REPRISE_MAX_STRIKES: "7",
      REPRISE_BUDGET_MAX_AGE: "12h",
      REPRISE_END_GRACE: "",
      REPRISE_HOME: "/somewhere",
      PATH: "/bin",
    };
    const { values } = resolveSettings([environmentLayer(env)]);
    expect(values.maxStrikes).toBe(7);
    expect(values["budget.maxAge"]).toBe(12 * 3600 * 1000);
    expect(values.endGrace).toBe(5000);
  });

  test("a bad value is an error", () => {
    expect(() => resolveSettings([environmentLayer({ REPRISE_MAX_STRIKES: "many" })])).toThrow(
      '"many" is not a value for maxStrikes (environment).',
    );
  });
});

describe("durations", () => {
  test.each([
    ["90s", 90_000],
    ["15m", 900_000],
    ["12h", 43_200_000],
    ["30d", 2_592_000_000],
    ["250ms", 250],
  ])("%s", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
    expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
  });

  test.each(["", "90", "s", "-1s", "1.5h", "1 h", "1h30m", "1y"])("%j is none", (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  test.each([
    [0, "0ms"],
    [1500, "1500ms"],
    [90_000, "90s"],
    [3_600_000, "1h"],
    [172_800_000, "2d"],
  ])("%i is written as %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  test.each([
    [0, "0ms"],
    [1500, "1s"],
    [86_399_999, "23h"],
    [31 * 86_400_000 + 1, "31d"],
  ])("%i is about %s", (milliseconds, text) => {
    expect(roughDuration(milliseconds)).toBe(text);
  });
});

describe("V3: the settings file of a project", () => {
  const project = (values: unknown) => resolveSettings([{ origin: "p", values, scope: "project" }]);

  test("V3: sets what is declared for projects and nothing else", () => {
    const { list } = resolveSettings([]);
    const own = list()
      .filter(({ scopes }) => !scopes.includes("project"))
      .map(({ name }) => name);
    expect(own).toEqual(
      expect.arrayContaining(["archiveAfter", "prune.mode", "reset.mode", "acrossAccounts"]),
    );
    for (const { name, value, scopes } of list()) {
      const { ignored, list: resolved } = project({ [name]: value });
      const { origin } = resolved().find((each) => each.name === name)!;
      expect([name, origin, ignored.length]).toEqual(
        scopes.includes("project") ? [name, "p", 0] : [name, "default", 1],
      );
    }
  });

  test("V3: what it may not set, and what is wrong in it, is named and stops nothing", () => {
    const { values, ignored } = project({
      archiveAfter: "1s",
      prune: { mode: "enforce", after: "1s" },
      turnTimeout: "soon",
      nope: 1,
      maxStrikes: 5,
    });
    expect(values).toMatchObject({ archiveAfter: null, "prune.mode": "warn", maxStrikes: 5 });
    expect(ignored).toEqual([
      'Ignored in p: A project folder cannot set archiveAfter: it may come with a repository that is not yours. Set it in your own settings with the Reprise command "config set archiveAfter VALUE".',
      expect.stringContaining("cannot set prune.mode"),
      expect.stringContaining("cannot set prune.after"),
      expect.stringContaining('"soon" is not a value for turnTimeout'),
      expect.stringContaining('no setting "nope"'),
    ]);
    expect(project(["a list"]).ignored).toHaveLength(1);
  });
});
