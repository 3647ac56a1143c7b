import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followEvents, type StreamState } from "./event-stream.ts";

/** As much of a page as can be hidden. */
const page = Object.assign(new EventTarget(), { visibilityState: "visible" });

function look(visibilityState: "visible" | "hidden"): Promise<unknown> {
  page.visibilityState = visibilityState;
  page.dispatchEvent(new Event("visibilitychange"));
  return vi.advanceTimersByTimeAsync(10_000);
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", page);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function frame(seq: number): string {
  return `id: ${seq}\nevent: x\ndata: ${JSON.stringify({ seq })}\n\n`;
}

/** Answers each connection with the next of the given ones. */
function serve(...answers: (string | number | null)[]): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path);
    const answer = answers.shift() ?? null;
    if (answer === null) throw new TypeError("refused");
    return typeof answer === "number"
      ? new Response(null, { status: answer })
      : new Response(answer);
  });
  return asked;
}

test("goes on after the last event, through a broken stream and a server that is away", async () => {
  // The second one is cut within an event, and begins with one that was seen.
  const asked = serve(
    frame(3) + frame(4),
    null,
    `${frame(4)}${frame(5)}id: 6\ndata: {`,
    frame(6),
    204,
  );
  const seen: number[] = [];
  const states: StreamState[] = [];
  const close = followEvents({
    path: "/e",
    after: 2,
    onEvent: ({ seq }) => seen.push(seq),
    onState: (state) => states.push(state),
  });
  await vi.advanceTimersByTimeAsync(10_000);
  close();
  expect(seen).toEqual([3, 4, 5, 6]);
  expect(asked.slice(0, 4)).toEqual(["/e?after=2", "/e?after=4", "/e?after=4", "/e?after=5"]);
  expect(states.slice(0, 6)).toEqual(["connecting", "open", "lost", "lost", "open", "lost"]);
});

test("a stream that may end is not asked again", async () => {
  const asked = serve(frame(1), 204);
  const seen: number[] = [];
  followEvents({ path: "/e", after: 0, ends: true, onEvent: ({ seq }) => seen.push(seq) });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toEqual([1]);
  expect(asked).toEqual(["/e?after=0"]);
});

/** Streams that stay open, with one event each, until they are not wanted. */
function serveLong(): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string, { signal }: { signal: AbortSignal }) => {
    asked.push(path);
    return new Response(
      new ReadableStream({
        start(stream) {
          stream.enqueue(new TextEncoder().encode(frame(asked.length)));
          signal.addEventListener("abort", () => stream.error(signal.reason));
        },
      }),
    );
  });
  return asked;
}

test("a connection that is silent for too long is taken up again", async () => {
  const asked = serveLong();
  const close = followEvents({ path: "/e", onEvent: () => {} });
  await vi.advanceTimersByTimeAsync(39_000);
  expect(asked).toEqual(["/e"]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toEqual(["/e", "/e?after=1"]);
  close();
});

test("a page that nobody looks at has no connection, and goes on when it is shown", async () => {
  const asked = serveLong();
  const states: StreamState[] = [];
  const close = followEvents({
    path: "/e",
    onEvent: () => {},
    onState: (state) => states.push(state),
  });
  await vi.advanceTimersByTimeAsync(1_000);
  await look("hidden");
  expect(asked).toEqual(["/e"]);
  await look("visible");
  expect(asked).toEqual(["/e", "/e?after=1"]);
  expect(states).toEqual(["connecting", "open", "open"]);
  close();
});
