/** C02 on the real agents; the ids of claude are chosen by Reprise, those of codex by itself. */

import { expect, test } from "vitest";
import { newIds } from "./c02-new-ids.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { onRealAgents } from "./real-agents.ts";
import { onAgent } from "./real-subject.ts";
import { codes, remember } from "./subject.ts";

onRealAgents("C02", newIds);

onAgent("claude", "C02", () => {
  test("C02/claude: an id that is already in use ⇒ one retry with a new id", async () => {
    await using subject = await startClaude();
    subject.takeNextId();
    const { turn, launches, calls } = await subject.send(remember);
    expect(turn.turn.status).toBe("done");
    expect(codes(turn)).toHaveLength(1);
    expect(calls).toMatchObject([{ prompt: remember, earlier: 0 }]);
    const ids = launches.map(({ argv }) => argv.find((word) => word.startsWith("--session-id=")));
    expect(ids).toHaveLength(2);
    expect(ids[1]).toBe(`--session-id=${calls[0]?.session}`);
    expect(ids[0]).not.toBe(ids[1]);

    const next = await subject.send("echo on");
    expect(next.launches).toMatchObject([{ resumed: calls[0]?.session }]);
  });
});
