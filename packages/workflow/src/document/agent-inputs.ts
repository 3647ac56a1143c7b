/** The inputs of an agent that mean something by their names. */

const promptInputs = ["prompt", "taskPrompt", "iteratePrompt"];
export const namedInputs = [
  ...promptInputs,
  "sessionId",
  "conversationHistory",
  "input",
  "feedback",
];

/** What is wired to it is the prompt of a turn. */
export function isPromptInput(name: string): boolean {
  return promptInputs.includes(name);
}

/** An agent can do without it, whatever a file declares. */
export function isNamedInput(name: string): boolean {
  return namedInputs.includes(name);
}
