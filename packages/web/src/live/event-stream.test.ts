import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followEvents, type StreamState } from "./event-stream.ts";

/** The connection takes the browser's `fetch` when the page is loaded. */
const server = vi.hoisted(() => {
  const made = { answer: null as unknown as typeof fetch };
  vi.stubGlobal("fetch", (...request: Parameters<typeof fetch>) => made.answer(...request));
  return made;
});

/** As much of a page as can be hidden. */
const page = Object.assign(new EventTarget(), { visibilityState: "visible" });

function show(visibilityState: "visible" | "hidden"): Promise<unknown> {
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
});

/** Streams that stay open with one event each until they are given up; the first `refusals` are refused. */
function serve({ refusals = 0 } = {}): string[] {
  const asked: string[] = [];
  server.answer = async (path, init) => {
    const signal = init?.signal as AbortSignal;
    asked.push(String(path));
    if (asked.length <= refusals)
      return Response.json({ code: "no-token", detail: "No.", hint: "" }, { status: 401 });
    const seq = asked.length;
    const text = `id: ${seq}\nevent: x\ndata: ${JSON.stringify({ seq })}\n\n`;
    return new Response(
      new ReadableStream({
        start(stream) {
          stream.enqueue(new TextEncoder().encode(text));
          signal.addEventListener("abort", () => stream.error(signal.reason));
        },
      }),
    );
  };
  return asked;
}

test("a hidden page has no connection, and continues when it is visible", async () => {
  const asked = serve();
  const states: StreamState[] = [];
  const close = followEvents({
    path: "/e",
    after: null,
    onEvent: () => {},
    onState: (state) => states.push(state),
  });
  await vi.advanceTimersByTimeAsync(1_000);
  await show("hidden");
  expect(asked).toEqual(["/e"]);
  await show("visible");
  expect(asked).toEqual(["/e", "/e?after=1"]);
  expect(states).toEqual(["connecting", "open", "open"]);
  close();
});

test("a refused page says that it is disconnected, and asks again later", async () => {
  const asked = serve({ refusals: 1 });
  const states: StreamState[] = [];
  const close = followEvents({
    path: "/e",
    after: null,
    onEvent: () => {},
    onState: (state) => states.push(state),
  });
  await vi.advanceTimersByTimeAsync(4_000);
  expect([asked.length, states]).toEqual([1, ["connecting", "lost"]]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(states).toEqual(["connecting", "lost", "open"]);
  close();
});
