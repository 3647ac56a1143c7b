/** Loads a workflow file: text → nodes and edges as written → graph. Whatever the file leaves open is settled
 * by a rule, with a warning at its line; what cannot be settled is an error at its line.
 */

import {
  type AgentOptions,
  modeOf,
  outputSchemaOf,
  providerOf,
  sessionName,
} from "./compile/agent.ts";
import { Draft } from "./compile/draft.ts";
import { lowerEdges } from "./compile/edges.ts";
import { graphInputs } from "./compile/inputs.ts";
import { lowerLoops } from "./compile/loops.ts";
import { checkNodeData } from "./compile/node-data.ts";
import { graphNodes } from "./compile/nodes.ts";
import { lowerRetryGates } from "./compile/retry-gates.ts";
import { lowerSessions, tellMessages } from "./compile/sessions.ts";
import { lowerTemplates, reportUnknownNodes } from "./compile/templates.ts";
import type { Finding } from "./finding.ts";
import { formatVersion } from "./format-version.ts";
import type { Graph } from "./graph.ts";
import { fileProblem } from "./parse/file-problem.ts";
import { readLongForm } from "./parse/long-form.ts";
import { FindingReport } from "./parse/report.ts";
import { readShortForm } from "./parse/short-form.ts";
import { YamlSource } from "./parse/source.ts";
import type { WrittenFile, WrittenNode } from "./parse/written.ts";
import type { Runner } from "./runners.ts";
import { validate } from "./validate.ts";

export interface LoadOptions {
  /** Report every warning as an error. */
  readonly strict?: boolean;
  /** Whether nodes with `session_type: persistent` resume if the file does not say. */
  readonly legacyPersistentResumes?: boolean;
  /** The version of the loader's rules for a run that was started earlier; the newest by default. */
  readonly format?: number;
  /** The runners that nodes may name, from the providers' manifests; any word by default. */
  readonly runners?: readonly Runner[];
  /** `accept`: keep a runner that no provider has, so that a run that was started can still be shown. */
  readonly unknownRunners?: "error" | "accept";
}

export interface LoadedWorkflow {
  /** Null if there is an error. */
  readonly graph: Graph | null;
  /** In the order of the file. */
  readonly findings: readonly Finding[];
}

const parallel = 4;

export function load(text: string, options: LoadOptions = {}): LoadedWorkflow {
  const report = new FindingReport({ strict: options.strict ?? false });
  const graph = graphOf(text, report, {
    legacyPersistentResumes: options.legacyPersistentResumes ?? false,
    format: options.format ?? formatVersion,
    runners: options.runners ?? null,
    unknownRunners: options.unknownRunners ?? "error",
  });
  return { graph: report.isRefused ? null : graph, findings: report.findings() };
}

function graphOf(
  text: string,
  report: FindingReport,
  options: AgentOptions & Pick<Draft, "format" | "runners" | "unknownRunners">,
): Graph | null {
  const source = new YamlSource(text);
  const file = readFile(source, report);
  if (!file) return null;
  const draft = new Draft(file, { ...options, source, report });
  const unwired = report.errors;
  addNodes(draft, options);
  // Without its nodes, edges cannot be checked.
  const isWireable = file.unread.size === 0 && report.errors === unwired;
  if (isWireable) lowerEdges(draft);
  // Stop here: values that could not be wired would only cause follow-on errors.
  if (!isWireable || unwired > 0) {
    reportIndependentFindings(draft);
    return null;
  }
  const inputs = graphInputs(draft);
  lowerTemplates(draft, inputs);
  lowerLoops(draft);
  lowerSessions(draft);
  tellMessages(draft);
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
  if (report.errors > 0) return null;
  for (const finding of validate(graph)) report.add(finding);
  return graph;
}

function readFile(source: YamlSource, report: FindingReport): WrittenFile | null {
  const problem = fileProblem(source);
  if (problem) {
    report.add(problem);
    return null;
  }
  const value = source.value as object;
  const reading = { source, report };
  return "steps" in value || ("name" in value && !("nodes" in value))
    ? readShortForm(value, reading)
    : readLongForm(value, reading);
}

function addNodes(draft: Draft, options: AgentOptions): void {
  for (const written of draft.file.nodes) {
    const first = draft.nodes.get(written.id);
    if (first)
      draft.report.error(
        "duplicate-node",
        draft.source.keyAt(written.path),
        `There is more than one node "${written.id}"; the first is in line ${first.position.line}.`,
        "Give each node its own id.",
      );
    else addNode(draft, written, options);
  }
  for (const node of draft.nodes.values()) if (node.parent !== null) checkParent(draft, node.id);
}

/** Reports findings that hold regardless of other errors. */
function reportIndependentFindings(draft: Draft): void {
  for (const node of draft.nodes.values())
    if (node.written.type === "agent") providerOf(draft, node, node.written.data);
  reportUnknownNodes(draft);
}

function addNode(draft: Draft, written: WrittenNode, options: AgentOptions): void {
  // A part that could not be read might change these findings.
  if (draft.file.unread.has(written.id)) {
    draft.add(written, { mode: null, outputSchema: null, session: null });
    return;
  }
  checkNodeData(written, draft);
  const isAgent = written.type === "agent";
  draft.add(written, {
    mode: isAgent ? modeOf(draft, written, options) : null,
    outputSchema: isAgent ? outputSchemaOf(draft, written) : null,
    session: isAgent ? sessionName(written.data.session) : null,
  });
}

function checkParent(draft: Draft, id: string): void {
  const { written, position } = draft.nodes.get(id)!;
  const name = written.parent ?? "";
  const parent = draft.nodes.get(name);
  // It exists, and its error was already reported.
  if (draft.file.unread.has(name)) return;
  const at = draft.source.at([...written.path, "parentId"]);
  if (!parent)
    draft.report.error(
      "unknown-node",
      at,
      `The parent of "${id}" is "${name}", which does not exist.`,
      draft.report.near(name, loopsOf(draft), "Name a loop of this file."),
    );
  else if (parent.written.type !== "loop")
    draft.report.error(
      "not-a-loop",
      at,
      `The parent of "${id}" is "${parent.id}", a ${parent.written.type} node.`,
      "Only loops can contain nodes.",
    );
  else if (standsInItself(draft, id))
    draft.report.error(
      "loop-in-itself",
      position,
      `Loop "${id}" contains itself.`,
      "Remove parentId from the outermost loop.",
    );
}

function* loopsOf({ nodes }: Draft): Iterable<string> {
  for (const { id, written } of nodes.values()) if (written.type === "loop") yield id;
}

function standsInItself({ nodes }: Draft, id: string): boolean {
  const seen = new Set<string>();
  for (let at = nodes.get(id); at && !seen.has(at.id); at = nodes.get(at.parent ?? "")) {
    seen.add(at.id);
    if (at.parent === id) return true;
  }
  return false;
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
