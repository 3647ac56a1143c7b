/** That no page is forgotten, and that the examples in the help are commands that exist. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandPath, examplesOf, leaves } from "../../packages/reprise/src/cli/help.ts";
import { createProgram } from "../../packages/reprise/src/cli/program.ts";
import { root, shownCommands } from "./shown-commands.ts";

/** Pages whose commands another test runs, or that are not guides. */
const elsewhere: Readonly<Record<string, string>> = {
  "docs/reference/cli.md": "its examples are checked below",
  "docs/writing-a-provider.md": "test/package/provider.test.ts",
};

test("every page that shows commands is run by a test", () => {
  const tests = globSync("*.ts", { cwd: import.meta.dirname })
    .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
    .join("\n");
  const pages = ["README.md", "examples/README.md", ...globSync("docs/**/*.md", { cwd: root })];
  const forgotten = pages.filter(
    (page) =>
      shownCommands(page).length > 0 &&
      !(page in elsewhere) &&
      !tests.includes(`runsAsShown("${page}"`),
  );
  expect(forgotten).toEqual([]);
});

const program = createProgram(() => async () => {});

test.each(leaves(program).map((command) => [commandPath(command), examplesOf(command)] as const))(
  "the examples of %s can be typed",
  async (_, examples) => {
    const lines = examples.flatMap(wordsOf);
    expect(lines).not.toEqual([]);
    for (const words of lines) {
      const typed = createProgram(() => async () => {});
      for (const command of [typed, ...leaves(typed)])
        command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
      await typed.parseAsync(words, { from: "user" });
    }
  },
);

/** The arguments of each call of `reprise` in a line of sh. */
function wordsOf(line: string): string[][] {
  const tokens = line.match(/#.*|[|<>]|&&|(?:"[^"]*"|'[^']*'|[^\s|<>"'])+/g) ?? [];
  const words = tokens.map((token) => token.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
  return words.flatMap((word, index) => {
    const called = index === 0 || /^(\||&&|--|[A-Z_]+=.*)$/.test(words[index - 1]!);
    if (word !== "reprise" || !called) return [];
    const rest = words.slice(index + 1);
    const end = rest.findIndex((each) => /^(#.*|[|<>]|&&)$/.test(each));
    return [end === -1 ? rest : rest.slice(0, end)];
  });
}
