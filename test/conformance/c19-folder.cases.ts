/** C19 for every provider: a key stays in its folder, until it is moved or the caller names another. */

import { renameSync } from "node:fs";
import { expect, test } from "vitest";
import { lacks } from "./lacks.ts";
import {
  failed,
  key,
  recall,
  type StartSubject,
  secret,
  type Watched,
  witnessed,
} from "./subject.ts";

export function staysInFolder(provider: string, start: StartSubject): void {
  /** Where the agent's own shell is; the scripted agent has none. */
  const asksShell = provider !== "scripted" && !lacks(provider, "tools");

  test(`S2 C19/${provider}: a caller in another folder resumes the session where it works`, async () => {
    await using subject = await start();
    const elsewhere = subject.newFolder("elsewhere");
    const id = await subject.begin({ cwd: subject.folder });
    const next = await subject.send(recall, { cwd: elsewhere });
    expect(witnessed(next, id)).toBe("resume");
    expect(next.turn.output).toContain(secret);
    expect(folderOf(next)).toBe(subject.folder);
    if (asksShell) {
      const { turn } = await subject.send("run pwd -P", { cwd: elsewhere });
      expect(turn.output).toContain(subject.folder);
    }
    const given = await subject.send(recall, { folder: elsewhere });
    expect(witnessed(given, id)).toBe("reseed");
    expect(failed(given.turn)).toEqual(["folder"]);
  });

  test(`S2 C19/${provider}: a new session works where its caller is`, async () => {
    await using subject = await start();
    const elsewhere = subject.newFolder("elsewhere");
    await subject.begin({ cwd: elsewhere });
    const { decision } = await subject.reprise.sessions.explain({ key, cwd: subject.folder });
    expect(decision).toMatchObject({ outcome: "resume" });
    expect(decision.verdicts.find(({ guard }) => guard === "folder")?.current).toBe(elsewhere);
  });

  test(`S2 C19/${provider}: a session that was moved stays where it was moved to`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const there = subject.newFolder("there");
    await subject.reprise.sessions.move({ key, folder: there });
    const next = await subject.send(recall, { cwd: subject.folder });
    expect(witnessed(next, id)).toBe("resume");
    expect(folderOf(next)).toBe(there);
    if (asksShell) expect((await subject.send("run pwd -P")).turn.output).toContain(there);
  });

  test(`S2 C19/${provider}: a turn that was cut off before a tool leaves the key in its folder`, async () => {
    await using subject = await start();
    const there = subject.newFolder("there");
    const hold = subject.hold();
    const stop = new AbortController();
    const sent = subject.send("echo first", { folder: there }, { signal: stop.signal });
    await hold.reached();
    stop.abort();
    expect((await sent).turn.turn.status).toBe("cancelled");
    hold.release();
    const next = await subject.send(recall);
    expect(next.turn.turn.status).toBe("done");
    expect(folderOf(next)).toBe(there);
  });

  test(`S2 C19/${provider}: a folder that is gone is refused, and nothing is launched`, async () => {
    await using subject = await start();
    const there = subject.newFolder("there");
    const id = await subject.begin({ folder: there });
    renameSync(there, `${there}-2`);
    for (const continuity of ["resume", "reseed", "blank"] as const) {
      const refused = await subject.send(recall, { continuity });
      expect(witnessed(refused, id)).toBe("refuse");
      expect(refused.turn).toMatchObject({
        turn: { status: "refused" },
        error: {
          code: "folder-gone",
          message: expect.stringContaining(there),
          hint: expect.stringContaining(`reprise.sessions.move({ key: "${key}"`),
        },
      });
    }
    await subject.reprise.sessions.move({ key, folder: `${there}-2` });
    expect(witnessed(await subject.send(recall), id)).toBe("resume");
  });
}

function folderOf({ turn }: Watched): string | undefined {
  return turn.decision?.verdicts.find(({ guard }) => guard === "folder")?.current;
}
