/** Why an edit is refused. */

import { UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import type { Path } from "../parse/source.ts";
import type { DocumentChange } from "./change.ts";
import type { NodeConnection, WorkflowEdit } from "./workflow-edit.ts";

/** A workflow in one of the two forms: which changes an edit needs. */
export interface Workflow {
  readonly ids: ReadonlySet<string>;
  add(edit: Extract<WorkflowEdit, { do: "add-node" }>): DocumentChange[];
  remove(id: string): DocumentChange[];
  rename(id: string, to: string): DocumentChange[];
  setField(id: string, field: Path, value: unknown): DocumentChange[];
  connect(connection: NodeConnection): DocumentChange[];
  disconnect(connection: NodeConnection): DocumentChange[];
}

/** @throws UsageError if the node does not exist. */
export function requireNode(id: string, ids: ReadonlySet<string>): void {
  if (!ids.has(id))
    throw new UsageError("unknown-node", `There is no node "${id}".`, suggest(id, [...ids]));
}

/** @throws UsageError if the name is taken. */
export function requireFree(id: string, ids: ReadonlySet<string>): void {
  if (ids.has(id))
    throw new UsageError(
      "duplicate-node",
      `There is a node "${id}" already.`,
      "Give each node its own id.",
    );
}

export function notConnected({ from, to }: NodeConnection): never {
  throw new UsageError(
    "not-connected",
    `Nothing leads from "${named(from)}" to "${named(to)}".`,
    "Name the two ends of a connection of this file; one that a template makes is removed from its text.",
  );
}

function named({ node, port }: NodeConnection["from"]): string {
  return port ? `${node}.${port}` : node;
}

export function missing(id: string, field: string): UsageError {
  return new UsageError(
    "unknown-field",
    `Node "${id}" has no "${field}" to change.`,
    "Set the whole field.",
  );
}
