/** Loaded workflows, cached by their text: a thousand runs of one file load it once. */

import { TerminalError } from "@reprise/core/errors/errors";
import type { Finding } from "@reprise/workflow/finding";
import { formatVersion } from "@reprise/workflow/format-version";
import type { Graph } from "@reprise/workflow/graph";
import type { LoadOptions } from "@reprise/workflow/load";
import type { Runner } from "@reprise/workflow/runners";
import { loadInThread } from "../thread/reading.ts";

export interface LoadedGraph {
  readonly source: string;
  /** Version of the loader. */
  readonly format: number;
  readonly graph: Graph;
  readonly warnings: readonly Finding[];
}

/** A workflow's text, and the settings that it is read with. */
export interface Text {
  readonly source: string;
  readonly legacyPersistentResumes?: boolean;
  /** The version of the loader that the run was started with; default: the newest. */
  readonly format?: number;
  /** What nodes may name as their runner. */
  readonly runners: readonly Runner[];
  readonly unknownRunners?: LoadOptions["unknownRunners"];
}

/** In characters: a source of this length is read in about ten milliseconds, whatever its content. */
const shortSource = 8 * 1024;
/** In milliseconds. A workflow of 1 MiB takes about two seconds. */
const maxLoadTime = 30_000;
/** A workflow that was started earlier may be larger than a new one is allowed to be. */
const maxPinnedLoadTime = 10 * 60_000;

/** More workflows than one process usually runs at the same time. */
const maxCached = 64;
const graphs = new Map<string, LoadedGraph>();

export type Loading = LoadedGraph | { readonly findings: readonly Finding[] };

/** @throws UsageError `bad-workflow` if reading takes longer than `timeout` milliseconds. */
export async function loadGraph(text: Text, timeout = maxLoadTime): Promise<Loading> {
  const { source, legacyPersistentResumes = false, format = formatVersion, runners } = text;
  const { unknownRunners = "error" } = text;
  const options = { legacyPersistentResumes, format, runners, unknownRunners };
  const key = `${JSON.stringify(options)}\n${source}`;
  const known = graphs.get(key);
  if (known) {
    // Move it to the end: the map is in order of last use.
    graphs.delete(key);
    graphs.set(key, known);
    return known;
  }
  const { graph, findings } = await read(source, options, timeout);
  if (graph === null) return { findings };
  const loaded = { source, format: formatVersion, graph, warnings: findings };
  graphs.set(key, loaded);
  const [oldest] = graphs.keys();
  if (graphs.size > maxCached && oldest !== undefined) graphs.delete(oldest);
  return loaded;
}

/** The loader is large and most commands never need it, so it is imported with the first workflow. */
async function read(source: string, options: LoadOptions, timeout: number) {
  if (source.length > shortSource) return loadInThread(source, options, timeout);
  const { load } = await import("@reprise/workflow/load");
  return load(source, options);
}

/** The workflow that a run was started with. */
export async function pinnedGraph(
  run: string,
  text: Text & { readonly format: number },
): Promise<LoadedGraph> {
  // Its provider may no longer be loaded here; the run can still be shown.
  const loading = await loadGraph({ ...text, unknownRunners: "accept" }, maxPinnedLoadTime);
  if ("graph" in loading && loading.format >= text.format) return loading;
  const [finding] = "graph" in loading ? [] : loading.findings;
  throw new TerminalError(
    "unreadable-workflow",
    `The workflow that run ${run} was started with cannot be read here${finding ? `: ${finding.message}` : "."}`,
    "Continue it with the version of Reprise that started it.",
  );
}
