/** Reads the long form: lists of nodes and edges. */

import { z } from "zod";
import {
  dataSchemas,
  edgeSchema,
  futureTypes,
  longHeadSchema,
  nodeHeadSchema,
  type WrittenPort,
} from "../document.ts";
import type { NodeType, Port } from "../graph.ts";
import { declaredPort } from "./declared-port.ts";
import { checkId } from "./node-id.ts";
import { checkRunInput, runInputPorts } from "./run-inputs.ts";
import { checked, checkSpelling, type FileReading, salvaged } from "./schema-check.ts";
import type { Path } from "./source.ts";
import type { WrittenEdge, WrittenFile, WrittenNode } from "./written.ts";

const { shape } = longHeadSchema;

/** The valid part of a head with an error. */
const bareHeadSchema = z.object({
  version: shape.version.catch(1),
  metadata: shape.metadata.catch({ name: "" }),
  nodes: shape.nodes,
  edges: shape.edges.catch(undefined),
  legacyPersistentResumes: shape.legacyPersistentResumes.catch(undefined),
});

export function readLongForm(value: object, reading: FileReading): WrittenFile | null {
  const whole = checked(longHeadSchema, value, [], reading);
  checkSpelling(longHeadSchema, value, [], reading);
  // The nodes can be checked even if the head has errors.
  const head: z.output<typeof longHeadSchema> | undefined =
    whole ?? bareHeadSchema.safeParse(value).data;
  if (!head) return null;
  const { metadata } = head;
  if (head.components && Object.keys(head.components).length > 0)
    reading.report.warn(
      "not-supported",
      reading.source.keyAt(["components"]),
      '"components" is not supported yet, and is ignored.',
      "Write what the components do into this file.",
    );
  const nodes: WrittenNode[] = [];
  const unread = new Set<string>(whole ? [] : ["inputs"]);
  head.nodes.forEach((value, index) => {
    const { errors } = reading.report;
    const node = readNode(value, ["nodes", index], reading);
    if (node) nodes.push(node);
    if (reading.report.errors > errors) for (const name of namesOf(value)) unread.add(name);
  });
  return {
    isShort: false,
    name: metadata.name,
    description: metadata.description ?? null,
    folder: head.folder ?? metadata.rootDirectory ?? null,
    inputs: [
      ...interfaceInputs(head.interface?.inputs, reading),
      ...runInputPorts(head.inputs, reading),
    ],
    parallel: head.parallel ?? null,
    legacyPersistentResumes: head.legacyPersistentResumes ?? null,
    nodes,
    unread,
    edges: (head.edges ?? []).flatMap(
      (edge, index) => readEdge(edge, ["edges", index], reading) ?? [],
    ),
  };
}

function interfaceInputs(ports: readonly WrittenPort[] | undefined, reading: FileReading): Port[] {
  return (ports ?? []).map((written, index) => {
    const port = declaredPort(written);
    const input = { ...port, required: port.required ?? !("default" in port) };
    checkRunInput(input, ["interface", "inputs", index], reading);
    return input;
  });
}

/** Its id and its label; an empty id, which is never valid, if there is none. */
function namesOf(node: unknown): string[] {
  const { id, data } = (node ?? {}) as { id?: unknown; data?: { label?: unknown } | null };
  return [id, data?.label].map((name) => String(name ?? ""));
}

function readNode(value: unknown, path: Path, reading: FileReading): WrittenNode | null {
  const head = checked(nodeHeadSchema, value, path, reading);
  if (!head) return null;
  // The schema of its data depends on its type.
  checkSpelling(nodeHeadSchema, { ...head, data: null }, path, reading);
  const id = String(head.id);
  const type = typeOfNode(id, head, path, reading);
  if (type === null || !checkId(id, reading.source.at([...path, "id"]), reading)) return null;
  const schema = dataSchemas[type];
  const written = head.data ?? {};
  const at = head.data ? [...path, "data"] : path;
  checkSpelling(schema, written, at, reading);
  const data = salvaged(schema, written, at, reading);
  if (!data) return null;
  checkUnsupported(data, at, reading);
  const parent = head.parentId ?? null;
  return {
    type,
    id,
    parent: parent === null ? null : String(parent),
    data,
    path,
    fields: Object.fromEntries(Object.keys(data).map((key) => [key, [...at, key]])),
  } as WrittenNode;
}

