/** Escapes a prompt for pi, which takes some for commands. */

/**
 * A backslash makes pi (1.5) take a leading `/` for text: commands of extensions, `/skill:name` and prompt templates are
 * not run. Pi drops space at both ends of a prompt, so the slash may come after some.
 */
export function escapePrompt(prompt: string): string {
  return prompt.replace(/^(\s*)\//, "$1\\/");
}
