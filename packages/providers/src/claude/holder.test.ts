import { expect, test } from "vitest";
import { holderIn } from "./holder.ts";

const session = "40de7eb3-dcec-4084-9a4f-a7350fa4af14";
const listed = {
  pid: 31225,
  id: "40de7eb3",
  cwd: "/work",
  kind: "background",
  startedAt: 1794829153318,
  sessionId: session,
  name: "echo in the background",
  state: "working",
};

test.each<[string, string, string | null]>([
  [
    "a session in the background",
    JSON.stringify([{ ...listed, sessionId: "other" }, listed]),
    'a background session of claude 40de7eb3 "echo in the background" with pid 31225 since 2026-11-16T11:39:13.318Z',
  ],
  ["one without a pid yet", JSON.stringify([{ sessionId: session }]), "another claude"],
  ["none", "[]", null],
  ["nothing that could be read", "'claude agents --json' is disabled", null],
])("%s", (_, text, expected) => expect(holderIn(text, session)).toBe(expected));
