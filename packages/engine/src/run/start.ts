/** `start`: starts a run of a workflow. Checks everything it can before anything is written. */

import { parse } from "@reprise/core/api/parse";
import type { RunDetail, RunOptions, StartOptions, StartRun } from "@reprise/core/api/reprise";
import { startRunSchema } from "@reprise/core/api/run-schemas";
import { apply } from "@reprise/workflow/run/apply";
import type { RunEvent } from "@reprise/workflow/run/event";
import { emptyState } from "@reprise/workflow/run/fold";
import { type Engine, newId } from "../engine.ts";
import { namedFolder, workFolder } from "../turn/observe.ts";
import { type Driver, drive, untilIdle } from "./driver.ts";
import { loadGraph } from "./graphs.ts";
import { runInputs } from "./run-inputs.ts";
import { asStored, toStored } from "./stream.ts";
import { detailOf, runDetail } from "./views.ts";
import { BadWorkflowError } from "./work/bad-workflow.ts";
import { checkAgents, type Trust } from "./work/check-agents.ts";
import { checkFunctions } from "./work/check-functions.ts";
import { checkPassphrases } from "./work/check-passphrases.ts";
import { refuseLiveAgents } from "./work/live-agents.ts";

/** Checks the input of a start and returns everything the start needs. */
export async function prepareRun(engine: Engine, input: StartRun, trust: Trust = "programs") {
  const wanted = parse(startRunSchema(), input);
  const path = wanted.path ?? null;
  const { legacyPersistentResumes } = engine.settings;
  const loaded = await loadGraph({
    source: wanted.source,
    legacyPersistentResumes,
    runners: engine.providers.runners,
  });
  if (!("graph" in loaded)) throw new BadWorkflowError(path, loaded.findings);
  const { graph } = loaded;
  const broken = await checkFunctions(await engine.functions(), graph);
  if (broken.length > 0) throw new BadWorkflowError(path, broken);
  const inputs = runInputs(graph, wanted.inputs);
  const folderOf = trust === "nothing" ? namedFolder : workFolder;
  const folder = folderOf(wanted.folder ?? graph.folder ?? engine.cwd, engine.cwd);
  if (trust !== "nothing") await checkPassphrases(engine, graph);
  const unchecked = await checkAgents(engine, graph, {
    folder,
    path,
    trust,
    access: wanted.access ?? null,
  });
  return { wanted, path, legacyPersistentResumes, loaded, graph, inputs, folder, unchecked };
}

export async function startRun(
  driver: Driver,
  input: StartRun,
  options: RunOptions & StartOptions = {},
): Promise<RunDetail> {
  const { engine } = driver;
  const { wanted, path, legacyPersistentResumes, loaded, graph, inputs, folder } = await prepareRun(
    engine,
    input,
  );
  if (wanted.trigger == null) await refuseLiveAgents(engine, graph);
  const within = wanted.within ?? engine.within;
  const started: RunEvent = asStored(engine, {
    type: "run.started",
    workflow: graph.name,
    source: wanted.source,
    format: loaded.format,
    legacyPersistentResumes,
    inputs,
    folder,
    path,
    trigger: wanted.trigger ?? null,
    continuity: wanted.continuity ?? null,
    by: wanted.by ?? null,
    ...(wanted.access && { access: wanted.access }),
    ...(within !== null && { within }),
  });
  const id = wanted.id ?? newId();
  const run = await engine.store.createRun({
    id,
    workflow: graph.name,
    path,
    event: toStored(started),
    owner: engine.owner,
    at: engine.now(),
  });
  const state = emptyState(id);
  apply(graph, state, started, { seq: run.seq, at: run.startedAt });
  options.onStarted?.(id);
  const known = await untilIdle(driver, drive(driver, run, { loaded, state }), options);
  return known ? runDetail(driver, known) : detailOf(driver, id);
}
