/** What a model is asked for when a conversation is compacted, where its program has no prompt of its own for it. */

/** `focus`: what the summary should focus on; null for nothing in particular. */
export function compactPrompt(focus: string | null): string {
  const wanted = [
    "You are about to forget this conversation. Write a summary from which you can continue: what was asked for and why,",
    "what was decided, what has been done with which result, what is left to do, and every name, path and value that",
  ];
  return focus === null
    ? [...wanted, "is needed for it."].join("\n")
    : [...wanted, "is needed for it. What matters most in what follows:", "", focus].join("\n");
}
