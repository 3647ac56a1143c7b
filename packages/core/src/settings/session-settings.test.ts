import { expect, test } from "vitest";
import { UsageError } from "../errors/errors.ts";
import {
  readSessionSettings,
  resolveSettings,
  sessionSettingNames,
  withSession,
} from "./settings.ts";

const day = 24 * 3600 * 1000;
const { values: global } = resolveSettings([
  { origin: "project", values: { archiveAfter: "90d", reset: { channel: { support: "daily" } } } },
]);

test("a session may have these of its own", () => {
  expect(sessionSettingNames).toEqual(
    expect.arrayContaining([
      "archiveAfter",
      "budget.maxAge",
      "budget.maxBytes",
      "budget.maxTokens",
      "budget.over",
      "onAdvanced",
      "onResumeFailure",
      "reset.mode",
      "reset.atHour",
      "reset.idleMinutes",
    ]),
  );
  for (const name of ["prune.after", "prune.mode", "turnTimeout", "maxStrikes"] as const)
    expect(sessionSettingNames).not.toContain(name);
});

test("they are written as a person would, and null takes one away", () => {
  expect(
    readSessionSettings({ archiveAfter: "720h", "budget.maxTokens": "1000", "reset.mode": null }),
  ).toEqual({ archiveAfter: "30d", "budget.maxTokens": 1000, "reset.mode": null });
});

test("its own come before those of all", () => {
  expect(withSession(global, {})).toBe(global);
  expect(withSession(global, { archiveAfter: "30d" }).archiveAfter).toBe(30 * day);
  expect(withSession(global, { archiveAfter: "never" }).archiveAfter).toBeNull();
  expect(withSession(global, { "budget.over": "refuse" })).toEqual({
    ...global,
    "budget.over": "refuse",
  });
});

test("its own mode of reset comes before its channel's", () => {
  expect(withSession(global, { "reset.mode": "none" })["reset.channel"]).toEqual({});
  expect(withSession(global, { "reset.atHour": 6 })["reset.channel"]).toEqual({ support: "daily" });
});

test.each([
  ["prune.after", "1d", '"prune.after" cannot be set for a single session.'],
  ["archiveAfer", "1d", '"archiveAfer" cannot be set for a single session.'],
  ["archiveAfter", "soon", '"soon" is not a value for archiveAfter (session).'],
  ["toString", "1d", '"toString" cannot be set for a single session.'],
])("%s=%s is a mistake", (name, value, message) => {
  const read = () => readSessionSettings({ [name]: value });
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
});
