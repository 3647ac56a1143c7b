/** A checkpoint has the bytes that were judged, even if the provider's file grows before it is taken. */

import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "@reprise/providers/provider";
import { sessionName } from "@reprise/providers/scripted/files";
import { scripted } from "@reprise/providers/scripted/provider";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openEngine } from "../open-reprise.ts";

const key = "feature-42";
const agent = "coder";
let folder: string;
let opened: Awaited<ReturnType<typeof openEngine>>;
/** Called whenever a history was read. */
let afterObserve: () => void;

const provider: Provider = {
  ...scripted,
  manifest: { ...scripted.manifest, name: "watched", runners: [] },
  async observe(...input) {
    const history = await scripted.observe(...input);
    afterObserve();
    return history;
  },
};

beforeEach(async () => {
  folder = temporaryFolder("judged");
  afterObserve = () => {};
  opened = await openEngine({ home: join(folder, "home"), cwd: folder, providers: [provider] });
  const settings = { home: join(folder, "agent") };
  await opened.reprise.agents.create({ name: agent, provider: "watched", settings });
  await send("remember PLUM-1");
});

afterEach(async () => {
  await opened.reprise.close();
  rmSync(folder, { recursive: true });
});

async function send(prompt: string): Promise<void> {
  const { turn } = await opened.reprise.sessions.send({ key, agent, prompt });
  expect(turn.status).toBe("done");
}

async function pinnedHandle(): Promise<string> {
  const { pin } = await opened.engine.store.load({ key, agent });
  return pin!.handle.id;
}

/** In the agent's own program. */
async function typing(text: string): Promise<() => void> {
  const file = join(folder, "agent", sessionName(await pinnedHandle()));
  return () => {
    for (const role of ["user", "assistant"])
      appendFileSync(file, `${JSON.stringify({ role, text })}\n`);
  };
}

/** The file in each checkpoint is as long as the history that was judged. */
async function expectJudged(checkpoints: number): Promise<void> {
  const handle = await pinnedHandle();
  const { heads } = await opened.engine.store.readCheckpoints({ key, agent, handle });
  const stored = heads.map(({ files }) => files[0]?.size);
  expect(stored).toEqual(heads.map(({ standing }) => standing?.bytes));
  expect(stored).toHaveLength(checkpoints);
}

test("after a turn", async () => {
  const typeMore = await typing("too late");
  let reads = 0;
  afterObserve = () => {
    reads += 1;
    if (reads === 2) typeMore();
  };
  await send("echo second");
  expect(reads).toBe(2);
  await expectJudged(2);
});

test("when it was typed in the agent's own program", async () => {
  (await typing("in time"))();
  const typeMore = await typing("too late");
  afterObserve = () => {
    afterObserve = () => {};
    typeMore();
  };
  await send("echo second");
  await expectJudged(3);
});
