/** Cases about turns that ask: one answer each, with who gave it and when, and how they are listed. */

import type { AskedQuestion } from "@reprise/core/session/question";
import type { Store } from "../../store.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { creation, current, done, item, step, stream, waiting } from "../runs/run-samples.ts";
import { blank, finish, hold, launch, owner, pin, someone } from "../samples.ts";

type Answering = Parameters<Store["answerTurn"]>[0];

const asked: AskedQuestion = {
  question: { id: "q1", kind: "question", tool: "ask", input: "Which?" },
  lost: [],
};
const answered = { type: "node.answered", data: { execution: "coder", attempt: 1, turn: "t1" } };

function answering(turn: string, overrides: Partial<Answering> = {}): Answering {
  return {
    turn,
    answer: { decision: "allow", answers: { "Which?": "This." } },
    by: "ann",
    event: null,
    owner: someone,
    at: 3000,
    ...overrides,
  };
}

/** A turn that waits for an answer, perhaps for a node of a run. */
async function asks(store: Store, id: string, at: number, run: string | null = null) {
  const origin = run === null ? null : { run, execution: "coder" };
  const held = await hold(store, id, `key-${id}`, { request: { origin } });
  await store.finishTurn(finish(held, { status: "waiting", asked, at }));
}

async function answers(store: Store, id: string): Promise<unknown[]> {
  const events = await store.readEvents({ after: 0, limit: 100, stream: `session:key-${id}` });
  return events.filter(({ type }) => type === "turn.answered").map(({ data }) => data);
}

