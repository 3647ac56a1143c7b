/** Escapes a prompt for agents, which take one that begins with a slash for a command. */

/**
 * A backslash before a leading slash, after any space: gemini (0.61) runs ` /help`, too. The model sees the backslash;
 * the protocol has no way to switch commands off.
 */
export function escapePrompt(prompt: string): string {
  return prompt.replace(/^(\s*)(?=\/)/, "$1\\");
}
