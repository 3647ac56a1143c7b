import { UsageError } from "@reprise/core/errors/errors";
import { describe, expect, test } from "vitest";
import { checkSettings } from "./settings.ts";

describe("settings", () => {
  test("accepts codex's settings", () => {
    checkSettings({
      binary: "/usr/bin/codex",
      home: "/home/user/.codex-reviewer",
      sandbox: "bypass",
      instructions: "Be brief.",
      "config.model_reasoning_effort": "high",
      "config.model_providers.mine.env_http_headers.x": "NAME",
      "config.model_providers.other": '{ name = "x", env_http_headers = { x = "NAME" } }',
    });
  });

  // No setting can add session flags: there is none for further arguments.
  test.each([
    ["args", "resume --last"],
    ["toString", "x"],
    ["home", "codex"],
    ["home", ""],
    ["binary", "./codex"],
    ["config.", "x"],
    ["config.--last", "x"],
    ["config.a b", "x"],
    ["config.a.", "x"],
    ["sandbox", "none"],
    ["sandbox", "constructor"],
    ["ephemeral", "true"],
    ["config.model_providers.mine.experimental_bearer_token", "secret"],
    ["config.model_providers.mine.http_headers.Authorization", "secret"],
    ["config.model_providers.mine", '{ name = "x", experimental_bearer_token = "secret" }'],
    ["config.sqlite_home", "/elsewhere"],
  ])("refuses %s=%s", (name, value) => {
    expect(() => checkSettings({ [name]: value })).toThrow(UsageError);
  });

  test("names the setting that was meant", () => {
    expect(() => checkSettings({ sandbx: "read-only" })).toThrow(
      expect.objectContaining({ hint: 'Did you mean "sandbox"?' }),
    );
  });
});
