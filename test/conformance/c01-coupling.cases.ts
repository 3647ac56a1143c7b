/**
 * C01 for every provider: each guard failing alone has exactly the outcome of the table, seen by the
 * witness both ways: the flag that continues a session, and the transcript in what the model was sent.
 */

import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Send } from "@reprise/core/api/reprise";
import { describe, expect, test } from "vitest";
import { Database } from "./database.ts";
import { lacks, type Need, testWithHistory } from "./lacks.ts";
import {
  codes,
  failed,
  key,
  recall,
  remember,
  type StartSubject,
  type Subject,
  type SubjectOptions,
  secret,
  witnessed,
} from "./subject.ts";

interface Case {
  readonly what: string;
  readonly start?: SubjectOptions;
  /** On the first turn. */
  readonly first?: Partial<Send>;
  /** Between the two turns. */
  readonly change?: (subject: Subject, id: string) => void | Promise<void>;
  readonly send?: (subject: Subject) => Partial<Send>;
  readonly outcome: "resume" | "reseed" | "blank" | "refuse";
  readonly reason: string;
  /** The guards that fail; by default only the reason's. */
  readonly fails?: readonly string[];
  readonly notice?: string;
  readonly needs?: Need;
}

const all: readonly Case[] = [
  { what: "every guard holds", outcome: "resume", reason: "all-hold", fails: [] },
  {
    what: "policy: --reseed",
    send: () => ({ continuity: "reseed" }),
    outcome: "reseed",
    reason: "policy",
  },
  {
    what: "policy: --blank",
    send: () => ({ continuity: "blank" }),
    outcome: "blank",
    reason: "policy",
  },
  {
    what: "policy: the surface of a workflow's node",
    send: () => ({ surface: "node" }),
    outcome: "blank",
    reason: "policy",
  },
  {
    what: "policy: the mode inherit_fresh",
    send: () => ({ surface: "node", mode: "inherit_fresh" }),
    outcome: "blank",
    reason: "policy",
  },
  {
    what: "policy holds: the mode inherit_resume",
    send: () => ({ surface: "node", mode: "inherit_resume" }),
    outcome: "resume",
    reason: "all-hold",
    fails: [],
  },
  {
    what: "policy: the setting for regular agents",
    start: { settings: { regularAgentSessions: "fresh" } },
    send: () => ({ surface: "agent", busy: "wait" }),
    outcome: "blank",
    reason: "policy",
  },
  {
    what: "policy: the agent's own setting, over the one for all",
    change: async ({ reprise }) => {
      await reprise.agents.set({ name: "coder", sessions: "fresh" });
    },
    send: () => ({ surface: "agent", busy: "wait" }),
    outcome: "blank",
    reason: "policy",
  },
  {
    needs: "builds",
    what: "capability",
    start: { before: (subject) => subject.removeResume() },
    outcome: "reseed",
    reason: "capability",
  },
  {
    what: "history: an earlier message was edited",
    change: (subject) => {
      using database = new Database(subject);
      database.editMessage(remember, `${remember}, and a pear`);
    },
    outcome: "reseed",
    reason: "history",
  },
  {
    what: "folder",
    send: (subject) => ({ folder: subject.newFolder("elsewhere") }),
    outcome: "reseed",
    reason: "folder",
  },
  {
    what: "folder holds: a symlink equals its target",
    send: (subject) => {
      symlinkSync(subject.folder, join(subject.root, "link"));
      return { folder: join(subject.root, "link") };
    },
    outcome: "resume",
    reason: "all-hold",
    fails: [],
  },
  {
    what: "runtime",
    change: (subject) => subject.changeRuntime(),
    outcome: "reseed",
    reason: "runtime",
  },
  {
    what: "model, where another one asks for a new session",
    start: { settings: { onModelChange: "reseed" } },
    first: { model: "small" },
    send: () => ({ model: "large" }),
    outcome: "reseed",
    reason: "model",
  },
  {
    what: "model holds: another one is taken on a resumed turn",
    first: { model: "small" },
    send: () => ({ model: "large" }),
    outcome: "resume",
    reason: "all-hold",
    fails: [],
    notice: "model",
  },
  {
    needs: "account",
    what: "account",
    change: (subject) => subject.changeAccount(),
    outcome: "refuse",
    reason: "account",
  },
  {
    needs: "account",
    what: "account, where the transcript may cross",
    start: { settings: { acrossAccounts: "reseed" } },
    change: (subject) => subject.changeAccount(),
    outcome: "reseed",
    reason: "account",
  },
  {
    what: "instructions, where changed ones ask for a new session",
    start: { settings: { onInstructionsChange: "reseed" }, instructions: "Be brief." },
    change: changeInstructions,
    outcome: "reseed",
    reason: "instructions",
  },
  {
    what: "instructions hold: the new ones travel in the turn",
    start: { instructions: "Be brief." },
    change: changeInstructions,
    outcome: "resume",
    reason: "all-hold",
    fails: [],
    notice: "instructions",
  },
  {
    needs: "history",
    what: "intact: lost, and there is no checkpoint",
    change: (subject, id) => {
      rmSync(subject.sessionFile(id));
      using database = new Database(subject);
      database.dropCheckpoints();
    },
    outcome: "reseed",
    reason: "intact",
  },
  {
    what: "healthy: an unknown failure was one too many",
    start: { settings: { maxStrikes: 1 } },
    change: async (subject) => {
      subject.misbehave("unknown-failure");
      const { turn } = await subject.send("echo fail");
      expect(turn.turn.status).toBe("failed");
    },
    outcome: "reseed",
    reason: "healthy",
  },
  {
    needs: "history",
    what: "budget: reseed",
    start: { settings: { "budget.maxBytes": 1, "budget.over": "reseed" } },
    outcome: "reseed",
    reason: "budget",
  },
  {
    what: "budget: refuse",
    start: { settings: { "budget.maxTokens": 1, "budget.over": "refuse" } },
    outcome: "refuse",
    reason: "budget",
  },
  {
    needs: "history",
    what: "budget holds: warn",
    start: { settings: { "budget.maxBytes": 1 } },
    outcome: "resume",
    reason: "all-hold",
    fails: [],
    notice: "over-budget",
  },
  {
    what: "an archived key",
    change: (subject) => {
      using database = new Database(subject);
      database.change("UPDATE session SET archived_at = 1");
    },
    outcome: "refuse",
    reason: "archived",
    fails: [],
  },
  {
    what: "onResumeFailure: fail",
    start: { settings: { onResumeFailure: "fail" } },
    send: (subject) => ({ folder: subject.newFolder("elsewhere") }),
    outcome: "refuse",
    reason: "resume-failure",
    fails: ["folder"],
  },
  {
    needs: "history",
    what: "a checkpoint of a newer version",
    change: (subject, id) => {
      rmSync(subject.sessionFile(id));
      using database = new Database(subject);
      database.change("UPDATE checkpoint SET version = version + 1");
    },
    outcome: "refuse",
    reason: "checkpoint",
    fails: ["intact"],
  },
  {
    needs: "account",
    what: "two guards at once: the refusal comes before the new session",
    change: (subject) => subject.changeAccount(),
    send: (subject) => ({ folder: subject.newFolder("elsewhere") }),
    outcome: "refuse",
    reason: "account",
    fails: ["folder", "account"],
  },
  {
    needs: "account",
    what: "two guards at once: blank by policy comes before the refusal",
    change: (subject) => subject.changeAccount(),
    send: () => ({ continuity: "blank" }),
    outcome: "blank",
    reason: "policy",
    fails: ["policy", "account"],
  },
];

