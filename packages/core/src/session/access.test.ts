import { describe, expect, test } from "vitest";
import {
  type Access,
  accessLevels,
  isAbove,
  isAllowedCommand,
  isPlainCommand,
  type NodeAccess,
  nodeAccess,
  turnAccess,
} from "./access.ts";

describe("S3: the access of a turn", () => {
  test.each<[agent: Access, settings: Access | null, turn: Access | null, string]>([
    ["edit", null, null, "edit"],
    ["read", null, null, "read"],
    ["full", null, null, "full"],
    ["edit", "read", null, "edit"],
    // A provider setting that gives more makes it that, and is passed on as it is.
    ["read", "edit", null, "edit by settings"],
    ["edit", "full", null, "full by settings"],
    ["full", "full", null, "full"],
    // The caller's word counts, up and down, whatever the settings give.
    ["edit", "full", "read", "read"],
    ["read", null, "full", "full"],
    ["full", "full", "edit", "edit"],
  ])("S3: agent %s, settings %s, turn %s: %s", (agent, settings, turn, expected) => {
    const { level, named } = turnAccess({ agent, settings, turn });
    expect(named ? level : `${level} by settings`).toBe(expected);
  });
});

describe("S3: the access of a node", () => {
  const nothing: NodeAccess = {
    node: null,
    settings: null,
    source: null,
    run: null,
    maxAccess: "edit",
  };
  const agent = (level: Access, named = true) => ({ source: { level, named } });
  const shown = (wanted: Partial<NodeAccess>) => {
    const decided = nodeAccess({ ...nothing, ...wanted });
    if (!decided.allowed) return `refused: ${decided.level} of ${decided.from}`;
    return decided.named ? decided.level : `${decided.level} by settings`;
  };

  test.each<[Partial<NodeAccess>, string]>([
    [{}, "edit"],
    [{ maxAccess: "read" }, "read"],
    [{ maxAccess: "full" }, "edit"],
    // A file lowers.
    [{ node: "read" }, "read"],
    [{ node: "read", ...agent("full") }, "read"],
    [{ node: "edit", ...agent("full", false) }, "edit"],
    [agent("read"), "read"],
    [{ settings: "read" }, "read"],
    [{ settings: "read", ...agent("full") }, "read"],
    // A file never raises.
    [{ node: "full" }, "refused: full of node"],
    [{ node: "edit", maxAccess: "read" }, "refused: edit of node"],
    [{ settings: "full" }, "refused: full of settings"],
    [{ node: "read", settings: "full" }, "refused: full of settings"],
    [agent("full"), "refused: full of source"],
    [agent("full", false), "refused: full of source"],
    [{ ...agent("edit"), maxAccess: "read" }, "refused: edit of source"],
    // The user's own maximum.
    [{ node: "full", maxAccess: "full" }, "full"],
    [{ settings: "full", maxAccess: "full" }, "full by settings"],
    [{ ...agent("full", false), maxAccess: "full" }, "full by settings"],
    // The caller's word for the run: the most that a node gets, and what it gets when it says nothing.
    [{ run: "full" }, "full"],
    [{ run: "full", node: "full" }, "full"],
    [{ run: "full", node: "read" }, "read"],
    [{ run: "full", ...agent("read") }, "read"],
    [{ run: "full", settings: "full" }, "full"],
    [{ run: "full", settings: "full", node: "edit" }, "full by settings"],
    [{ run: "edit", node: "full" }, "edit"],
    [{ run: "edit", settings: "full" }, "edit"],
    [{ run: "read" }, "read"],
    [{ run: "read", ...agent("full") }, "read"],
    [{ run: "edit", maxAccess: "read" }, "edit"],
  ])("S3: %o: %s", (wanted, expected) => {
    expect(shown(wanted)).toBe(expected);
  });

  test("S3: without a word for the run no combination is above the user's maximum", () => {
    const words = [null, ...accessLevels];
    for (const maxAccess of accessLevels)
      for (const node of words)
        for (const settings of words)
          for (const level of words) {
            const source = level === null ? null : { level, named: true };
            const decided = nodeAccess({ node, settings, source, run: null, maxAccess });
            expect(decided.allowed && isAbove(decided.level, maxAccess)).toBe(false);
          }
  });
});

test("S3: a command is allowed exactly as it is named, and never with a shell operator", () => {
  const allowed = ["npm test", "git diff"];
  expect(isAllowedCommand("npm test", allowed)).toBe(true);
  expect(isAllowedCommand("  npm test\t", allowed)).toBe(true);
  for (const command of [
    "npm tests",
    "npm test -- --watch",
    "npm test && rm -r .",
    "npm test; id",
    "npm test\nid",
    "npm test | sh",
    "npm test > a",
    "X=$(id) npm test",
    "git diff `id`",
    "",
  ])
    expect(isAllowedCommand(command, [...allowed, command])).toBe(
      isPlainCommand(command) && command.trim() !== "",
    );
  expect(isAllowedCommand("npm tests", allowed)).toBe(false);
  expect(isAllowedCommand("npm test && rm -r .", ["npm test && rm -r ."])).toBe(false);
});
