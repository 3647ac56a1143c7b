/** Escapes a prompt for gemini, which takes parts of it for commands and files. */

/** Gemini leaves out user messages that begin with these, after any space, when it resumes the session. */
const leftOut = /^(\s*)(?=[/?]|<(?:session|hook)_context>)/;

/** As gemini (0.61) finds `@path`: anywhere in the prompt, unless a backslash is before it. */
const mention = /(?<!\\)@(?=[^ \t\n\r,;!?()[\]{}])/g;

/**
 * A backslash makes gemini take a leading `/clear` or `?` and every `@file` for text. The model sees the backslash;
 * gemini has no switch for it.
 */
export function escapePrompt(prompt: string): string {
  return prompt.replace(leftOut, "$1\\").replace(mention, "\\@");
}
