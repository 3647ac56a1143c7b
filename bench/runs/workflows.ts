/** The workflows that the bench of runs starts. */

/** Function nodes, each of which waits for the one before it and adds one to its value. */
export function chainOf(length: number): string {
  return workflow(
    "chain",
    length,
    (step) => `
  step${step}:
    inputs: { value: ${step === 1 ? "inputs.value" : `step${step - 1}.value`} }
    function: "return { value: inputs.value + 1 };"
    returns: { value: number }`,
  );
}

/** The same, and each adds a text of `bytes`, which is kept as its result. */
export function growingChainOf(length: number, bytes: number): string {
  return workflow(
    "growing",
    length,
    (step) => `
  step${step}:
    inputs: { value: ${step === 1 ? "inputs.value" : `step${step - 1}.value`} }
    function: "return { value: inputs.value + 1, text: String(inputs.value).padEnd(${bytes}, '.') };"
    returns: { value: number, text: string }`,
  );
}

/** A gate that stays open for weeks, and a step after it. */
export const parked = `name: parked
outputs: { value: after.value }
steps:
  approval:
    gate: { title: "Continue?", message: "A person must say so.", deadline: 30d }
  after:
    needs: approval
    function: "return { value: 1 };"
    returns: { value: number }
`;

function workflow(name: string, length: number, step: (number: number) => string): string {
  const steps = Array.from({ length }, (_, index) => step(index + 1)).join("");
  return `name: ${name}
inputs: { value: number }
outputs: { value: step${length}.value }
steps:${steps}
`;
}
