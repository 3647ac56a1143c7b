/** The inputs of the workflow: those that the file declares, and those that its trigger provides. */

import type { Port } from "../graph.ts";
import type { Draft } from "./draft.ts";

/** Every trigger provides these; `text` is the run's input if that is a single text. */
const ownOutputs = ["text", "params", "timestamp", "type"];

export function graphInputs({ nodes, file }: Draft): Port[] {
  const declared = new Set(file.inputs.map(({ name }) => name));
  const triggers = [...nodes.values()].filter(({ written }) => written.type === "trigger");
  const handedOut = triggers
    .flatMap(({ outputs }) => [...outputs.values()])
    .filter(({ name }) => !ownOutputs.includes(name) && !declared.has(name))
    .map((port): Port => {
      const { name, type, description, required } = port;
      const hasDefault = "default" in port;
      return {
        name,
        type,
        required: required ?? !hasDefault,
        ...(hasDefault ? { default: port.default } : {}),
        description,
      };
    });
  const inputs = [...file.inputs, ...handedOut];
  if (inputs.length > 0 || triggers.length === 0) return inputs;
  return [{ name: "text", type: "string", required: false, description: null }];
}
