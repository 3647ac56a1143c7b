/**
 * Text from elsewhere (a message, another agent, a file) as data that nothing in it can leave. It
 * stands between tags of ours and is kept exactly, but for one escape: a backslash is put before
 * `reprise:` wherever that could be read as one of our tags. `unescapeTags` takes it away again.
 */

const tag = /(<[\s/\\]*)(reprise:)/gi;
const escapedTag = /(<[\s/\\]*)\\(reprise:)/gi;

export function escapeTags(text: string): string {
  return text.replace(tag, "$1\\$2");
}

export function unescapeTags(text: string): string {
  return text.replace(escapedTag, "$1$2");
}

/** A block that ends where we end it; `attributes` are ours, never foreign text. */
export function block(name: string, text: string, attributes = ""): string {
  return `<reprise:${name}${attributes}>\n${escapeTags(text)}\n</reprise:${name}>`;
}

/** Data for an agent: to be read, and never to be taken for a command or for somebody's message. */
export function inert(text: string): string {
  return block("data", text);
}
