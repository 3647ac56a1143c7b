/** Escapes a prompt for claude, which takes a prompt that starts with `/` for a command. */

/**
 * A space before a leading slash makes claude (2.1.325) take `/clear` for text. Mentions of files with `@` need no
 * escape: the environment switches them off.
 */
export function escapePrompt(prompt: string): string {
  return prompt.startsWith("/") ? ` ${prompt}` : prompt;
}
