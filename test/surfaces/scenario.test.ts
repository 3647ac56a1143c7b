/** One scenario through every surface leaves the same records. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEngine, openReprise } from "@reprise/engine/open-reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { surfaces, type TestedSurface } from "./surface.ts";

const workflow = `
name: noted
steps:
  author: { agent: scripted, session: author, prompt: remember FIG-2 }
  sign-off: { needs: author, gate: { title: "Publish?" } }
  final:
    needs: sign-off
    agent: scripted
    session: author
    prompt: what did I ask you to remember?
outputs:
  note: final.output
`;

const kept = `
name: kept
steps:
  a: { agent: scripted, session: { name: a, scope: workflow }, prompt: echo hi }
`;

let folder: string;

beforeEach(async () => {
  folder = temporaryFolder("scenario");
  writeFileSync(join(folder, "noted.yaml"), workflow);
  writeFileSync(join(folder, "kept.yaml"), kept);
  const reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  const settings = { home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  await reprise.close();
});

afterEach(() => rmSync(folder, { recursive: true }));

async function play(surface: TestedSurface): Promise<void> {
  const key = "wf:42:agent:coder";
  const asked = "what did I ask you to remember?";
  const begun = await surface.send({ key, agent: "coder", prompt: "remember PLUM-1" });
  expect(begun.outcome).toBe("blank");
  expect(await surface.send({ key, prompt: asked })).toEqual({
    outcome: "resume",
    output: "PLUM-1",
  });
  expect(await surface.explain(key)).toBe("resume");
  const reseeded = { key, prompt: asked, continuity: "reseed" } as const;
  expect(await surface.send(reseeded)).toEqual({ outcome: "reseed", output: "PLUM-1" });
  await surface.fork(key, "copy");
  expect(await surface.send({ key: "copy", prompt: asked })).toEqual({
    outcome: "resume",
    output: "PLUM-1",
  });
  expect(await surface.start(join(folder, "noted.yaml"), "run-1")).toBe("waiting");
  expect(await surface.answer(0)).toBe("done");
  expect(await surface.rerun("run-1", "final")).toBe("done");
  expect(await surface.start(join(folder, "kept.yaml"), "run-2")).toBe("done");
  expect(await surface.start(join(folder, "kept.yaml"), "run-3", "reseed")).toBe("done");
}

/** Everything that can be read of the home. */
async function records(): Promise<object> {
  const { engine, reprise } = await openEngine({ home: join(folder, "home"), cwd: folder });
  try {
    const sessions = await reprise.sessions.list();
    const shown = await Promise.all(sessions.map(({ key }) => reprise.sessions.show(key)));
    const turns = shown.flatMap(({ recent }) => recent.map(({ id }) => reprise.turns.why(id)));
    return withoutChance({
      events: await engine.store.readEvents({ after: 0, limit: 10_000 }),
      sessions: shown,
      turns: await Promise.all(turns),
      run: await reprise.runs.show("run-1"),
      reseeded: await reprise.runs.show("run-3"),
      inbox: await reprise.inbox.list({ all: true }),
    });
  } finally {
    await reprise.close();
  }
}

/** Ids and digests under the number of their first appearance, times as 0, the folder as a word. */
function withoutChance(value: object): object {
  const names = new Map<string, string>();
  const text = JSON.stringify(value, null, 1)
    .replaceAll(folder, "FOLDER")
    // The command line runs the bundle if it is newer than the sources.
    .replaceAll(/"[^"]*\/(scripted\/agent\.ts|dist\/scripted-agent\.js)"/g, '"AGENT"')
    .replaceAll(/\b1\d{12}\b/g, "0")
    .replaceAll(
      /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-z]{20}|[0-9a-f]{12,})\b/g,
      (id) => {
        const name = names.get(id) ?? `id-${names.size}`;
        names.set(id, name);
        return name;
      },
    );
  return JSON.parse(text);
}

let expected: object | null = null;

// Only a bound: on the command line it is ten processes, one after the other.
const bound = 120_000;

test.each(Object.keys(surfaces))("%s", { timeout: bound }, async (name) => {
  const surface = await surfaces[name]!(folder);
  try {
    await play(surface);
  } finally {
    await surface.close();
  }
  const found = await records();
  expect(found).toMatchObject({ reseeded: { executions: [{ outcome: "reseed" }] } });
  expected ??= found;
  expect(found).toEqual(expected);
});
