/** Stopping a server while some work does not end. */

import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openReprise } from "@reprise/engine/open-reprise";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { appears } from "../../../../test/until.ts";
import { serve } from "./lifecycle.ts";

test("V5: stopping has a deadline, whatever is in flight", async () => {
  const folder = temporaryFolder("stop");
  const home = join(folder, "home");
  const [asked, go] = [join(folder, "asked"), join(folder, "go")];
  const program = join(folder, "hangs");
  writeFileSync(
    program,
    `#!/bin/sh\ntouch ${asked}\nwhile [ -e ${program} ] && [ ! -e ${go} ]; do sleep 0.05; done\nexit 1\n`,
  );
  chmodSync(program, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const reprise = await openReprise({ home, cwd: folder });
  await reprise.agents.create({
    name: "slow",
    provider: "codex",
    settings: { binary: program, home: folder },
  });
  await reprise.close();

  const lines: string[] = [];
  const serving = await serve({
    ...{ home, cwd: folder, host: "127.0.0.1", port: 0, version: "0.0.0", owner: "owner" },
    env: { ...process.env, REPRISE_PROBE_TIMEOUT: "1h" },
    ...{ level: "info", write: (line) => lines.push(line), now: Date.now, stopDeadline: 200 },
  });
  rmSync(asked, { force: true });
  const sending = fetch(`${serving.record.url}/v1/sessions/k/turns`, {
    method: "POST",
    headers: { authorization: `Bearer ${serving.token}`, "content-type": "application/json" },
    body: JSON.stringify({ agent: "slow", prompt: "hello" }),
  }).catch(() => null);
  await appears(asked);
  expect(await serving.stop()).toBe(false);
  expect(existsSync(join(home, "server.json"))).toBe(false);
  expect(lines.join("\n")).toContain("stopped without waiting");
  writeFileSync(go, "");
  await sending;
});
