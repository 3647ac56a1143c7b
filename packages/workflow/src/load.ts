/**
 * Loads a workflow file: its text is parsed into nodes and edges as written, in either form, these are compiled
 * into a graph, and the graph is checked. What the file leaves open is settled by a rule, with a warning at its
 * line; what cannot be settled is an error at its line.
 */

import { checkGraph } from "./check/check.ts";
import { refusesUnused } from "./check/unused.ts";
import { type CompileOptions, compile } from "./compile/compile.ts";
import type { Finding } from "./finding.ts";
import { FindingReport } from "./findings.ts";
import { formatVersion } from "./format-version.ts";
import type { Graph } from "./graph.ts";
import { nodeFinder } from "./parse/node-finder.ts";
import { parse } from "./parse/parse.ts";
import type { FileReading } from "./parse/schema-check.ts";
import { YamlSource } from "./parse/source.ts";

export interface LoadOptions extends Partial<CompileOptions> {
  /** Report every warning as an error. */
  readonly strict?: boolean;
}

export interface LoadedWorkflow {
  /** Null if there is an error. */
  readonly graph: Graph | null;
  /** In the order of the file. */
  readonly findings: readonly Finding[];
}

export function load(text: string, options: LoadOptions = {}): LoadedWorkflow {
  const { strict = false, ...given } = options;
  const report = new FindingReport({ strict });
  const source = new YamlSource(text);
  const reading = { source, report };
  const compiling = { ...defaults, ...given };
  if (compiling.format >= refusesUnused) checkNumbers(reading);
  const file = parse(reading);
  const graph = file && compile(file, reading, compiling);
  if (graph) for (const finding of checkGraph(graph, report, compiling)) report.add(finding);
  return { graph: report.isRefused ? null : graph, findings: located(report.findings(), source) };
}

/** They would arrive changed: infinity as null, a large whole number rounded. */
function checkNumbers({ source, report }: FileReading): void {
  for (const { text, position } of source.lossyNumbers())
    report.error(
      "bad-number",
      position,
      `The number ${text} cannot be kept exactly.`,
      `Quote it to use it as text: "${text}".`,
    );
}

const defaults: CompileOptions = {
  legacyPersistentResumes: false,
  format: formatVersion,
  runners: null,
  unknownRunners: "error",
};

/** A finding that names no node is about the node in whose text it is. */
function located(findings: readonly Finding[], source: YamlSource): Finding[] {
  if (findings.every(({ node }) => node !== null)) return [...findings];
  const nodeAt = nodeFinder(source);
  return findings.map((finding) =>
    finding.node === null ? { ...finding, node: nodeAt(finding.position) } : finding,
  );
}
