/** Every mutation still finds the code that it takes out. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/files.ts";
import { mutations } from "../../scripts/mutations.ts";

test("the code that a mutation takes out is in its file exactly once", () => {
  const lost = mutations.filter(
    ({ file, find }) => readFileSync(path.join(root, file), "utf8").split(find).length !== 2,
  );
  expect(lost.map(({ name }) => name)).toEqual([]);
});
