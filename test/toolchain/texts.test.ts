/** The text check, on lines that must not land and lines that may. */

import { expect, test } from "vitest";
import { textProblemsIn, wordProblems } from "../../scripts/texts.ts";

// Put together here, so that this file passes the check itself.
test.each([
  ["test", ".only(", `"alone", () => {});`],
  [`"resolved": `, `"https://`, `example.org/left-pad.tgz"`],
  ["see https:", "//registry", ".example.org/x"],
  ["from ", "registry.", "example.org"],
  ["in ", "/root", "/.cache/x"],
  [`"`, "/home", `/ada/code/x.ts"`],
  ["(", "/Users", "/ada/code/x.ts)"],
])("%s%s%s is found", (...parts) => {
  expect(textProblemsIn("a.md", `first line\n${parts.join("")}`)).toEqual([
    expect.stringMatching(/^a\.md:2 /),
  ]);
});

test.each([
  `"resolved": "packages/core"`,
  "--folder ~/src/parser",
  "packages/work/src, a registry of agents",
  "new URL('https://example.org/home/page/x')",
  "results.only(those)",
])("%s passes", (line) => {
  expect(textProblemsIn("a.md", line)).toEqual([]);
});

test.each([
  ["Let whoever has the token in no more.", "whoever"],
  ["It can not be used.", "can not"],
  ["Now mend it.", "mend"],
  ["The agent is told so.", "told"],
  ["The run goes on.", "goes on"],
  ["b stands in a.", "stands in"],
  ["At most so many.", "so many"],
  ["A class is no agent.", "is no a"],
  ["/** Of a loop, its iteration. */", "/** Of "],
])("K1: %s is not plain", (line, word) => {
  expect(wordProblems("docs/a.md", line)).toEqual([
    expect.stringContaining(`docs/a.md:1 "${word}" (write: `),
  ]);
});

test.each([
  "The amendment is bold.",
  "This page continues.",
  "Cannot be used.",
  "The theme is dark.",
  "There is no agent.",
  "It is no longer held.",
  "/** Offset of the first byte. */",
])("K1: %s is plain", (line) => {
  expect(wordProblems("docs/a.md", line)).toEqual([]);
});
