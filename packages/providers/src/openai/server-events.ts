/** Reads server-sent events: the data of each, however the bytes are cut into chunks. */

/** A longer line is not an event of an answer. */
const maxLine = 16 * 1024 * 1024;

export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    if (rest.length > maxLine) throw new Error("a line of the answer is too long");
    for (const line of lines) {
      if (line === "" && data.length > 0) {
        yield data.join("\n");
        data = [];
      } else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    }
  }
  // The last event of a stream that ends without an empty line.
  const last = rest.replace(/\r$/, "");
  if (last.startsWith("data:")) data.push(last.slice(5).replace(/^ /, ""));
  if (data.length > 0) yield data.join("\n");
}
