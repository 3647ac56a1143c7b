import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { denialMark, denialOf, type ToolRules } from "./rules.ts";

const root = temporaryFolder("pi-rules");
const [work, hidden] = [join(root, "work"), join(root, "hidden")];
const rules: ToolRules = { writable: work, commands: ["npm test"], hidden: [hidden] };
const denied = (tool: string, input: Record<string, unknown>, own: Partial<ToolRules> = {}) =>
  denialOf({ ...rules, ...own }, { toolName: tool, input }, work) !== null;

beforeAll(() => {
  for (const folder of [work, hidden]) mkdirSync(folder);
  symlinkSync(root, join(work, "out"));
  symlinkSync(hidden, join(root, "link-to-hidden"));
  symlinkSync(join(root, "nothing"), join(work, "dangling"));
  symlinkSync(join(work, "circle"), join(work, "circle"));
});
afterAll(() => rmSync(root, { recursive: true }));

describe("a call is denied", () => {
  test.each<[string, Record<string, unknown>, boolean]>([
    ["write", { path: "a.txt" }, false],
    ["write", { path: "not/there/yet.txt" }, false],
    ["edit", { path: join(work, "a.txt") }, false],
    ["write", { path: "" }, false],
    ["write", { path: join(root, "a.txt") }, true],
    ["write", { path: "../a.txt" }, true],
    ["write", { path: "out/a.txt" }, true],
    ["edit", { path: "dangling" }, true],
    ["write", { path: "circle/a.txt" }, true],
    ["write", { path: `${work}-beside/a.txt` }, true],
    ["write", { path: "~/a.txt" }, !homedir().startsWith(work)],
    ["write", { path: "@../a.txt" }, true],
    ["write", { path: "\u00a0/../../a.txt" }, true],
    ["write", { path: `file://${root}/a.txt` }, true],
    ["write", { path: `file://${work}/a.txt` }, false],
    ["write", {}, false],
    ["read", { path: "/etc/hostname" }, false],
    ["read", { path: join(hidden, "token") }, true],
    ["read", { path: "../link-to-hidden/token" }, true],
    ["ls", { path: "out/hidden" }, true],
    ["ls", {}, false],
    ["grep", { pattern: "x", path: "../hidden" }, true],
    ["find", { pattern: "*", path: "~" }, false],
    ["bash", { command: "npm test" }, false],
    ["bash", { command: "npm test; ls" }, true],
    ["bash", { command: " npm test" }, true],
    ["bash", {}, true],
    ["mcp__server__tool", {}, true],
  ])("%s %j: %s", (tool, input, expected) => {
    expect(denied(tool, input)).toBe(expected);
  });

  test("without a writable folder nothing is written, and a hidden one in it stays hidden", () => {
    expect(denied("write", { path: "a.txt" }, { writable: null })).toBe(true);
    expect(denied("write", { path: "../hidden/a" }, { writable: root })).toBe(true);
    expect(denied("read", { path: "../hidden/a" }, { writable: root })).toBe(true);
  });

  test("and it says so in words that the reader finds", () => {
    const said = denialOf(rules, { toolName: "write", input: { path: "/etc/x" } }, work);
    expect(said).toBe(`${denialMark} /etc/x is outside of ${work}.`);
  });
});
