import { eventTypes } from "@reprise/core/api/event-types";
import { expect, expectTypeOf, test } from "vitest";
import type { RunEvent } from "./event.ts";

test("L4: the list has every type of run events", () => {
  const ofRuns: Record<RunEvent["type"], true> = {
    "run.started": true,
    "node.started": true,
    "node.asked": true,
    "node.waiting": true,
    "node.answered": true,
    "node.done": true,
    "node.failed": true,
    "node.skipped": true,
    "loop.entered": true,
    "iteration.began": true,
    "gate.opened": true,
    "gate.answered": true,
    "gate.expired": true,
    "retry.begun": true,
    "run.cancelling": true,
    "run.stuck": true,
    "run.retried": true,
    "run.rerun": true,
    "run.ended": true,
  };
  expectTypeOf(ofRuns).toBeObject();
  expect(eventTypes).toEqual(expect.arrayContaining(Object.keys(ofRuns)));
});
