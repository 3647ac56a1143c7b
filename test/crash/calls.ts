/** The calls of one process of the crash tests of turns, each named so that it is the same in every run. */

import { die } from "./deaths.ts";
import type { Watch } from "./watched.ts";

export interface TurnCall {
  readonly name: string;
  /** The number of the prompt that is being sent; 0 before the first. */
  readonly prompt: number;
  /** Which call of this name it is while that prompt is sent. */
  readonly nth: number;
}

/** Before or after the first call that fits. */
export interface TurnKillPoint extends Partial<TurnCall> {
  readonly when: "before" | "after";
  readonly name: string;
}

/** They are made by a timer, so a slow machine makes more of them. */
const byClock = ["store.beat"];

export class TurnCalls {
  readonly made: TurnCall[] = [];
  #prompt = 0;
  readonly #folder: string;
  readonly #dies: readonly TurnKillPoint[];

  constructor(folder: string, dies: readonly TurnKillPoint[] = []) {
    this.#folder = folder;
    this.#dies = dies;
  }

  /** The calls that follow are made for this one. */
  begin(prompt: number): void {
    this.#prompt = prompt;
  }

  readonly watch: Watch = (name) => {
    if (byClock.includes(name)) return () => {};
    const prompt = this.#prompt;
    const same = this.made.filter((call) => call.name === name && call.prompt === prompt);
    const call = { name, prompt, nth: same.length + 1 };
    this.made.push(call);
    const pass = (when: TurnKillPoint["when"]) => {
      const death = this.#dies.find((point) => point.when === when && fits(call, point));
      if (death) die(this.#folder, death);
    };
    pass("before");
    return () => pass("after");
  };
}

function fits(made: TurnCall, { name, prompt, nth }: TurnKillPoint): boolean {
  return (
    made.name === name &&
    (prompt === undefined || made.prompt === prompt) &&
    (nth === undefined || made.nth === nth)
  );
}
