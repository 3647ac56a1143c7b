/** Server-sent events out of the chunks that a stream comes in. */

export interface SseEvent {
  readonly id: string;
  readonly data: string;
}

/** Takes chunks of text, gives the events that are whole. */
export class EventReader {
  #rest = "";

  read(chunk: string): SseEvent[] {
    const blocks = (this.#rest + chunk).replaceAll("\r\n", "\n").split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => eventOf(block) ?? []);
  }
}

function eventOf(block: string): SseEvent | null {
  const fields = { id: "", data: [] as string[] };
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^(\w+):? ?(.*)$/s.exec(line) ?? [];
    if (name === "id") fields.id = value;
    if (name === "data") fields.data.push(value);
  }
  // A comment keeps the connection alive and says nothing.
  return fields.data.length === 0 ? null : { id: fields.id, data: fields.data.join("\n") };
}
