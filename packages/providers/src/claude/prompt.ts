/** What a prompt is to claude: `/` at its very beginning is a command, and everything else is text. */

/**
 * One blank before a leading slash: claude (2.1.325) then takes `/clear` for text. Other expansions
 * need no escape, since files named with `@` are switched off by the environment.
 */
export function escapePrompt(prompt: string): string {
  return prompt.startsWith("/") ? ` ${prompt}` : prompt;
}
