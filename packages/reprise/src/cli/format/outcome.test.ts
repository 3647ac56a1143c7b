import { expect, test } from "vitest";
import { testCli } from "../test-surroundings.ts";
import { decision, failing, turnResult } from "../test-turn.ts";
import { badge, noticeLines, verdictTable, wholeNoticeLines } from "./outcome.ts";
import { textWidth } from "./text.ts";

const plain = testCli().err;
const narrow = testCli({ columns: 80, color: false }).err;

test.each([
  [decision(), "resume · all guards pass · turn 3 of demo · codex"],
  [
    decision({ prepare: ["restore"] }),
    "resume · all guards pass, history restored · turn 3 of demo · codex",
  ],
  [
    decision({ prepare: ["restore", "compact"] }),
    "resume · all guards pass, history restored, compacted first · turn 3 of demo · codex",
  ],
  [failing("blank", "prior", "none", "0 messages"), "blank · first turn · turn 3 of demo · codex"],
  [
    failing("blank", "policy", "resume", "blank (turn)"),
    "blank · policy: resume → blank (turn) · turn 3 of demo · codex",
  ],
  [failing("reseed", "folder", "/a", "/b"), "reseed · folder: /a → /b · turn 3 of demo · codex"],
])("badge of %o", (view, text) => {
  expect(badge(plain, turnResult({ decision: view }))).toBe(text);
});

test("S0j: why shows the whole of what a notice quotes in part, beside an answer it is one line", () => {
  const notices = [{ code: "survivors", text: "Still running: a…z (7).", detail: "a\nb\nz (7)" }];
  expect(noticeLines(plain, notices)).toEqual(["! Still running: a…z (7)."]);
  expect(wholeNoticeLines(plain, [...notices, ...notices])).toEqual([
    "! Still running: a…z (7).",
    "    a",
    "    b",
    "    z (7)",
  ]);
});

test("a turn that is not done says so, and so does a second attempt", () => {
  const refused = decision({ outcome: "refuse", reason: "archived" });
  expect(badge(plain, turnResult({ decision: refused, status: "refused" }))).toBe(
    "refuse · archived · turn 3 of demo · codex · refused",
  );
  expect(badge(plain, turnResult({ decision: null, status: "skipped" }))).toBe(
    "skipped · turn 3 of demo · codex",
  );
  const attemptTimes = [
    [1, 2],
    [3, 4],
  ] as const;
  expect(badge(plain, turnResult({ attemptTimes }))).toContain("codex · attempt 2");
});

test("a compaction is shown, and not counted as an attempt to send the prompt", () => {
  const times = [
    [1, 2],
    [3, 4],
    [5, 6],
  ] as const;
  const { attempts } = turnResult({ attemptTimes: times });
  const [first, second, third] = attempts.map((attempt) => ({ ...attempt }));
  const compacting = { ...second!, decision: decision({ prepare: ["compact"] }) };
  const turn = (list: typeof attempts) => badge(plain, { ...turnResult({}), attempts: list });
  expect(turn([{ ...compacting, ending: "compacted" }, third!])).toMatch(/codex · compacted$/);
  expect(turn([{ ...compacting, ending: "failed" }, third!])).toMatch(/codex$/);
  expect(turn([first!, { ...compacting, ending: "compacted" }, third!])).toMatch(
    /codex · compacted · attempt 2$/,
  );
});

test("long values of a guard are shortened, so that the badge stays on one line", () => {
  const [stored, current] = [`/home/me/${"a/".repeat(60)}x`, `/home/me/${"b/".repeat(60)}y`];
  const text = badge(
    narrow,
    turnResult({ decision: failing("reseed", "folder", stored, current) }),
  );
  expect(textWidth(text)).toBeLessThanOrEqual(80);
  expect(text).toMatch(/^reseed · folder: \/home.*….*x → \/home.*….*y · turn 3 of demo · codex$/);
});

test("the table of guards marks what failed, aligned and within the terminal", () => {
  const verdicts = [
    { guard: "policy", passed: true, held: true, stored: "resume", current: "resume (surface)" },
    {
      guard: "instructions",
      passed: false,
      held: false,
      stored: "x".repeat(64),
      current: "y".repeat(64),
    },
  ] as const;
  const lines = verdictTable(narrow, verdicts);
  expect(lines[0]).toMatch(/^ {5}GUARD {9}STORED +CURRENT$/);
  expect(lines[1]).toMatch(/^ {2}✓ {2}policy {8}resume +resume \(surface\)$/);
  expect(lines[2]).toMatch(/^ {2}✗ {2}instructions {2}x+…x+ {2}y+…y+$/);
  expect(textWidth(lines[2]!)).toBe(80);
});

test("a notice is printed once, with its further lines indented", () => {
  const text =
    "The provider's history was shorter than it should be; it was restored from the checkpoint.";
  const lines = noticeLines(narrow, [
    { code: "restored", text },
    { code: "restored", text },
  ]);
  expect(lines).toEqual([
    "! The provider's history was shorter than it should be; it was restored from the",
    "  checkpoint.",
  ]);
});
