/** Cases about sessions, their pins and transcripts, and what is loaded for a decision. */

import type { Decision } from "@reprise/core/session/decision";
import type { TurnClaim } from "../../contract/turns.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import {
  attempt,
  blank,
  checkpoint,
  finish,
  hold,
  launch,
  message,
  opening,
  part,
  pin,
  reseed,
  someone,
} from "../samples.ts";

export function sessionCases(open: Open): void {
  describe("sessions", () => {
    test("begin with their first turn", async () => {
      const { store } = await use(open);
      expect(await store.readSession("a")).toBeNull();
      await store.openTurn(opening("t1", "a", { request: { channel: "mail" } }));
      expect(await store.readSession("a")).toEqual({
        key: "a",
        conversation: "a",
        agent: "coder",
        provider: "scripted",
        epoch: 0,
        archivedAt: null,
        compaction: null,
        held: [],
        settings: {},
        channel: "mail",
        turns: 0,
        handle: null,
        lastOutcome: null,
        lastStatus: null,
        status: "queued",
        createdAt: 1000,
        updatedAt: 1000,
      });
    });

    test("have the status and outcome of their last turn", async () => {
      const { store } = await use(open);
      const held = await hold(store, "t1", "a");
      await store.recordDecision({
        ...held,
        number: 1,
        decision: blank,
        bumpEpoch: false,
        at: 1600,
      });
      await store.finishTurn(finish(held, { attempt: attempt(), pin: pin("h1") }));
      expect(await store.readSession("a")).toMatchObject({
        turns: 1,
        handle: "h1",
        lastOutcome: "blank",
        lastStatus: "done",
        updatedAt: 2000,
      });
    });

    test("belong to the agent of the last turn that owned them", async () => {
      const { store } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
      const other = await hold(store, "t2", "a", {
        provider: "codex",
        request: { agent: "reviewer" },
      });
      await store.finishTurn(
        finish(other, { pin: pin("h2", { agent: "reviewer", provider: "codex" }) }),
      );
      expect(await store.readSession("a")).toMatchObject({
        agent: "reviewer",
        provider: "codex",
        handle: "h2",
      });

      const given = await store.openTurn(opening("t3", "a"));
      await store.finishTurn(finish({ turn: "t3", token: given.token }, { status: "cancelled" }));
      expect(await store.readSession("a")).toMatchObject({
        agent: "reviewer",
        handle: "h2",
        turns: 3,
        lastStatus: "cancelled",
        lastOutcome: null,
      });
    });

    test("are listed by key, in pages, for one agent or all", async () => {
      const { store } = await use(open);
      for (const key of ["c", "a", "b", "d"])
        await store.openTurn(
          opening(`turn-${key}`, key, { request: { agent: key === "b" ? "reviewer" : "coder" } }),
        );
      const keys = async (query: Parameters<typeof store.listSessions>[0]) =>
        (await store.listSessions(query)).map(({ key }) => key);
      expect(await keys({ limit: 10 })).toEqual(["a", "b", "c", "d"]);
      expect(await keys({ limit: 2 })).toEqual(["a", "b"]);
      expect(await keys({ limit: 2, after: "b" })).toEqual(["c", "d"]);
      expect(await keys({ limit: 10, agent: "coder" })).toEqual(["a", "c", "d"]);
      expect(await keys({ limit: 1, agent: "coder", after: "a" })).toEqual(["c"]);
    });

    test("are found by a part of their key or agent, in any case, among all of them", async () => {
      const { store } = await use(open);
      for (const key of ["Fix-42", "fix-1", "other", "wf_1"])
        await store.openTurn(
          opening(`turn-${key}`, key, { request: { agent: key === "other" ? "Fixer" : "coder" } }),
        );
      const keys = async (query: Parameters<typeof store.listSessions>[0]) =>
        (await store.listSessions(query)).map(({ key }) => key);
      expect(await keys({ limit: 10, q: "FIX" })).toEqual(["Fix-42", "fix-1", "other"]);
      expect(await keys({ limit: 1, q: "fix", after: "Fix-42" })).toEqual(["fix-1"]);
      expect(await keys({ limit: 10, q: "fix", agent: "coder" })).toEqual(["Fix-42", "fix-1"]);
      // Not a pattern.
      expect(await keys({ limit: 10, q: "_" })).toEqual(["wf_1"]);
      expect(await keys({ limit: 10, q: "%" })).toEqual([]);
    });

    test("L3: are listed by last use, with the status of a turn at work, and filtered and counted", async () => {
      const { store } = await use(open);
      await store.openTurn(opening("t1", "old", { at: 1000 }));
      await store.openTurn(opening("t2", "wf:r1:agent:coder", { at: 2000 }));
      await store.openTurn(opening("t3", "new", { at: 3000, request: { agent: "reviewer" } }));
      await store.openTurn(opening("t4", "old", { at: 4000 }));
      const keys = async (query: Omit<Parameters<typeof store.listSessions>[0], "limit">) =>
        (await store.listSessions({ order: "used", limit: 9, ...query })).map(({ key }) => key);
      expect(await keys({})).toEqual(["old", "new", "wf:r1:agent:coder"]);
      expect(await keys({ after: "old" })).toEqual(["new", "wf:r1:agent:coder"]);
      expect(await keys({ ofRuns: false })).toEqual(["old", "new"]);
      expect(await keys({ since: 2500 })).toEqual(["old", "new"]);
      expect(await keys({ status: "queued" })).toHaveLength(3);
      expect(await keys({ status: "archived" })).toEqual([]);
      expect(await keys({ folder: "/nowhere" })).toEqual([]);
      expect(await store.readSession("old")).toMatchObject({ lastStatus: null, status: "queued" });
      expect(await store.countSessions({})).toBe(3);
      expect(await store.countSessions({ ofRuns: false, agent: "reviewer" })).toBe(1);
    });

    test("count a failed history guard once per attempt", async () => {
      const { store } = await use(open);
      const held = await hold(store, "t1", "a");
      const record = { ...held, decision: reseed, bumpEpoch: true, at: 1600 };
      await store.recordDecision({ ...record, number: 1 });
      await store.recordDecision({ ...record, number: 1, decision: blank });
      expect(await store.readSession("a")).toMatchObject({ epoch: 1 });
      await store.recordDecision({ ...record, number: 1, bumpEpoch: false });
      expect(await store.readSession("a")).toMatchObject({ epoch: 0 });
      await store.recordDecision({ ...record, number: 1 });
      await store.endAttempt({
        ...held,
        attempt: attempt({ ending: "rejected" }),
        retire: null,
        at: 1700,
      });
      await store.recordDecision({ ...record, number: 2 });
      expect(await store.readSession("a")).toMatchObject({ epoch: 2 });
    });
  });

  describe("compaction", () => {
    const decided = (held: TurnClaim, decision: Decision) =>
      ({ ...held, number: 1, decision, bumpEpoch: false, at: 1600 }) as const;

    test("stays requested until a new provider session is confirmed", async () => {
      const { store } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
      await store.compactSession({ key: "a", focus: null, at: 3000 });
      const asked = await store.compactSession({ key: "a", focus: "the parser", at: 4000 });
      expect(asked.compaction).toEqual({ focus: "the parser", at: 3000 });

      const failed = await hold(store, "t2", "a");
      await store.recordDecision(decided(failed, reseed));
      await store.finishTurn(finish(failed, { status: "failed", attempt: attempt() }));
      expect(await store.readSession("a")).toMatchObject({ compaction: { at: 3000 } });

      const confirmed = await hold(store, "t3", "a");
      await store.recordDecision(decided(confirmed, reseed));
      await store.finishTurn(finish(confirmed, { attempt: attempt(), pin: pin("h2") }));
      expect(await store.readSession("a")).toMatchObject({ compaction: null });
    });

    test("by the provider itself is done when its attempt ends, with pin and checkpoint, once", async () => {
      const { store, reopen } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
      await store.compactSession({ key: "a", focus: null, at: 3000 });
      const held = await hold(store, "t2", "a");
      await store.recordDecision(decided(held, reseed));
      const end = {
        ...held,
        attempt: attempt({ ending: "compacted", handle: "h1" }),
        retire: null,
        pin: pin("h1", { tokens: 7 }),
        checkpoint: checkpoint([part("log", 0, new Uint8Array([1]))], { handle: "h1" }),
        compacted: true,
        at: 3100,
      } as const;
      await store.endAttempt(end);
      const again = await reopen();
      expect(await again.readSession("a")).toMatchObject({ compaction: null });
      expect(await again.load({ key: "a", agent: "coder" })).toMatchObject({
        pin: { tokens: 7 },
        checkpoint: { turn: "t2", handle: "h1" },
      });

      // A late call does not change what was written since.
      await again.compactSession({ key: "a", focus: "later", at: 3200 });
      await again.recordRestore({ ...held, pin: pin("h1", { tokens: 9 }), at: 3300 });
      await again.endAttempt(end);
      expect(await again.readSession("a")).toMatchObject({ compaction: { focus: "later" } });
      expect((await again.load({ key: "a", agent: "coder" })).pin).toMatchObject({ tokens: 9 });
      const events = await again.readEvents({ after: 0, limit: 100, stream: "session:a" });
      expect(events.filter(({ type }) => type === "session.compacted")).toHaveLength(1);
    });

    test("that did not happen stays requested", async () => {
      const { store } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
      await store.compactSession({ key: "a", focus: null, at: 3000 });
      const held = await hold(store, "t2", "a");
      await store.recordDecision(decided(held, reseed));
      const failed = attempt({ ending: "failed", handle: "h1" });
      await store.endAttempt({
        ...held,
        attempt: failed,
        retire: null,
        compacted: false,
        at: 3100,
      });
      expect(await store.readSession("a")).toMatchObject({ compaction: { at: 3000 } });
    });

    test("cannot be requested for a held or unknown session", async () => {
      const { store } = await use(open);
      const compact = { key: "a", focus: null, at: 3000 };
      await expect(store.compactSession(compact)).rejects.toMatchObject({ code: "no-session" });
      await store.openTurn(opening("t1", "a"));
      await store.holdSession({ key: "a", by: "gate", reason: null, at: 2000 });
      await expect(store.compactSession(compact)).rejects.toMatchObject({ code: "held" });
      expect(await store.readSession("a")).toMatchObject({ compaction: null });
    });
  });

  describe("load", () => {
    test("finds nothing under an unknown key", async () => {
      const { store } = await use(open);
      expect(await store.load({ key: "a", agent: "coder" })).toEqual({
        session: null,
        pin: null,
        pinVersion: null,
        retired: null,
        outline: [],
        checkpoint: null,
        purgedAt: null,
        askedLast: false,
        lastLaunch: null,
        limits: [],
      });
    });

    test("S10: says whether the last launched turn of the agent asked a question", async () => {
      const { store } = await use(open);
      const askedLast = async (name = "coder") =>
        (await store.load({ key: "a", agent: name })).askedLast;
      const launched = async (id: string) => {
        const held = await hold(store, id, "a");
        await store.recordDecision({
          ...held,
          number: 1,
          decision: blank,
          bumpEpoch: false,
          at: 1600,
        });
        await store.recordLaunch({ ...held, number: 1, launch, argv: [], handle: "h1", at: 1700 });
        return held;
      };
      const question = { id: "q1", kind: "question", tool: "ask", input: "Which?" } as const;
      const asked = { question, lost: [] };

      const first = await launched("t1");
      await store.finishTurn(finish(first, { status: "waiting", asked }));
      expect(await askedLast()).toBe(false);
      await store.finishTurn(finish(first, { status: "cancelled" }));
      expect(await askedLast()).toBe(true);
      expect(await askedLast("reviewer")).toBe(false);

      // A turn that ends before its launch does not reach the agent.
      await store.finishTurn(finish(await hold(store, "t2", "a"), { status: "failed" }));
      expect(await askedLast()).toBe(true);

      const permitted = await launched("t3");
      const permission = { question: { ...question, kind: "permission" }, lost: [] } as const;
      await store.finishTurn(finish(permitted, { status: "waiting", asked: permission }));
      await store.finishTurn(finish(permitted));
      expect(await askedLast()).toBe(false);
    });

    test("gives the agent's own pin and the whole conversation without its text", async () => {
      const { store } = await use(open);
      const answer = message("m2", { role: "assistant", turn: "t1" });
      await store.finishTurn(
        finish(await hold(store, "t1", "a"), {
          messages: [message("m1", { turn: "t1", opening: true }), answer],
          pin: pin("h1"),
        }),
      );
      const { text: _, ...outlined } = answer;
      const loaded = await store.load({ key: "a", agent: "coder" });
      expect(loaded.pin).toEqual(pin("h1"));
      expect(loaded.outline).toHaveLength(2);
      expect(loaded.outline[0]).toMatchObject({ id: "m1", opening: true });
      expect(loaded.outline[1]).toEqual(outlined);
      expect(loaded.session).toEqual(await store.readSession("a"));

      const other = await store.load({ key: "a", agent: "reviewer" });
      expect(other.pin).toBeNull();
      expect(other.outline).toHaveLength(2);
    });

    test("a retired handle stays retired, whatever is pinned later", async () => {
      const { store } = await use(open);
      const retire = { provider: "scripted", handle: "h1", reason: "poisoned" };
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1"), retire }));
      expect(await store.load({ key: "a", agent: "coder" })).toMatchObject({ retired: "poisoned" });

      await store.finishTurn(finish(await hold(store, "t2", "a"), { pin: pin("h2") }));
      expect(await store.load({ key: "a", agent: "coder" })).toMatchObject({ retired: null });

      const again = { ...retire, reason: "another reason" };
      await store.finishTurn(
        finish(await hold(store, "t3", "a"), { pin: pin("h1"), retire: again }),
      );
      expect(await store.load({ key: "a", agent: "coder" })).toMatchObject({ retired: "poisoned" });
      await store.finishTurn(
        finish(await hold(store, "t4", "b"), { pin: pin("h1", { provider: "codex" }) }),
      );
      expect(await store.load({ key: "b", agent: "coder" })).toMatchObject({ retired: null });
    });

    test("an ended attempt retires its handle while the turn continues", async () => {
      const { store } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
      const held = await hold(store, "t2", "a");
      const decided = { ...held, number: 1, decision: blank, bumpEpoch: false, at: 1600 };
      await store.recordDecision(decided);
      await store.recordLaunch({
        ...held,
        number: 1,
        launch,
        argv: ["agent"],
        handle: "h1",
        at: 1700,
      });
      await store.endAttempt({
        ...held,
        attempt: attempt({ ending: "rejected", handle: "h1" }),
        retire: { provider: "scripted", handle: "h1", reason: "missing" },
        at: 1800,
      });
      const loaded = await store.load({ key: "a", agent: "coder" });
      expect(loaded).toMatchObject({ retired: "missing", pin: { handle: { id: "h1" } } });
    });
  });

  describe("transcripts", () => {
    test("keep messages that were taken back, with the turn that found it", async () => {
      const { store } = await use(open);
      const first = await hold(store, "t1", "a");
      const said = [message("m1"), message("m2"), message("m3")];
      await store.finishTurn(finish(first, { messages: said, pin: pin("h1") }));
      const second = await hold(store, "t2", "a");
      const typed = [message("n1", { origin: "native" })];
      const back = { takenBack: ["m2", "m3"], pin: pin("h1"), at: 1600 };
      await store.importMessages({ ...second, messages: typed, ...back });
      await store.finishTurn(finish(second, { takenBack: ["m3", "n1"] }));
      const { session, outline } = await store.load({ key: "a", agent: "coder" });
      const marks = [
        ["m1", undefined],
        ["m2", "t2"],
        ["m3", "t2"],
        ["n1", "t2"],
      ];
      expect(outline.map(({ id, takenBack }) => [id, takenBack])).toEqual(marks);
      const transcript = await store.readTranscript(session?.conversation ?? "");
      expect(transcript.map(({ id, takenBack }) => [id, takenBack])).toEqual(marks);
    });

    test("keep the order in which messages were recorded", async () => {
      const { store } = await use(open);
      const first = await hold(store, "t1", "a");
      const imported = [message("n1", { origin: "native", at: 5 }), message("n2", { at: 4 })];
      await store.importMessages({ ...first, messages: imported, pin: pin("h1"), at: 1600 });
      expect((await store.load({ key: "a", agent: "coder" })).pin).toEqual(pin("h1"));
      const spoken = [message("m1", { at: 3, opening: true }), message("m2", { at: 2 })];
      await store.finishTurn(finish(first, { messages: spoken }));
      expect(await store.readTranscript("a")).toEqual([...imported, ...spoken]);
      expect(await store.readTranscript("b")).toEqual([]);
    });

    test("store a message once, at its first position", async () => {
      const { store } = await use(open);
      const held = await hold(store, "t1", "a");
      const [first, second, third] = [message("n1"), message("n2"), message("n3")];
      const record = { ...held, pin: pin("h1"), at: 1600 };
      await store.importMessages({ ...record, messages: [first, second] });
      await store.importMessages({ ...record, messages: [first, third] });
      expect(await store.readTranscript("a")).toEqual([first, second, third]);
    });

    test("store any text", async () => {
      const { store } = await use(open);
      const text = `quotes ' " \\ , a NUL \u0000, é, 你好, 🙂\r\n${"long ".repeat(50_000)}`;
      await store.finishTurn(
        finish(await hold(store, "t1", "a", { request: { prompt: text } }), {
          output: text,
          messages: [message("m1", { text })],
        }),
      );
      expect((await store.readTranscript("a"))[0]?.text).toBe(text);
      const turn = await store.readTurn("t1");
      expect(turn?.request.prompt).toBe(text);
      expect(turn?.output).toBe(text);
      expect(turn?.owner).toEqual(someone);
    });
  });
}
