import { readFileSync } from "node:fs";
import { parseSession } from "@reprise/providers/claude/session-file";
import { expect, test } from "vitest";
import { sha256 } from "../engine.ts";
import { typedBeside, typedNotices } from "./observe-after.ts";

/** Two turns of claude that resumed one session at the same moment; it continues from the second. */
const recorded = readFileSync(
  new URL("../../../providers/src/claude/fixtures/two-branches.jsonl", import.meta.url),
);
const session = (await parseSession(recorded, sha256))!;
const begun = 2;

function beside(prompt: string, answer: string) {
  const history = { ...session, bytes: recorded.length, compacted: false, context: [] };
  const after = { history, gained: session.items.slice(begun) };
  const bytes = recorded.indexOf('"content":"echo ours"');
  return typedBeside(prompt, answer, { provider: {}, after, resumed: { bytes, residue: null } });
}

test("S0j: what claude did not keep beside a turn is quoted in a notice", () => {
  const found = beside("echo typed beside", "typed beside");
  expect(found.typed).toEqual([]);
  expect(typedNotices(found)).toEqual([
    {
      code: "not-kept",
      text: 'The agent did not keep what was typed in its own program while this turn ran: "echo ours".',
    },
  ]);
});

test("S0j: a turn that claude itself did not keep is said, and what was typed is imported", () => {
  const found = beside("echo ours", "ours");
  expect(found.typed.map(({ text }) => text)).toEqual(["echo typed beside", "typed beside"]);
  expect(typedNotices(found).map(({ text }) => text)).toEqual([
    "2 messages were added in the provider's own program while this turn ran; they are kept.",
    expect.stringContaining("The agent did not keep this turn"),
  ]);
});
