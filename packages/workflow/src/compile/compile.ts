/** Compiles nodes and edges as written into a graph: every name resolved, every default filled in. */

import type { FindingReport } from "../findings.ts";
import type { Graph } from "../graph.ts";
import type { FileReading } from "../parse/schema-check.ts";
import type { WrittenFile, WrittenNode } from "../parse/written.ts";
import type { Runner } from "../runners.ts";
import { modeOf, outputSchemaOf, providerOf, sessionName } from "./agent.ts";
import { Draft } from "./draft.ts";
import { lowerEdges } from "./edges.ts";
import { graphInputs } from "./inputs.ts";
import { lowerLoops } from "./loops.ts";
import { reportNesting } from "./nesting.ts";
import { checkNodeData } from "./node-data.ts";
import { graphNodes } from "./nodes.ts";
import { lowerRetryGates } from "./retry-gates.ts";
import { lowerSessions, warnOfMessages } from "./sessions.ts";
import { lowerTemplates, reportUnknownNodes } from "./templates.ts";

export interface CompileOptions {
  /** Whether nodes with `session_type: persistent` resume if the file does not say. */
  readonly legacyPersistentResumes: boolean;
  /** The version of the rules for a run that was started earlier; the newest by default. */
  readonly format: number;
  /** The runners that nodes may name, from the providers' manifests; null for any word. */
  readonly runners: readonly Runner[] | null;
  /** `accept`: keep a runner that no provider has, so that a run that was started can still be shown. */
  readonly unknownRunners: "error" | "accept";
}

const parallel = 4;

/** Null if a name cannot be resolved; the report says which. */
export function compile(
  file: WrittenFile,
  { source, report }: FileReading,
  options: CompileOptions,
): Graph | null {
  const draft = new Draft(file, { source, report, options });
  const unwired = report.errors;
  addNodes(draft);
  // Without its nodes, edges cannot be checked.
  const isWireable = file.unread.size === 0 && report.errors === unwired;
  if (isWireable) lowerEdges(draft);
  // Stop here: values that could not be wired would only cause follow-on errors.
  if (!isWireable || unwired > 0) {
    reportIndependentFindings(draft);
    return null;
  }
  return graphOf(draft, report);
}

function graphOf(draft: Draft, report: FindingReport): Graph | null {
  const { file } = draft;
  const inputs = graphInputs(draft);
  lowerTemplates(draft, inputs);
  lowerLoops(draft);
  lowerSessions(draft);
  warnOfMessages(draft);
  const retryGates = lowerRetryGates(draft);
  const graph: Graph = {
    name: file.name,
    slug: slugOf(file.name),
    description: file.description,
    folder: file.folder,
    inputs,
    nodes: graphNodes(draft, retryGates),
    edges: draft.edges,
    parallel: file.parallel ?? parallel,
  };
  return report.errors > 0 ? null : graph;
}

function addNodes(draft: Draft): void {
  for (const written of draft.file.nodes) {
    const first = draft.nodes.get(written.id);
    if (first)
      draft.report.error(
        "duplicate-node",
        draft.source.keyAt(written.path),
        `There is more than one node "${written.id}"; the first is in line ${first.position.line}.`,
        "Give each node its own id.",
      );
    else addNode(draft, written);
  }
  reportNesting(draft);
}

function addNode(draft: Draft, written: WrittenNode): void {
  // A part that could not be read might change these findings.
  if (draft.file.unread.has(written.id)) {
    draft.add(written, { mode: null, outputSchema: null, session: null });
    return;
  }
  checkNodeData(written, draft);
  const isAgent = written.type === "agent";
  draft.add(written, {
    mode: isAgent ? modeOf(draft, written) : null,
    outputSchema: isAgent ? outputSchemaOf(draft, written) : null,
    session: isAgent ? sessionName(written.data.session) : null,
  });
}

/** Reports findings that hold regardless of other errors. */
function reportIndependentFindings(draft: Draft): void {
  for (const node of draft.nodes.values())
    if (node.written.type === "agent") providerOf(draft, node, node.written.data);
  reportUnknownNodes(draft);
}

/** The graph's name as a part of session keys. */
function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return slug === "" ? "workflow" : slug;
}
