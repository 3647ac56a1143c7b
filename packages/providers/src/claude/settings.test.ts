import { UsageError } from "@reprise/core/errors/errors";
import { describe, expect, test } from "vitest";
import { binariesOf, checkSettings, permissionMode } from "./settings.ts";

describe("settings", () => {
  test("takes what claude has", () => {
    checkSettings({
      binary: "/opt/claude/claude, claude-next,claude",
      home: "/home/user/.claude-reviewer",
      permissionMode: "acceptEdits",
      permissions: "ask",
      allowedTools: "Edit,Bash(git *)",
      disallowedTools: "WebFetch",
      mcpConfig: "/home/user/mcp.json",
      instructions: "Be brief.",
    });
  });

  // Session flags can not come in: there is no way to add arguments at all.
  test.each<Record<string, string>>([
    { args: "--continue" },
    { toString: "x" },
    { home: "claude" },
    { binary: "./claude" },
    { binary: "claude,./claude" },
    { mcpConfig: "{}" },
    { permissionMode: "yolo" },
    { permissions: "maybe" },
    { permissions: "ask", permissionMode: "dontAsk" },
    { permissions: "ask", permissionMode: "bypassPermissions" },
  ])("refuses %j", (settings) => {
    expect(() => checkSettings(settings)).toThrow(UsageError);
  });

  test("nobody is asked unless it is set so", () => {
    expect(permissionMode({})).toBe("dontAsk");
    expect(permissionMode({ permissions: "ask" })).toBe("default");
    expect(permissionMode({ permissionMode: "plan" })).toBe("plan");
  });

  test("binaries are tried in order", () => {
    expect(binariesOf({})).toEqual([]);
    expect(binariesOf({ binary: "/a/claude, claude,," })).toEqual(["/a/claude", "claude"]);
  });
});
