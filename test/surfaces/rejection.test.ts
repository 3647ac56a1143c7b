/** A rejection through any surface: nothing behind the gate runs, whatever else reads its answer. */

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { surfaces } from "./surface.ts";

const workflow = `
name: guarded
outputs: { decision: sign-off.choice }
steps:
  sign-off: { gate: "Push it?" }
  push: { needs: sign-off, shell: echo pushed > pushed }
  note: { shell: "echo '{{ sign-off.comment }}' > noted" }
`;

let folder: string;

beforeEach(() => {
  folder = temporaryFolder("rejection");
  writeFileSync(join(folder, "guarded.yaml"), workflow);
});

afterEach(() => rmSync(folder, { recursive: true }));

// Only a bound: on the command line each step is a process.
const bound = 120_000;

test.each(Object.keys(surfaces))(
  "W1 C25/scripted: a rejection stops what is behind it: %s",
  { timeout: bound },
  async (name) => {
    const surface = await surfaces[name]!(folder);
    try {
      expect(await surface.start(join(folder, "guarded.yaml"), "run-1")).toBe("waiting");
      expect(await surface.answer(1)).toBe("rejected");
      expect(["pushed", "noted"].filter((file) => existsSync(join(folder, file)))).toEqual([]);
      expect(await surface.rerun("run-1", "sign-off")).toBe("waiting");
      expect(await surface.answer(0)).toBe("done");
      expect(existsSync(join(folder, "pushed"))).toBe(true);
    } finally {
      await surface.close();
    }
  },
);
