/** Checks what a schema cannot: the names of docks, and defaults. */

import type { WrittenPort } from "../document.ts";
import { declaredPort } from "../parse/declared-port.ts";
import { checkDefault } from "../parse/default-check.ts";
import type { FileReading } from "../parse/schema-check.ts";
import type { WrittenNode, WrittenNodeOf } from "../parse/written.ts";
import { fieldTypeOf } from "./gate.ts";

export function checkNodeData(node: WrittenNode, reading: FileReading): void {
  checkPorts(node, "inputs", node.data.inputs, reading);
  // The outputs of a trigger are the inputs of the run.
  if (node.type === "trigger") checkPorts(node, "outputs", node.data.outputs, reading);
  if (node.type === "gate") checkFields(node, reading);
  if (node.type === "loop") checkDocks(node, reading);
}

function checkPorts(
  { id, type, fields, path }: WrittenNode,
  side: "inputs" | "outputs",
  ports: readonly WrittenPort[] | undefined,
  reading: FileReading,
): void {
  ports?.forEach((written, index) => {
    const port = declaredPort(written);
    const isRead = type === "trigger";
    const name = `the ${side.slice(0, -1)} "${port.name}" of "${id}"`;
    checkDefault({ ...port, name, isRead }, [...(fields[side] ?? path), index], reading);
  });
}

function checkFields(
  { id, data, fields, path }: WrittenNodeOf<"gate">,
  reading: FileReading,
): void {
  data.fields?.forEach((field, index) => {
    const name = `the field "${field.name}" of gate "${id}"`;
    const type = fieldTypeOf(field);
    checkDefault(
      { ...field, name, type, isRead: true },
      [...(fields.fields ?? path), index],
      reading,
    );
  });
}

function checkDocks(
  { id, data, fields, path }: WrittenNodeOf<"loop">,
  { source, report }: FileReading,
): void {
  const seen = new Set<string>();
  data.dockSlots?.forEach(({ name }, index) => {
    if (seen.has(name))
      report.error(
        "duplicate-dock",
        source.at([...(fields.dockSlots ?? path), index, "name"]),
        `Loop "${id}" has more than one dock "${name}".`,
        "Give each dock its own name.",
      );
    seen.add(name);
  });
}
