/**
 * The calls of one process, named by what they are about: branches run at the same time, so the number
 * of a call says little, but "the first recordLaunch of review/1/coder" is the same in every run.
 */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { die } from "../deaths.ts";

/** A process that begins before the gate was opened, or afterwards. */
export type Stage = "before the gate" | "after the gate";

export interface MadeCall {
  readonly stage: Stage;
  readonly call: string;
  /** What it writes, or the execution, session or agent that it is for. */
  readonly about: string;
  /** Which of the calls of this name that are about the same. */
  readonly number: number;
  /** Type of the run's last event at that moment. */
  readonly after: string;
  /** A loss of power may take what it writes. */
  readonly buffered?: true;
}

export type NamedPoint = { readonly when: "before" | "after" } & Pick<MadeCall, "stage" | "call"> &
  Partial<MadeCall>;

/** The first call that has all given properties, or one by its number among all of a process. */
export type KillPoint = NamedPoint | NumberedPoint;

export interface NumberedPoint {
  readonly when: "before" | "after";
  readonly nth: number;
  /** Without one: of any process. */
  readonly stage?: Stage;
}

export interface Disturbance {
  readonly folder: string;
  /** It kills itself at the first of these that it comes to, and notes in the file `deaths` which it was. */
  readonly dies?: readonly KillPoint[];
  /** It stops there until the file `proceed` is there, and makes the file `stopped`. */
  readonly stops?: KillPoint;
}

/** An event of the run, as it is given to the store. */
export interface Written {
  readonly type: string;
  readonly data: {
    readonly execution?: string;
    readonly loop?: string;
    readonly turn?: string;
    /** For scripts only. */
    readonly boot?: string;
  };
}

export class StoreCalls {
  readonly made: MadeCall[] = [];
  readonly #disturbance: Disturbance;
  readonly #stage: Stage;
  readonly #counts = new Map<string, number>();
  /** By the id of a turn, or of a script's spool. */
  readonly #executions = new Map<string, string>();
  /** Scripts run one at a time. */
  #script = "";
  #last = "none";

  constructor(disturbance: Disturbance, stage: Stage, earlier: readonly Written[]) {
    this.#disturbance = disturbance;
    this.#stage = stage;
    this.#learn(earlier);
  }

  readonly watch = (verb: string, [input]: readonly unknown[]) => {
    // A buffered step is a step all the same.
    const call = verb.replace(/Buffered$/, "");
    const events = eventsOf(call, input);
    const names = this.#subjects(events, input).map((about) => this.#name(call, about));
    const { durability } = (input ?? {}) as { durability?: string };
    const buffered = durability === "buffered" || verb !== call;
    this.made.push({ ...names[0]!, ...(buffered && { buffered: true }) });
    const nth = this.made.length;
    const { folder, dies = [], stops } = this.#disturbance;
    const pass = (when: KillPoint["when"]) => {
      const isHere = (point: KillPoint) =>
        point.when === when &&
        ("nth" in point
          ? point.nth === nth && (point.stage ?? this.#stage) === this.#stage
          : names.some((name) => fits(name, point)));
      const death = dies.find(isHere);
      if (death) die(folder, death);
      if (stops && isHere(stops)) stop(folder);
    };
    pass("before");
    this.#learn(events);
    return () => pass("after");
  };

  #learn(events: readonly Written[]): void {
    for (const { type, data } of events) {
      this.#last = type;
      const { execution, turn, boot } = data;
      if (type !== "node.started" || execution === undefined) continue;
      if (turn !== undefined) this.#executions.set(turn, execution);
      else if (boot !== undefined) this.#script = execution;
    }
  }

  #name(call: string, about: string): MadeCall {
    const key = `${call} ${about}`;
    const number = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, number);
    return { stage: this.#stage, call, about, number, after: this.#last };
  }

  #subjects(events: readonly Written[], input: unknown): string[] {
    if (events.length > 0)
      return events.map(({ type, data }) => `${type} ${data.execution ?? data.loop ?? ""}`.trim());
    const { turn, id, key } = (
      typeof input === "object" && input !== null ? input : { id: input }
    ) as Readonly<Record<string, unknown>>;
    const named = turn ?? id ?? key;
    if (typeof named !== "string") return [""];
    if (named.startsWith("shell-") && !this.#executions.has(named))
      this.#executions.set(named, this.#script);
    // Its name is made from its settings, and so from the folder.
    if (named.startsWith("scripted.")) return ["agent"];
    return [this.#executions.get(named) ?? (/^[a-z0-9]{20}$/.test(named) ? "some id" : named)];
  }
}

function fits(made: MadeCall, { stage, call, about, number, after }: NamedPoint): boolean {
  return (
    made.stage === stage &&
    made.call === call &&
    (about === undefined || made.about === about) &&
    (number === undefined || made.number === number) &&
    (after === undefined || made.after === after)
  );
}

function eventsOf(call: string, input: unknown): readonly Written[] {
  // It appends the event by itself.
  if (call === "store.answerItem") return [{ type: "gate.answered", data: {} }];
  const { event, events } = (input ?? {}) as { event?: Written; events?: readonly Written[] };
  return events ?? (event ? [event] : []);
}

/** As if the process were stopped, between two calls. */
function stop(folder: string): void {
  writeFileSync(join(folder, "stopped"), "");
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(join(folder, "proceed"))) Atomics.wait(pause, 0, 0, 5);
}
