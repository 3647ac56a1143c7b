/**
 * Edits the text of a workflow: a node or a connection is added, changed or removed, and everything else stays as
 * it was typed. It needs no file system and no clock, so an editor in a browser can use it.
 *
 *     edit(text, { do: "rename-node", id: "coder", to: "author" })
 */

import { UsageError } from "@reprise/core/errors/errors";
import { fileProblem } from "../parse/file-problem.ts";
import { YamlSource } from "../parse/source.ts";
import { applyToValue, type DocumentChange } from "./change.ts";
import { LongForm } from "./long-form.ts";
import { notConnected, requireFree, requireNode, type Workflow } from "./problems.ts";
import { ShortForm } from "./short-form.ts";
import { applyToText } from "./text.ts";
import type { WorkflowEdit } from "./workflow-edit.ts";

/** @throws UsageError if the text is not a workflow, or the edit does not fit it; nothing is changed then. */
export function edit(text: string, wanted: WorkflowEdit): string {
  const source = new YamlSource(text);
  const problem = fileProblem(source);
  if (problem) throw new UsageError(problem.code, problem.message, problem.hint);
  return changesFor(source.value, wanted).reduce(applyToText, text);
}

/** The same edit on the values of a file. */
export function editValue(value: unknown, wanted: WorkflowEdit): unknown {
  return changesFor(value, wanted).reduce(applyToValue, value);
}

function changesFor(value: unknown, wanted: WorkflowEdit): DocumentChange[] {
  const file = value as Readonly<Record<string, unknown>>;
  const workflow: Workflow = "nodes" in file ? new LongForm(file) : new ShortForm(file);
  const { ids } = workflow;
  switch (wanted.do) {
    case "add-node":
      requireFree(wanted.id, ids);
      if (wanted.parent) requireNode(wanted.parent, ids);
      return workflow.add(wanted);
    case "remove-node":
      requireNode(wanted.id, ids);
      return workflow.remove(wanted.id);
    case "rename-node":
      requireNode(wanted.id, ids);
      if (wanted.to === wanted.id) return [];
      requireFree(wanted.to, ids);
      return workflow.rename(wanted.id, wanted.to);
    case "set-field": {
      requireNode(wanted.id, ids);
      const field = typeof wanted.field === "string" ? [wanted.field] : wanted.field;
      return workflow.setField(wanted.id, field, wanted.value);
    }
    case "connect":
    case "disconnect": {
      // In the short form a step also reads the inputs of the run.
      if (wanted.from.node !== "inputs") requireNode(wanted.from.node, ids);
      requireNode(wanted.to.node, ids);
      const changes = workflow[wanted.do](wanted);
      return changes.length > 0 ? changes : notConnected(wanted);
    }
  }
}
