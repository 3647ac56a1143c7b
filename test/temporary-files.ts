/** Gives each test file a temporary folder of its own, which is removed after its last hook. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openFolder, removeTree } from "./temporary-root.ts";

const folder = openFolder(join(tmpdir(), "file-"));
process.env.TMPDIR = folder;

// Vitest runs it last, since it was registered first.
afterAll(() => removeTree(folder));
