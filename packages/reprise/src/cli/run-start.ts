/**
 * Reads what `reprise run` starts. The file is loaded here, before anything is opened, so that its warnings come first.
 * Its folder is relative to the command's folder, also when a server drives the run.
 */

import { resolve } from "node:path";
import type { RunDetail, StartRun } from "@reprise/core/api/reprise";
import { readSettings } from "@reprise/engine/config";
import { userName } from "@reprise/engine/engine";
import { loadProviders } from "@reprise/engine/load-providers";
import { loadGraph } from "@reprise/engine/run/graphs";
import { BadWorkflowError } from "@reprise/engine/run/work/bad-workflow";
import type { Cli } from "./cli.ts";
import type { AccessOptions } from "./input/turn.ts";
import { readWorkflow } from "./input/workflow-file.ts";

export interface RunStartOptions extends Pick<AccessOptions, "access"> {
  readonly input?: Record<string, string>;
  readonly id?: string;
  readonly folder?: string;
  readonly by?: string;
  readonly reseed?: boolean;
  readonly blank?: boolean;
}

export interface RunStart {
  readonly start: StartRun;
  readonly warnings: RunDetail["warnings"];
}

/** @throws BadWorkflowError */
export async function readStart(
  cli: Cli,
  file: string,
  { input, id, folder, by, reseed, blank, access }: RunStartOptions,
): Promise<RunStart> {
  const { text: source, path } = await readWorkflow(cli, file);
  const settings = await readSettings({ ...cli, flags: {} });
  const { legacyPersistentResumes } = settings.values;
  const { runners } = await loadProviders(settings, cli);
  const loaded = await loadGraph({ source, legacyPersistentResumes, runners });
  if (!("graph" in loaded)) throw new BadWorkflowError(path, loaded.findings);
  const start: StartRun = {
    source,
    path,
    inputs: input ?? {},
    id: id ?? null,
    folder: resolve(cli.cwd, folder ?? loaded.graph.folder ?? "."),
    continuity: reseed ? "reseed" : blank ? "blank" : null,
    by: by ?? userName(cli.env),
    access: access ?? null,
  };
  return { start, warnings: [...loaded.warnings] };
}
