import { existsSync } from "node:fs";
import { join } from "node:path";
import type { WorkdirWork } from "@reprise/workflow/run/command";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import type { WorkContext } from "./work.ts";
import { makeWorkdir } from "./workdir.ts";

const work = (path: string) => ({ node: { create: true }, path }) as unknown as WorkdirWork;

test("a folder is created with its parents, and an existing one is taken as it is", async () => {
  const folder = temporaryFolder("workdir");
  for (let times = 0; times < 2; times += 1)
    expect(await makeWorkdir({ folder } as WorkContext, work("a/b/c"))).toEqual({
      type: "done",
      outputs: { path: join(folder, "a/b/c") },
    });
  expect(existsSync(join(folder, "a/b/c"))).toBe(true);
});

test.runIf(process.platform === "linux")(
  "W18: a folder below /proc fails instead of never ending",
  async () => {
    expect(await makeWorkdir({ folder: "/" } as WorkContext, work("/proc/no/such"))).toMatchObject({
      type: "failed",
      error: { code: "folder-failed", message: expect.stringContaining("/proc/no") },
    });
  },
);