async function changeInstructions({ reprise }: Subject): Promise<void> {
  await reprise.agents.set({ name: "coder", settings: { instructions: "Be thorough." } });
}

export function coupling(provider: string, start: StartSubject): void {
  describe("each guard alone", () => {
    const cases = all.filter(({ needs }) => needs === undefined || !lacks(provider, needs));
    for (const each of cases) {
      test(`C01/${provider}: ${each.what} ⇒ ${each.outcome}`, async () => {
        await using subject = await start(each.start);
        const id = await subject.begin(each.first);
        await each.change?.(subject, id);
        const seen = await subject.send(recall, each.send?.(subject));

        expect(witnessed(seen, id)).toBe(each.outcome);
        const { decision, turn, output } = seen.turn;
        expect(decision).toMatchObject({ outcome: each.outcome, reason: each.reason });
        expect(failed(seen.turn)).toEqual(each.fails ?? [each.reason]);
        expect(turn.status).toBe(each.outcome === "refuse" ? "refused" : "done");
        if (each.outcome !== "refuse")
          expect(output?.includes(secret)).toBe(each.outcome !== "blank");
        if (each.outcome === "refuse") expect(seen.turn.error?.hint).toBeTruthy();
        if (each.notice) expect(codes(seen.turn)).toContain(each.notice);
      });
    }
  });

  testWithHistory(
    provider,
    `C01/${provider}: prior: a first turn is blank, and one that was never saved is reseeded`,
    async () => {
      await using subject = await start();
      subject.misbehave("ghost");
      const first = await subject.send(remember);
      expect(first.turn.decision).toMatchObject({ outcome: "blank", reason: "prior" });
      expect(first.launches).toMatchObject([{ resumed: null }]);
      expect(first.calls).toMatchObject([{ earlier: 0, prompt: remember }]);

      const second = await subject.send(recall);
      expect(witnessed(second, null)).toBe("reseed");
      expect(second.turn.decision).toMatchObject({ outcome: "reseed", reason: "prior" });
      expect(failed(second.turn)).toEqual(["prior"]);
    },
  );

  test(`C01/${provider}: agent: another agent answered in between ⇒ reseed, or resume and a catch-up`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    await subject.createAgent("reviewer");

    const other = await subject.send(recall, { agent: "reviewer" });
    expect(witnessed(other, id)).toBe("reseed");
    expect(other.turn.decision).toMatchObject({ outcome: "reseed", reason: "prior" });
    expect(failed(other.turn)).toContain("agent");
    await subject.send("echo PEAR", { agent: "reviewer" });

    await subject.open({ settings: { onAdvanced: "catch-up" } });
    const caughtUp = await subject.send("echo next");
    expect(caughtUp.turn.decision).toMatchObject({ outcome: "resume", reason: "all-hold" });
    expect(caughtUp.launches).toMatchObject([{ resumed: id }]);
    expect(caughtUp.calls).toMatchObject([{ session: id, earlier: 2 }]);
    expect(caughtUp.calls[0]?.prompt).toContain("PEAR");
    expect(caughtUp.calls[0]?.prompt).not.toContain(remember);

    await subject.send("echo PLUM", { agent: "reviewer" });
    await subject.open();
    const back = await subject.send(recall);
    expect(witnessed(back, id)).toBe("reseed");
    expect(back.turn.decision).toMatchObject({ outcome: "reseed", reason: "agent" });
  });

  test(`C01/${provider}: what was blanked is not sent again by a later reseed`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    await subject.send("echo new matter", { continuity: "blank" });
    const seen = await subject.send(recall, { continuity: "reseed" });
    expect(witnessed(seen, id)).toBe("blank");
    expect(seen.turn.decision?.outcome).toBe("reseed");
    expect(seen.calls[0]?.prompt).toContain("new matter");
  });

  test(`C01/${provider}: inherit_resume with nothing to continue from ⇒ refuse`, async () => {
    await using subject = await start();
    const seen = await subject.send("echo hello", { surface: "node", mode: "inherit_resume" });
    expect(witnessed(seen, null)).toBe("refuse");
    expect(seen.turn.decision).toMatchObject({ outcome: "refuse", reason: "prior" });
    expect(await subject.reprise.sessions.show(key)).toMatchObject({ handle: null });
  });
}
