/** Reads `text/event-stream`, piece by piece, wherever the pieces were cut. */

export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

export async function* readServerEvents(
  body: ReadableStream<Uint8Array>,
  /** Called for every piece, also for one that carries no event. */
  onPiece?: () => void,
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let fields: [string, string][] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onPiece?.();
      // A carriage return at the end may be half of a line's end.
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line !== "") {
          fields.push(fieldOf(line));
          continue;
        }
        const event = eventOf(fields);
        fields = [];
        if (event) yield event;
      }
    }
  } finally {
    // Whoever stops reading lets go of the connection; one that broke can not be let go of.
    await reader.cancel().catch(() => {});
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}

/** Null when it carries nothing, as a comment that keeps the connection open. */
function eventOf(fields: readonly [string, string][]): ServerEvent | null {
  const last = (name: string) => fields.findLast(([field]) => field === name)?.[1];
  const data = fields.filter(([field]) => field === "data").map(([, value]) => value);
  if (data.length === 0) return null;
  return { id: last("id") ?? null, event: last("event") ?? "message", data: data.join("\n") };
}
