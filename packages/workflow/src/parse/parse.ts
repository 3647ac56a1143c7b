/** Reads a file in either form. The short form becomes the nodes and edges of the long form here. */

import { fileProblem } from "./file-problem.ts";
import { readLongForm } from "./long-form.ts";
import type { FileReading } from "./schema-check.ts";
import { readShortForm } from "./short-form.ts";
import type { WrittenFile } from "./written.ts";

/** Null if the file has an error that leaves no nodes to read. */
export function parse(reading: FileReading): WrittenFile | null {
  const problem = fileProblem(reading.source);
  if (problem) {
    reading.report.add(problem);
    return null;
  }
  const value = reading.source.value as object;
  return "steps" in value || ("name" in value && !("nodes" in value))
    ? readShortForm(value, reading)
    : readLongForm(value, reading);
}
