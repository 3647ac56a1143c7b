/**
 * Reports the steps of a turn while it runs: from the event log, and at the end from the result, so that every
 * step is reported once. The log has no pieces of the answer, so the whole answer is reported as one.
 */

import type { EventView, Progress, TurnResult } from "@reprise/core/api/reprise";
import type { TurnWaiting } from "@reprise/core/session/waiting";

const waits: Readonly<Record<string, TurnWaiting["type"]>> = {
  "turn.waiting": "waiting",
  "turn.limited": "limited",
};

export class TurnProgress {
  readonly #report: (progress: Progress) => void;
  readonly #reported = new Set<string>();

  constructor(report: (progress: Progress) => void) {
    this.#report = report;
  }

  /** `show` returns the current turn. */
  async take(event: EventView, show: () => Promise<TurnResult>): Promise<void> {
    const type = waits[event.type];
    if (type) return this.#report({ ...(event.data as object), type } as TurnWaiting);
    const { attempt } = event.data as { attempt?: number };
    if (attempt === undefined) return;
    if (event.type === "turn.decided") {
      const decided = (await show()).attempts.find(({ number }) => number === attempt);
      if (decided) this.#decided(decided);
    } else if (event.type === "turn.launched") this.#launched(attempt);
  }

  end({ attempts, output }: TurnResult, earlier: number): void {
    for (const attempt of attempts.slice(earlier)) {
      this.#decided(attempt);
      if (attempt.argv !== null) this.#launched(attempt.number);
    }
    if (output !== null) this.#once("text", { type: "text", text: output });
  }

  #decided({ number, decision }: TurnResult["attempts"][number]): void {
    this.#once(`decided ${number}`, { type: "decided", decision });
  }

  #launched(attempt: number): void {
    this.#once(`launched ${attempt}`, { type: "launched", attempt });
  }

  #once(step: string, progress: Progress): void {
    if (this.#reported.has(step)) return;
    this.#reported.add(step);
    this.#report(progress);
  }
}
