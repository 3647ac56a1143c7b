/** C01 on the real agents. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { coupling } from "./c01-coupling.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { Database } from "./database.ts";
import { onRealAgents } from "./real-agents.ts";
import { onAgent } from "./real-subject.ts";
import { failed, recall, remember, secret, witnessed } from "./subject.ts";

onRealAgents("C01", (provider, start) => {
  coupling(provider, start);

  test(`C01/${provider}: agent: another provider takes the key over ⇒ reseed there`, async () => {
    await using subject = await start();
    await subject.begin();
    const home = join(subject.root, "scripted");
    using database = new Database(subject);
    database.change("UPDATE agent SET provider = 'scripted', settings = :settings", {
      settings: JSON.stringify({ home }),
    });
    const { turn, launches } = await subject.send(recall);
    expect(launches).toEqual([]);
    const ledger = readFileSync(join(home, "ledger.jsonl"), "utf8").split("\n");
    const [begun, model] = ledger.slice(0, 2).map((line) => JSON.parse(line));
    expect(begun).toMatchObject({ event: "start", resume: false });
    expect(model).toMatchObject({ event: "model", history: 0 });
    expect(model.prompt).toContain(remember);
    expect(turn).toMatchObject({
      decision: { outcome: "reseed", reason: "agent" },
      output: secret,
    });
    expect(failed(turn)).toContain("agent");
  });
});

onAgent("claude", "C01", () => {
  test("S4 C01/claude: a fork of claude on the second turn ⇒ reseed with the whole transcript, and back", async () => {
    await using subject = await startClaude();
    const id = await subject.begin();
    await subject.send("echo PEAR");
    const own = subject.agentSettings().binary!;
    const openclaude = join(subject.root, "openclaude");
    const version = '[ "$*" = --version ] && exec echo "0.9.1 (openclaude)"';
    writeFileSync(openclaude, `#!/bin/sh\n${version}\nexec "${own}" "$@"\n`, { mode: 0o755 });
    await subject.reprise.agents.set({ name: "coder", settings: { binary: openclaude } });

    const taken = await subject.send(recall);
    expect(witnessed(taken, id)).toBe("reseed");
    expect(taken.calls[0]?.prompt).toContain("PEAR");
    expect(failed(taken.turn)).toEqual(["runtime"]);
    expect(taken.turn).toMatchObject({
      decision: { outcome: "reseed", reason: "runtime" },
      output: expect.stringContaining(secret),
    });
    const next = await subject.send(recall);
    expect(witnessed(next, taken.calls[0]!.session)).toBe("resume");
    await subject.reprise.agents.set({ name: "coder", settings: { binary: own } });
    expect(witnessed(await subject.send(recall), id)).toBe("reseed");
  });
});
