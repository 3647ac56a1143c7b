/**
 * Quotes text from elsewhere (a message, another agent, a file) as data. The text is enclosed in our tags and
 * kept exactly, with one escape: a backslash before `reprise:` wherever that could be read as one of our
 * tags. `unescapeTags` removes it.
 */

const tag = /(<[\s/\\]*)(reprise:)/gi;
const escapedTag = /(<[\s/\\]*)\\(reprise:)/gi;

export function escapeTags(text: string): string {
  return text.replace(tag, "$1\\$2");
}

export function unescapeTags(text: string): string {
  return text.replace(escapedTag, "$1$2");
}

/** A block that the text cannot close. `attributes` are ours, never foreign text. */
export function block(name: string, text: string, attributes = ""): string {
  return `<reprise:${name}${attributes}>\n${escapeTags(text)}\n</reprise:${name}>`;
}

/** Data for an agent to read, never a command or a message. */
export function inert(text: string): string {
  return block("data", text);
}
