/** A workdir node: a folder for other nodes, created if the node says so. */

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { TerminalError } from "@reprise/core/errors/errors";
import type { WorkdirWork } from "@reprise/workflow/run/command";
import { workFolder } from "../../turn/observe.ts";
import { failed } from "./failed.ts";
import type { WorkContext, WorkEnd } from "./work.ts";

export async function makeWorkdir(
  { folder }: WorkContext,
  { node, path }: WorkdirWork,
): Promise<WorkEnd> {
  try {
    if (node.create) await createFolder(resolve(folder, path));
    return { type: "done", outputs: { path: workFolder(path, folder) } };
  } catch (error) {
    return failed(error);
  }
}

/** Level by level: with `recursive`, Node never ends where the system reports a missing parent, as below /proc. */
async function createFolder(path: string): Promise<void> {
  const parent = dirname(path);
  if (!existsSync(parent)) await createFolder(parent);
  try {
    await mkdir(path);
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    if (cause.code === "EEXIST") return;
    throw new TerminalError(
      "folder-failed",
      `The folder ${path} could not be created: ${cause.message}.`,
      "Check the path and the permissions there.",
      { cause },
    );
  }
}
