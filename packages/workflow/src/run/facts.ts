/** The values for the placeholders in a node's templates. */

import type { TemplateValues } from "../template.ts";
import type { Inputs } from "./inputs.ts";
import type { Frame, RunState } from "./state.ts";

export function templateValues(
  { id, inputs }: RunState,
  { loop, iteration }: Frame,
  { values }: Pick<Inputs, "values">,
): TemplateValues {
  return {
    inputs: values,
    run: { id, inputs, iteration: loop === null ? null : iteration },
  };
}
