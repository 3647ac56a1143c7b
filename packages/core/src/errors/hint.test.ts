import { describe, expect, test } from "vitest";
import { asCommands } from "../api/verb-commands.ts";
import { command, option, renderHint, renderHints, slot, verb } from "./hint.ts";

describe("X1: one hint in the words of each surface", () => {
  test.each([
    [
      `Revive it with ${verb("sessions.revive", "fix-42")}, or use another key.`,
      'Revive it with reprise.sessions.revive("fix-42"), or use another key.',
      'Revive it with "reprise session revive fix-42", or use another key.',
    ],
    [
      `Or ${verb("sessions.move", { key: "a", folder: slot("DIR") })}.`,
      'Or reprise.sessions.move({ key: "a", folder: DIR }).',
      'Or "reprise session move a --folder DIR".',
    ],
    [
      verb("agents.set", { name: "coder", settings: { home: '/a "b" it\'s' } }),
      'reprise.agents.set({ name: "coder", settings: { home: "/a \\"b\\" it\'s" } })',
      `"reprise agent set coder --set 'home=/a "b" it'\\''s'"`,
    ],
    [
      `Name one with ${option("agent")} or ${option("fromStart")} or ${option("inputs.task")}.`,
      'Name one with the option "agent" or the option "fromStart" or the option "inputs.task".',
      "Name one with --agent or --from-start or --input task=VALUE.",
    ],
    [
      `Set it with ${command("passphrase set", "two words")}.`,
      "Set it with the Reprise command \"passphrase set 'two words'\".",
      "Set it with \"reprise passphrase set 'two words'\".",
    ],
    [
      verb("sessions.purge", "a", { force: true }),
      'reprise.sessions.purge("a", { force: true })',
      '"reprise session purge a --force"',
    ],
  ])("%#", (hint, library, commandLine) => {
    expect(hint).toBe(library);
    expect(asCommands(hint)).toBe(commandLine);
  });

  test("commands name the home that was given", () => {
    expect(asCommands(`See ${verb("runs.list")}.`, "reprise --home /h")).toBe(
      'See "reprise --home /h runs".',
    );
  });

  test.each([
    "reprise.sessions.revive(",
    'reprise.sessions.revive("fix-42"',
    'reprise.sessions.revive({ key "a" })',
    "reprise.sessions.vanish()",
    "reprise.constructor()",
    "Nothing to do.",
  ])("what is not such a reference stays as it is: %s", (text) => {
    expect(asCommands(text)).toBe(text);
  });

  test("a document: hints and notices of ours, and no field of an agent's", () => {
    const hint = verb("runs.list");
    const document = {
      error: { code: "x", message: "No.", hint },
      notices: [{ code: "y", text: hint }],
      outputs: { hint, text: hint },
      messages: [{ role: "assistant", text: hint }],
      none: null,
    };
    const seen = renderHints(document, (text) =>
      renderHint(text, { verb: () => "V", option: () => "O", command: () => "C" }),
    );
    expect(seen).toEqual({
      ...document,
      error: { code: "x", message: "No.", hint: "V" },
      notices: [{ code: "y", text: "V" }],
      // Only a hint beside a message is ours; this one has a text beside it.
      outputs: { hint: "V", text: hint },
    });
  });
});
