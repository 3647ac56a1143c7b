/** An example with one line changed, on the real programs: what the model was sent shows which session continued. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunDetail } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { kinds, review, startOnPath } from "../conformance/on-path.ts";
import { onAgent } from "../conformance/real-subject.ts";
import { read } from "./files.ts";

for (const agent of ["claude", "codex"] as const)
  onAgent(agent, "examples", () => {
    const { runner } = kinds[agent];

    test(`examples/review-loop.yaml with ${runner}: the coder resumes, the reviewer is new`, async () => {
      await using subject = await startOnPath(agent);
      const file = join(subject.root, "review-loop.yaml");
      writeFileSync(
        file,
        read("examples/review-loop.yaml").replace("&agent scripted", `&agent ${runner}`),
      );
      review(subject, agent, [false, true]);
      const { code, result, stderr } = await subject.cli("run", file, "--quiet").ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(result as unknown as RunDetail).toMatchObject({ outputs: { iterations: 2 } });
      const { witness } = subject;
      const [first, , again] = witness.calls();
      const resumed = witness.launches().map((launch) => launch.resumed);
      expect(resumed).toEqual([null, null, first!.session, null]);
      expect(first!.prompt).toContain("slug(title)");
      expect(again).toMatchObject({ session: first!.session, earlier: 2 });
      expect(again!.prompt).not.toContain("slug(title)");
    });
  });
