import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection } from "./connection.ts";
import { type StreamOptions, streamEvents } from "./event-stream.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function frame(seq: number): string {
  return `id: ${seq}\nevent: x\ndata: ${JSON.stringify({ seq })}\n\n`;
}

type Answer = (signal: AbortSignal) => Response;

/** Answers each request with the next answer, and refuses the connection when there is none. */
function following(answers: Answer[], options: Partial<StreamOptions> = {}) {
  const asked: string[] = [];
  const seen: number[] = [];
  const states: string[] = [];
  const connection = new Connection("", {
    fetch: async (path, init) => {
      asked.push(String(path));
      const answer = answers.shift();
      if (!answer) throw new TypeError("refused");
      return answer(init?.signal as AbortSignal);
    },
  });
  const reading = (async () => {
    const events = streamEvents(connection, {
      path: "/e",
      after: null,
      onOpen: () => states.push("open"),
      onLost: () => states.push("lost"),
      ...options,
    });
    for await (const { seq } of events) seen.push(seq);
  })();
  return { reading, asked, seen, states };
}

const refused: Answer = () => {
  throw new TypeError("refused");
};
const says =
  (text: string): Answer =>
  () =>
    new Response(text);
const nothingMore: Answer = () => new Response(null, { status: 204 });

/** Stays open with one event until the client gives it up. */
const open =
  (seq: number): Answer =>
  (signal) =>
    new Response(
      new ReadableStream({
        start(stream) {
          stream.enqueue(new TextEncoder().encode(frame(seq)));
          signal.addEventListener("abort", () => stream.error(signal.reason));
        },
      }),
    );

test("K5: continues after the last event, through a broken stream and a server that is away", async () => {
  // The third answer begins with an event that was seen, and is cut within an event.
  const { reading, asked, seen, states } = following(
    [
      says(frame(3) + frame(4)),
      refused,
      says(`${frame(4)}${frame(5)}id: 6\ndata: {`),
      says(frame(6)),
      nothingMore,
    ],
    { after: 2 },
  );
  await vi.advanceTimersByTimeAsync(10_000);
  await reading;
  expect(seen).toEqual([3, 4, 5, 6]);
  expect(asked).toEqual(["/e?after=2", "/e?after=4", "/e?after=4", "/e?after=5", "/e?after=6"]);
  expect(states).toEqual(["open", "lost", "open", "open", "open"]);
});

test("K5: a connection that is silent for too long is opened again after its last event", async () => {
  const over = new AbortController();
  const { reading, asked, seen } = following([open(1), open(2)], { signal: over.signal });
  await vi.advanceTimersByTimeAsync(39_000);
  expect(asked).toEqual(["/e"]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toEqual(["/e", "/e?after=1"]);
  expect(seen).toEqual([1, 2]);
  over.abort();
  await reading;
});

test("a server that stays away is given up after the patience that was given", async () => {
  const { reading, states } = following([], { patience: 500 });
  reading.catch(() => {});
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(reading).rejects.toMatchObject({ code: "unreachable" });
  expect(states).toEqual(["lost", "lost", "lost"]);
});
