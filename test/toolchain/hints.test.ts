/** Hints are written once, in the words of the library: what is below the surfaces names no command and no flag. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { parseSync, Visitor } from "rolldown/utils";
import { expect, test } from "vitest";
import { commandGroups } from "../../packages/reprise/src/cli/command-groups.ts";
import { repositoryFiles, root } from "../../scripts/files.ts";

const below = /^packages\/(?:core|engine|store|workflow|client|providers)\/src\/.*(?<!\.test)\.ts$/;
/** The table with the commands of the calls, and the scripted agent, which is a program with flags of its own. */
const exempt =
  /^packages\/core\/src\/api\/verb-commands\.ts$|^packages\/providers\/src\/scripted\//;
/** Flags of other programs. */
const foreign = /"npm install --|did not answer --version|exec "\$0" run --help/;
const commandWords = new RegExp(
  String.raw`\breprise (?:${commandGroups.flatMap(([, paths]) => paths).join("|")})\b|(?:^| )--[a-z][a-z-]+[ .,;:]`,
);

test("X1: no text below the surfaces names a command or a flag", () => {
  const files = repositoryFiles().filter((file) => below.test(file) && !exempt.test(file));
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap((file) => found(file, readFileSync(path.join(root, file), "utf8")))).toEqual(
    [],
  );
});

test("X1: such a text is found in quotes and in templates, and not in comments", () => {
  expect(found("a.ts", 'f("See reprise session list.");')).toHaveLength(1);
  expect(found("a.ts", ["f(`Send to $", "{key} with --agent NAME.`);"].join(""))).toHaveLength(1);
  expect(found("a.ts", "// reprise session list --all\nf('Reprise runs it.');")).toEqual([]);
});

function found(file: string, source: string): string[] {
  const texts: string[] = [];
  new Visitor({
    Literal({ value }) {
      if (typeof value === "string") texts.push(value);
    },
    TemplateLiteral({ quasis }) {
      texts.push(quasis.map(({ value }) => value.cooked ?? "").join("X"));
    },
  }).visit(parseSync(file, source).program);
  return texts
    .filter((text) => commandWords.test(text) && !foreign.test(text))
    .map((text) => `${file}: ${text}`);
}