export function questionCases(open: Open): void {
  describe("a turn that asks", () => {
    test("accepts one answer, with who gave it and when; a second one gets the first", async () => {
      const { store, reopen } = await use(open);
      await asks(store, "t1", 2000);
      expect(await store.readTurn("t1")).toMatchObject({
        askedAt: 2000,
        answer: null,
        answered: null,
      });
      const first = await store.answerTurn(answering("t1", { owner: owner(2) }));
      expect(first).toMatchObject({
        turn: {
          status: "running",
          owner: owner(2),
          asked,
          askedAt: 2000,
          answer: { decision: "allow", answers: { "Which?": "This." } },
          answered: { by: "ann", at: 3000 },
        },
        token: 2,
      });
      const other = await reopen();
      const late = answering("t1", { answer: { decision: "deny", message: "No." }, by: "bob" });
      expect(await other.answerTurn(late)).toEqual({ turn: first.turn, token: null });
      expect(await other.readTurn("t1")).toEqual(first.turn);
      expect(await answers(other, "t1")).toEqual([{ turn: "t1", decision: "allow", by: "ann" }]);

      await store.finishTurn(finish({ turn: "t1", token: 2 }, { at: 4000 }));
      expect(await store.readTurn("t1")).toMatchObject({
        status: "done",
        askedAt: 2000,
        answered: { by: "ann", at: 3000 },
      });
      await expect(store.answerTurn(answering("none"))).rejects.toMatchObject({ code: "no-turn" });
    });

    test("keeps the character NUL in what is sent, printed, asked, answered and recorded", async () => {
      const { store } = await use(open);
      const text =
        "a NUL \0, the escape character \u001a0 \u001a\u001a, and how JSON writes them: \\u0000 \\u001a0";
      await store.createRun(creation("r1"));
      const origin = { run: "r1", execution: "coder" };
      const held = await hold(store, "t1", "a", { request: { prompt: text, origin } });
      await store.recordLaunch({
        ...{ ...held, number: 1, at: 1600 },
        decided: { decision: { ...blank, notices: [] }, bumpEpoch: false },
        launch: { ...launch, model: text },
        argv: [text],
        handle: null,
      });
      const question = { ...asked.question, input: text };
      await store.finishTurn(
        finish(held, {
          status: "waiting",
          output: text,
          asked: { question, lost: [] },
          pin: pin("h1", { model: text }),
        }),
      );
      const recorded = { type: "node.answered", data: { text } };
      const { token } = await store.answerTurn(
        answering("t1", { answer: { decision: "deny", message: text }, event: recorded }),
      );
      const kept = {
        request: { prompt: text },
        output: text,
        asked: { question: { input: text } },
        answer: { message: text },
        attempts: [{ argv: [text], launch: { model: text } }],
      };
      expect(await store.listOpenTurns({ run: "r1", limit: 9 })).toMatchObject([kept]);
      const { turn } = await store.finishTurn(
        finish({ turn: "t1", token: token! }, { output: text }),
      );
      expect(turn).toMatchObject(kept);
      expect((await stream(store, "r1")).at(-1)?.data).toEqual({ text });
      expect(await store.listSessions({ folder: "/work", limit: 9 })).toHaveLength(1);
      expect(await store.load({ key: "a", agent: "coder" })).toMatchObject({
        pin: { model: text },
        lastLaunch: { folder: "/work" },
      });
      expect(await store.sumUsage({ by: "turn", limit: 9 })).toHaveLength(1);
    });

    test("again has no answer to the new question", async () => {
      const { store } = await use(open);
      await asks(store, "t1", 2000);
      const { token } = await store.answerTurn(answering("t1"));
      const again = { status: "waiting", asked, at: 4000 } as const;
      await store.finishTurn(finish({ turn: "t1", token: token! }, again));
      expect(await store.readTurn("t1")).toMatchObject({
        askedAt: 4000,
        answer: null,
        answered: null,
      });
    });

    test("appends the answer to its run in the same transaction, once, unless the run has ended", async () => {
      const { store } = await use(open);
      const run = await waiting(store, "r1", item("i1"));
      await asks(store, "t1", 2000, "r1");
      await asks(store, "t2", 2000, "r1");
      await store.answerTurn(answering("t1", { event: answered }));
      await store.answerTurn(answering("t1", { event: answered, by: "bob" }));
      expect(await current(store, "r1")).toMatchObject({ status: "running", seq: run.seq + 1 });
      expect((await stream(store, "r1")).at(-1)).toMatchObject({ ...answered, at: 3000 });

      const ended = await current(store, "r1");
      await store.advanceRun(step(ended, { events: [done("coder")], status: "done" }));
      expect(await store.answerTurn(answering("t2", { event: answered }))).toMatchObject({
        turn: { status: "running" },
      });
      expect(await current(store, "r1")).toMatchObject({ status: "done", seq: ended.seq + 1 });
    });

    test("is listed while it waits, oldest first; with `all`, every question, newest first", async () => {
      const { store, reopen } = await use(open);
      await waiting(store, "r1", item("i1"));
      await hold(store, "never", "key-never");
      // Opened in another order than they asked.
      for (const [id, at, run] of [
        ["ab1", 2300, null],
        ["ab2", 2100, "r1"],
        ["ac3", 2200, null],
        ["ad4", 2100, "r1"],
      ] as const)
        await asks(store, id, at, run);
      await store.answerTurn(answering("ac3"));
      const { token } = await store.answerTurn(answering("ad4"));
      await store.finishTurn(finish({ turn: "ad4", token: token! }));

      const other = await reopen();
      type Query = Omit<Parameters<Store["listQuestions"]>[0], "limit">;
      const ids = async (query: Query = {}, limit = 9) =>
        (await other.listQuestions({ ...query, limit })).map(({ id }) => id);
      expect(await ids()).toEqual(["ab2", "ab1"]);
      expect(await ids({ after: { openedAt: 2100, id: "ab2" } })).toEqual(["ab1"]);
      expect(await ids({ all: true })).toEqual(["ab1", "ac3", "ad4", "ab2"]);
      expect(await ids({ all: true }, 2)).toEqual(["ab1", "ac3"]);
      expect(await ids({ all: true, after: { openedAt: 2100, id: "ad4" } })).toEqual(["ab2"]);
      expect(await ids({ run: "r1" })).toEqual(["ab2"]);
      expect(await ids({ run: "r1", all: true })).toEqual(["ad4", "ab2"]);

      expect(await other.findQuestions("a", 9)).toEqual(["ab1", "ab2", "ac3", "ad4"]);
      expect(await other.findQuestions("ab", 1)).toEqual(["ab1"]);
      expect(await other.findQuestions("ne", 9)).toEqual([]);
    });
  });
}
