/** Cases about runs with unreliable deliveries: owners that die or lose the run, answers that race deadlines. */

import { setImmediate } from "node:timers/promises";
import { FencedError, StoreError } from "@reprise/core/errors/errors";
import type { StoredEvent } from "../../contract/events.ts";
import type { NewItem } from "../../contract/inbox.ts";
import type { Run } from "../../contract/runs.ts";
import type { Store } from "../../store.ts";
import { chaotic } from "../chaotic.ts";
import { clock, type Open, use } from "../fixture.ts";
import { randomFrom } from "../random.ts";
import { describe, expect, test } from "../runner.ts";
import { finish, hold, owner } from "../samples.ts";
import { allDue, approval, creation, deadline, item, step, stream } from "./run-samples.ts";

const runs = ["r1", "r2", "r3", "r4"];
const steps = [1, 2, 3, 4, 5, 6];
/** Steps that open a gate, which the next one waits for. */
const gates = [2, 4];
const due = 9000;

export function runChaosCases(open: Open): void {
  describe("chaos in runs", () => {
    test.each([1, 2, 3, 4, 5])("three carriers, two people and a clock, seed %i", async (seed) => {
      const { store, reopen } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "shared")));
      for (const id of runs) await store.createRun(creation(id));
      const unreliable = async (number: number) =>
        [chaotic(await reopen(), seed * 10 + number), randomFrom(seed * 100 + number)] as const;
      const given: string[] = [];
      const carrier = async (number: number) => {
        const [mine, random] = await unreliable(number);
        return async () => {
          for (const run of await mine.listActiveRuns({ limit: 99 }))
            await carry(mine, run, number, random);
        };
      };
      const person = async (number: number) => {
        const [mine, random] = await unreliable(number);
        return async () => {
          for (const { id } of await mine.listItems({ limit: 3 })) {
            const at = random() < 0.7 ? due - 1 : due;
            clock.now = at;
            const answer = await mine.answerItem(approval(id, { by: `p${number}`, at }));
            if (answer.given) given.push(id);
          }
        };
      };
      const timer = async () => {
        const [mine, random] = await unreliable(6);
        return async () => {
          if (random() < 0.7) return;
          clock.now = due;
          const rows = await mine.claimDue({ owner: "clock", limit: 1 });
          for (const { id } of rows) {
            await mine.expireItem({ item: id.slice("deadline:".length) });
            await mine.settleDue({ id, owner: "clock", again: null });
          }
        };
      };
      const hands = await Promise.all([carrier(1), carrier(2), carrier(3), person(4), person(5)]);
      await Promise.all(
        [...hands, await timer()].map(async (act) => {
          while ((await store.listRuns({ status: "done", limit: 9 })).length < runs.length) {
            await act();
            await setImmediate();
          }
        }),
      );

      const answered: string[] = [];
      for (const id of runs) {
        const log = await stream(store, id);
        expect(log.map(({ streamSeq }) => streamSeq)).toEqual(log.map((_, index) => index + 1));
        expect(await store.readRun(id)).toMatchObject({ seq: log.length, owner: null });
        expect(of(log, "step")).toEqual(steps);
        expect(of(log, "run.ended")).toHaveLength(1);
        for (const { id: gate, resolution } of await store.listItems({
          run: id,
          all: true,
          limit: 9,
        })) {
          const resolved = log.filter(
            ({ type, data }) => type !== "gate.opened" && Object(data).item === gate,
          );
          expect(resolved).toMatchObject([{ type: `gate.${resolution?.how}` }]);
          if (resolution?.how === "answered") answered.push(gate);
        }
        expect(of(log, "gate.opened")).toHaveLength(gates.length);
      }
      expect(given.toSorted()).toEqual(answered.toSorted());
      expect(await store.readSession("shared")).toMatchObject({ held: [] });
      expect(await allDue(store)).toEqual([]);
    });
  });
}

function of(log: readonly StoredEvent[], type: string): unknown[] {
  return log.filter((event) => event.type === type).map(({ data }) => data);
}

/** Takes a run from any owner, and drives it until it waits, ends, is taken over, or this process dies. */
async function carry(store: Store, run: Run, number: number, random: () => number): Promise<void> {
  const token = await store.takeRun({ run: run.id, token: run.token, owner: owner(number) });
  if (token === null) return;
  for (;;) {
    if (random() < 0.2) return;
    const log = await stream(store, run.id);
    const at = { id: run.id, token, seq: log.length };
    try {
      if (isWaiting(log)) {
        await store.advanceRun(step(at, { status: "waiting" }));
        await store.takeRun({ run: run.id, token, owner: null });
        return;
      }
      await store.advanceRun(step(at, next(run.id, log)));
    } catch (error) {
      if (error instanceof FencedError) return;
      if (!(error instanceof StoreError && error.code === "conflict")) throw error;
    }
  }
}

function isWaiting(log: readonly StoredEvent[]): boolean {
  const resolved = of(log, "gate.answered").length + of(log, "gate.expired").length;
  return of(log, "gate.opened").length > resolved;
}

function next(run: string, log: readonly StoredEvent[]): Parameters<typeof step>[1] {
  const number = of(log, "step").length + 1;
  if (number > steps.length)
    return { events: [{ type: "run.ended", data: null }], status: "done" as const };
  const event = { type: "step", data: number };
  if (!gates.includes(number)) return { events: [event] };
  const gate: NewItem = item(`${run}-${number}`, { sessions: ["shared"], deadline: due });
  const opened = { type: "gate.opened", data: { item: gate.id } };
  return { events: [event, opened], opens: [gate], due: [deadline(gate)] };
}
