import { UsageError } from "@reprise/core/errors/errors";
import { describe, expect, test } from "vitest";
import { binariesOf, checkSettings, permissionMode } from "./settings.ts";

describe("settings", () => {
  test("accepts claude's settings", () => {
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

  // No setting can add session flags: there is none for further arguments.
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

  test("claude asks a person only if set", () => {
    expect(permissionMode({})).toBe("dontAsk");
    expect(permissionMode({ permissions: "ask" })).toBe("default");
    expect(permissionMode({ permissionMode: "plan" })).toBe("plan");
  });

  test("binaries are tried in order", () => {
    expect(binariesOf({})).toEqual([]);
    expect(binariesOf({ binary: "/a/claude, claude,," })).toEqual(["/a/claude", "claude"]);
  });
});
