/**
 * Kills Reprise before, or after, every call to its store and its launcher. Whatever the moment, the
 * next start carries on: nothing is lost, nothing is sent twice. To replay one point:
 * `REPRISE_CRASH_POINT=12 npx vitest run test/crash/before-every-call.test.ts`.
 */

import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { runProgram } from "./run-program.ts";
import { judge, newScenario } from "./scenario.ts";

const chosen = process.env.REPRISE_CRASH_POINT;

export async function sweep(when: "before" | "after"): Promise<void> {
  const undisturbed = newScenario();
  const whole = await runProgram({ folder: undisturbed });

  test("undisturbed, the scenario is answered", () => {
    expect(whole).toMatchObject({ code: 0, signal: null, stderr: "" });
    judge(undisturbed);
    rmSync(undisturbed, { recursive: true });
  });

  const points = whole.calls.map((name, index) => ({ call: index + 1, name }));
  test.each(points.filter(({ call }) => chosen === undefined || call === Number(chosen)))(
    `killed ${when} call $call, $name`,
    async ({ call }) => {
      const folder = newScenario();
      expect(await runProgram({ folder, point: `${when}:${call}` })).toMatchObject({
        signal: "SIGKILL",
      });
      expect(await runProgram({ folder })).toMatchObject({ code: 0, stderr: "" });
      judge(folder);
      rmSync(folder, { recursive: true });
    },
  );
}
