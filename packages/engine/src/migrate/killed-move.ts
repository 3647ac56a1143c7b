/**
 * Test process: moves a home, and kills itself at a moment of the move.
 *
 * killed-move.ts HOME ADDRESS STEP [NUMBER]
 */

import { moveHome } from "./move-home.ts";

const [home, to, step, number = "1"] = process.argv.slice(2);
let left = Number(number);
await moveHome({
  home: home!,
  to: to!,
  env: {},
  now: Date.now,
  limits: { rows: 5, bytes: 1_000_000 },
  report(progress) {
    if (progress.step !== step) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  },
});
