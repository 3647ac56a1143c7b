/** C01 on the real agents. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { coupling } from "./c01-coupling.cases.ts";
import { Database } from "./database.ts";
import { onRealAgents } from "./real-agents.ts";
import { failed, recall, remember, secret } from "./subject.ts";

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
