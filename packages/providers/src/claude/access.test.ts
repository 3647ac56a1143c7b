import { describe, expect, test } from "vitest";
import type { LaunchAccess, LaunchRequest } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { given, policyOf, refusesAccess } from "./access.ts";

const request = (
  access: Partial<LaunchAccess>,
  settings: Record<string, string> = {},
): LaunchRequest => ({
  agent: { name: "coder", settings, privateFolder: "/private", env: {} },
  binary: "/bin/claude",
  runtime: { product: "claude-code", home: "/home", version: "2.1.325", abilities: [] },
  resume: null,
  newId: "id",
  folder: "/project",
  model: null,
  access: { ...bySettings, named: true, ...access },
});

test.each([
  [{}, null],
  [{ permissionMode: "dontAsk" }, null],
  [{ permissionMode: "acceptEdits" }, "edit"],
  [{ permissionMode: "bypassPermissions" }, "full"],
  [{ permissionMode: "auto" }, "full"],
  [{ allowedTools: "Read,WebFetch(domain:a.com)" }, "read"],
  [{ allowedTools: "Edit(src/**)" }, "edit"],
  [{ allowedTools: "Edit(./src/**),Read" }, "edit"],
  [{ allowedTools: "Write(**)" }, "edit"],
  [{ allowedTools: "Edit" }, "full"],
  [{ allowedTools: "Edit(//etc/**)" }, "full"],
  [{ allowedTools: "Edit(~/a)" }, "full"],
  [{ allowedTools: "Edit(../a)" }, "full"],
  [{ allowedTools: "Bash(*)" }, "full"],
  [{ allowedTools: "Bash(git *)" }, "full"],
  [{ allowedTools: "mcp__github" }, "full"],
] as const)("S3: the settings %o give %s", (settings, level) => {
  expect(given(settings)).toBe(level);
});

describe("S3: the flags for claude", () => {
  test("S3: read denies every tool that changes something, whatever the settings allow", () => {
    const settings = { permissionMode: "bypassPermissions", allowedTools: "Read,Bash(*),Edit" };
    expect(policyOf(request({ level: "read" }, settings))).toMatchObject({
      mode: "dontAsk",
      allow: ["Read"],
      deny: expect.arrayContaining(["Bash", "Monitor", "Edit", "Write", "NotebookEdit", "mcp__*"]),
    });
  });

  test("S3: edit allows edits in the work folder, and no command", () => {
    const policy = policyOf(request({ level: "edit" }, { allowedTools: "Bash(*)" }));
    expect(policy).toMatchObject({
      mode: "dontAsk",
      allow: [],
      deny: expect.arrayContaining(["Bash"]),
      paths: { allow: ["Edit(//project/**)"] },
      commands: null,
    });
  });

  test("S3: a hook judges named commands; a sandbox runs any command", () => {
    const named = policyOf(request({ level: "edit", allowedCommands: ["npm test"] }));
    expect(named.commands).toEqual(["npm test"]);
    expect(named.deny).not.toContain("Bash");
    const boxed = policyOf(request({ level: "edit", sandbox: true, hidden: ["/home/token"] }));
    expect(boxed).toMatchObject({
      commands: null,
      sandbox: {
        enabled: true,
        failIfUnavailable: true,
        allowUnsandboxedCommands: false,
        filesystem: { denyRead: ["//home/token"], denyWrite: ["//home/token"] },
      },
    });
  });

  test("V20: hidden paths are denied to the tools that read and to those that write", () => {
    for (const level of ["read", "edit"] as const) {
      const { paths } = policyOf(request({ level, hidden: ["/home/a [b]"] }));
      expect(paths.deny).toEqual([
        "Read(//home/a \\[b\\])",
        "Read(//home/a \\[b\\]/**)",
        "Edit(//home/a \\[b\\])",
        "Edit(//home/a \\[b\\]/**)",
      ]);
    }
  });

  test("S3: full by name bypasses permissions; full from settings passes those on unchanged", () => {
    expect(policyOf(request({ level: "full" })).mode).toBe("bypassPermissions");
    const given = policyOf(request({ level: "full", named: false }, { allowedTools: "Bash" }));
    expect(given).toMatchObject({ mode: "dontAsk", allow: ["Bash"], deny: [] });
  });
});

test("S3: as root full is refused before the launch, unless IS_SANDBOX is set", () => {
  const full = { level: "full", named: true } as const;
  expect(refusesAccess({ env: {} }, full, true)).toEqual({
    message: "claude refuses access full as root.",
    hint: expect.stringContaining("IS_SANDBOX=1"),
  });
  expect(refusesAccess({ env: { IS_SANDBOX: "1" } }, full, true)).toBeNull();
  expect(refusesAccess({ env: {} }, full, false)).toBeNull();
  expect(refusesAccess({ env: {} }, { level: "edit", named: true }, true)).toBeNull();
  expect(refusesAccess({ env: {} }, { level: "full", named: false }, true)).toBeNull();
});
