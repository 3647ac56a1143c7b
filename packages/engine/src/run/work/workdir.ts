/** A workdir node: a folder for other nodes, created if the node says so. */

import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { WorkdirWork } from "@reprise/workflow/run/command";
import { workFolder } from "../../turn/folder.ts";
import { failed } from "./failed.ts";
import type { WorkContext, WorkEnd } from "./work.ts";

export async function makeWorkdir(
  { folder }: WorkContext,
  { node, path }: WorkdirWork,
): Promise<WorkEnd> {
  try {
    if (node.create) await mkdir(resolve(folder, path), { recursive: true });
    return { type: "done", outputs: { path: workFolder(path, folder) } };
  } catch (error) {
    return failed(error);
  }
}
