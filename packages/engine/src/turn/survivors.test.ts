import { expect, test } from "vitest";
import { survivorNotices } from "./settle.ts";

test("S0j: the notice of seven kilobytes of shell is one line, and the whole is its detail", () => {
  const command = `bash -c 'set -e\n${"export A=1\n".repeat(700)}npm test --watch'`;
  const [notice, ...more] = survivorNotices([{ pid: 7, command }], "turn");
  expect(more).toEqual([]);
  expect(notice?.text).toMatch(
    /^Still running after the turn: bash -c 'set -e .{1,100}npm test --watch' \(7\)\.$/,
  );
  expect(notice?.detail).toBe(`${command} (7)`);
});

test("a short command has no detail, and no process no notice", () => {
  expect(survivorNotices([{ pid: 7, command: "sleep 9" }], "program")).toEqual([
    { code: "survivors", text: "Still running after the program: sleep 9 (7)." },
  ]);
  expect(survivorNotices([], "turn")).toEqual([]);
});
