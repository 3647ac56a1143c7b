import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";

test.each([
  ["openai", "/responses", { input: "echo hello" }],
  ["chat", "/chat/completions", { messages: [{ role: "user", content: "echo hello" }] }],
  ["anthropic", "/v1/messages", { messages: [{ role: "user", content: "echo hello" }] }],
])(
  "serves the remembering model by hand as %s, and shows what it is asked",
  async (protocol, path, body) => {
    const program = join(import.meta.dirname, "serve.ts");
    const child = spawn(process.execPath, [program, "--protocol", protocol]);
    const ended = new Promise((resolve) => child.once("close", resolve));
    try {
      const line = (stream: NodeJS.ReadableStream) =>
        new Promise<string>((resolve) => createInterface(stream).once("line", resolve));
      const address = line(child.stdout);
      const shown = line(child.stderr);
      const response = await fetch(`${await address}${path}`, {
        method: "POST",
        body: JSON.stringify(body),
      });
      expect(await response.text()).toMatch(/"(text|content)":"hello"/);
      expect(await shown).toBe('#1: 1 messages, the last is "echo hello"');
    } finally {
      child.kill();
      await ended;
    }
  },
);
