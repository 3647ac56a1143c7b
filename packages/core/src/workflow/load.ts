/**
 * Reads a workflow file: text → what is written → graph. Whatever the file leaves open is settled by a
 * rule, and a warning at its line says how; what can not be settled is an error at its line.
 */

import type { Finding } from "./finding.ts";
import type { Graph } from "./graph.ts";
import { type AgentOptions, modeOf, outputSchemaOf, sessionName } from "./lowering/agent.ts";
import { Draft } from "./lowering/draft.ts";
import { lowerEdges } from "./lowering/edges.ts";
import { graphInputs } from "./lowering/inputs.ts";
import { lowerLoops } from "./lowering/loops.ts";
import { graphNodes } from "./lowering/nodes.ts";
import { lowerRetryGates } from "./lowering/retry-gates.ts";
import { lowerSessions, tellMessages } from "./lowering/sessions.ts";
import { lowerTemplates } from "./lowering/templates.ts";
import { readLongForm } from "./reading/long-form.ts";
import { Report } from "./reading/report.ts";
import { readShortForm } from "./reading/short-form.ts";
import { Source } from "./reading/source.ts";
import type { WrittenFile, WrittenNode } from "./reading/written.ts";
import { validate } from "./validate.ts";

/** Pinned in every run: a run goes on with the loader that it was started with. */
export const formatVersion = 1;

export interface LoadOptions {
  /** Every warning is an error. */
  readonly strict?: boolean;
  /** Nodes with `session_type: persistent` resume, where the file does not say. */
  readonly legacyPersistentResumes?: boolean;
  /** What `runner` may be; any name when it is not given. */
  readonly knownRunners?: readonly string[];
}

export interface Loaded {
  /** Null when there is an error. */
  readonly graph: Graph | null;
  /** In the order of the file. */
  readonly findings: readonly Finding[];
}

const parallel = 4;

export function load(text: string, options: LoadOptions = {}): Loaded {
  const report = new Report({ strict: options.strict ?? false });
  const graph = graphOf(text, report, {
    legacyPersistentResumes: options.legacyPersistentResumes ?? false,
    knownRunners: options.knownRunners ?? null,
  });
  return { graph: report.isRefused ? null : graph, findings: report.findings() };
}

function graphOf(text: string, report: Report, options: AgentOptions): Graph | null {
  const source = new Source(text);
  const file = readFile(source, report);
  if (!file) return null;
  const draft = new Draft(file, source, report);
  addNodes(draft, options);
  // Without its nodes nothing can be said about what leads where.
  if (report.hasErrors) return null;
  lowerEdges(draft);
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
    nodes: graphNodes(draft, retryGates, options),
    edges: draft.edges,
    parallel: file.parallel ?? parallel,
  };
  if (report.hasErrors) return null;
  for (const finding of validate(graph)) report.add(finding);
  return graph;
}

function readFile(source: Source, report: Report): WrittenFile | null {
  if (source.problem) {
    const { message, hint, position } = source.problem;
    report.error("bad-yaml", position, message, hint);
    return null;
  }
  const { value } = source;
  const start = { line: 1, column: 1 };
  if (value === null || value === undefined) {
    report.error(
      "empty-file",
      start,
      "The file is empty.",
      "Write a workflow with name: and steps:.",
    );
    return null;
  }
  if (typeof value !== "object" || Array.isArray(value)) {
    report.error(
      "not-a-mapping",
      source.at([]),
      `The file holds ${Array.isArray(value) ? "a list" : "a single value"}, not a workflow.`,
      "Write a mapping with name: and steps:, or with version:, metadata:, nodes: and edges:.",
    );
    return null;
  }
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
        `There is more than one node "${written.id}"; the first stands in line ${first.position.line}.`,
        "Give each node an id of its own.",
      );
    else addNode(draft, written, options);
  }
  for (const node of draft.nodes.values()) if (node.parent !== null) checkParent(draft, node.id);
}

function addNode(draft: Draft, written: WrittenNode, options: AgentOptions): void {
  const isAgent = written.type === "agent";
  draft.add(written, {
    mode: isAgent ? modeOf(draft, written, options) : null,
    outputSchema: isAgent ? outputSchemaOf(draft, written) : null,
    session: isAgent ? sessionName(written.data.session) : null,
  });
}

function checkParent(draft: Draft, id: string): void {
  const { written, position } = draft.nodes.get(id)!;
  const parent = draft.nodes.get(written.parent ?? "");
  const at = draft.source.at([...written.path, "parentId"]);
  if (!parent)
    draft.report.error(
      "unknown-node",
      at,
      `"${id}" stands in "${written.parent}", which does not exist.`,
      draft.report.near(written.parent ?? "", draft.nodes.keys(), "Name a loop of this file."),
    );
  else if (parent.written.type !== "loop")
    draft.report.error(
      "not-a-loop",
      at,
      `"${id}" stands in "${parent.id}", which is no loop but of the type ${parent.written.type}.`,
      "Only a loop holds other nodes.",
    );
  else if (standsInItself(draft, id))
    draft.report.error(
      "loop-in-itself",
      position,
      `Loop "${id}" stands in itself.`,
      "Let the outer loop stand in no other.",
    );
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
