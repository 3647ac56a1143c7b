import { expect, test } from "vitest";
import { effectiveAgent, settingsForTurn } from "./policy.ts";

const agent = { name: "coder", settings: { home: "/a", sandbox: "read-only" } };

test("an agent has its own settings, unless the turn gives others or takes them away", () => {
  expect(effectiveAgent(agent, {})).toBe(agent);
  expect(effectiveAgent(agent, { settings: {} })).toBe(agent);
  expect(effectiveAgent(agent, { settings: { sandbox: null, profile: "x" } })).toEqual({
    name: "coder",
    settings: { home: "/a", profile: "x" },
  });
});

test("what a turn gives makes the settings exactly those that are wanted", () => {
  for (const wanted of [{}, { home: "/a" }, { home: "/b", extra: "1" }, agent.settings]) {
    const settings = settingsForTurn(agent.settings, wanted);
    expect(effectiveAgent(agent, { settings }).settings).toEqual(wanted);
  }
  expect(settingsForTurn(agent.settings, agent.settings)).toEqual({});
});