function typeOfNode(
  id: string,
  { type, data }: z.output<typeof nodeHeadSchema>,
  path: Path,
  { source, report }: FileReading,
): NodeType | null {
  const written = data?.nodeType ?? type;
  const at = source.at([
    ...path,
    ...(data?.nodeType === undefined ? ["type"] : ["data", "nodeType"]),
  ]);
  if (written === undefined) {
    report.error(
      "missing-key",
      at,
      `The node "${id}" has no type.`,
      `Write type: with one of ${Object.keys(dataSchemas).join(", ")}.`,
    );
    return null;
  }
  if (futureTypes.includes(written)) {
    report.error(
      "not-supported",
      at,
      `Nodes of the type "${written}" are not supported yet.`,
      `Remove the node "${id}", or write what it does into this file.`,
    );
    return null;
  }
  if (!isNodeType(written)) {
    const known = Object.keys(dataSchemas);
    report.error(
      "unknown-node-type",
      at,
      `"${written}" is not a type of node.`,
      report.near(written, [...known, ...futureTypes], `Use one of: ${known.join(", ")}.`),
    );
    return null;
  }
  if (data?.nodeType === undefined)
    report.warn(
      "implied-node-type",
      at,
      `The node "${id}" has no nodeType; its type, ${written}, is used instead.`,
      `Write nodeType: ${written} in its data.`,
    );
  // A gate with a retryTarget is a retry gate.
  if (written === "gate" && data && "retryTarget" in data) {
    report.warn(
      "implied-node-type",
      at,
      `The gate "${id}" has a retryTarget; it is read as a retry gate.`,
      "Write nodeType: retry-gate.",
    );
    return "retry-gate";
  }
  return written;
}

function isNodeType(type: string): type is NodeType {
  return Object.hasOwn(dataSchemas, type);
}

/** Keys that would change how the node works but are not supported must not be ignored. */
function checkUnsupported(
  data: Readonly<Record<string, unknown>> & {
    readonly inputs?: readonly WrittenPort[] | undefined;
    readonly outputs?: readonly WrittenPort[] | undefined;
  },
  path: Path,
  { source, report }: FileReading,
): void {
  const unsupported: [Path, string][] = [];
  if ("promptFiles" in data) unsupported.push([["promptFiles"], "Write the text into prompt."]);
  if ("file" in data) unsupported.push([["file"], "Write it into this file."]);
  data.inputs?.forEach((port, index) => {
    if (port.array === true || "arrayParent" in port)
      unsupported.push([["inputs", index, "array"], "Declare a port for each value."]);
  });
  data.outputs?.forEach((port, index) => {
    if ("extract" in port)
      unsupported.push([["outputs", index, "extract"], "Extract the part in a function."]);
  });
  for (const [inner, hint] of unsupported)
    report.error(
      "not-supported",
      source.keyAt([...path, ...inner]),
      `"${inner.at(-1)}" is not supported yet.`,
      hint,
    );
}

function readEdge(value: unknown, path: Path, reading: FileReading): WrittenEdge | null {
  const edge = checked(edgeSchema, value, path, reading);
  if (!edge) return null;
  checkSpelling(edgeSchema, edge, path, reading);
  return {
    id: edge.id === undefined ? null : String(edge.id),
    source: String(edge.source),
    target: String(edge.target),
    sourceHandle: edge.sourceHandle || null,
    targetHandle: edge.targetHandle || null,
    path,
    implied: false,
  };
}
