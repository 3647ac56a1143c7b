import { expect, test } from "vitest";
import type { LaunchAccess, LaunchRequest } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { accessFlags, given } from "./access.ts";
import { deniedIn } from "./denials.ts";

const request = (
  access: Partial<LaunchAccess>,
  settings: Record<string, string> = {},
  version = "0.166.0",
): LaunchRequest => ({
  agent: { name: "coder", settings, privateFolder: "/private", env: {} },
  binary: "/bin/codex",
  runtime: { product: "codex", home: "/home", version, abilities: [] },
  resume: null,
  newId: null,
  folder: "/work",
  model: null,
  access: { ...bySettings, named: true, ...access },
});

test.each([
  [{}, null],
  [{ sandbox: "read-only" }, "read"],
  [{ sandbox: "workspace-write" }, "edit"],
  [{ sandbox: "danger-full-access" }, "full"],
  [{ sandbox: "bypass" }, "full"],
  [{ "config.model_reasoning_effort": "high" }, null],
  [{ "config.sandbox_workspace_write.network_access": "true" }, "full"],
  [{ "config.mcp_servers.x.command": "sh" }, "full"],
  [{ sandbox: "read-only", "config.default_permissions": "x" }, "full"],
] as const)("S3: the settings %o give %s", (settings, level) => {
  expect(given(settings)).toBe(level);
});

test("S3: read and edit are a profile without --sandbox; settings that grant more are left out", () => {
  const settings = {
    sandbox: "bypass",
    "config.sandbox_mode": "x",
    "config.model_verbosity": "low",
  };
  const profile = (base: string) => [
    '--config=default_permissions="reprise"',
    `--config=permissions.reprise.extends=":${base}"`,
  ];
  expect(accessFlags(request({ level: "read" }, settings))).toEqual({
    sandbox: profile("read-only"),
    config: ["--config=model_verbosity=low"],
  });
  expect(accessFlags(request({ level: "edit" }, settings)).sandbox).toEqual(profile("workspace"));
});

test("V20: the profile denies hidden paths that exist", () => {
  const hidden = [import.meta.filename, "/not/there"];
  const { sandbox } = accessFlags(request({ level: "edit", hidden }));
  expect(sandbox.at(-1)).toBe(
    `--config=permissions.reprise.filesystem={${JSON.stringify(import.meta.filename)}="deny"}`,
  );
});

test("S3: a codex without profiles gets the flag", () => {
  expect(accessFlags(request({ level: "edit" }, {}, "0.120.3")).sandbox).toEqual([
    "--sandbox",
    "workspace-write",
  ]);
});

test("S3: full by name is danger-full-access; full from settings passes those on unchanged", () => {
  const danger = ["--sandbox", "danger-full-access"];
  expect(accessFlags(request({ level: "full" })).sandbox).toEqual(danger);
  const bypass = accessFlags(request({ level: "full", named: false }, { sandbox: "bypass" }));
  expect(bypass.sandbox).toEqual(["--dangerously-bypass-approvals-and-sandbox"]);
});

test("S3: denials are those of the last turn in the rollout", () => {
  const line = (type: string, payload: object) => JSON.stringify({ type, payload });
  const call = (id: string, cmd: string, output: string) => [
    line("response_item", {
      type: "function_call",
      name: "exec_command",
      arguments: JSON.stringify({ cmd }),
      call_id: id,
    }),
    line("response_item", { type: "function_call_output", call_id: id, output }),
  ];
  const started = line("event_msg", { type: "task_started" });
  const rollout = [
    started,
    ...call("1", "touch /a", "touch: /a: Read-only file system"),
    started,
    ...call("2", "ls", "a.txt"),
    ...call("3", "touch /b", "touch: /b: Read-only file system"),
    ...call("4", "apply_patch", "patch rejected: writing outside of the project"),
  ].join("\n");
  expect(deniedIn(rollout)).toEqual([
    { tool: "exec_command", detail: "touch /b" },
    { tool: "exec_command", detail: "apply_patch" },
  ]);
});
