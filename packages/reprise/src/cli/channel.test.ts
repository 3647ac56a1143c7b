import { expect, test } from "vitest";
import { channel } from "./cli.ts";
import { testCli, testSurroundings } from "./test-surroundings.ts";

const terminal = { columns: 100 };

test.each([
  ["no terminal", {}, false],
  ["a terminal", terminal, true],
  ["a dumb terminal", { ...terminal, env: { TERM: "dumb" } }, false],
  ["NO_COLOR", { ...terminal, env: { NO_COLOR: "1" } }, false],
  ["an empty NO_COLOR", { ...terminal, env: { NO_COLOR: "" } }, true],
  ["FORCE_COLOR without a terminal", { env: { FORCE_COLOR: "1" } }, true],
  ["FORCE_COLOR=0", { ...terminal, env: { FORCE_COLOR: "0" } }, false],
  ["--no-color over FORCE_COLOR", { color: false, env: { FORCE_COLOR: "1" } }, false],
])("%s: colours %o", (_, options, coloured) => {
  const { out } = testCli(options);
  expect(out.paint("red", "x")).toBe(coloured ? "\u001b[31mx\u001b[39m" : "x");
});

test("only a terminal has a width", () => {
  expect(testCli(terminal).out.width).toBe(100);
  expect(testCli().out.width).toBe(Number.POSITIVE_INFINITY);
});

test("L4: a terminal of width 0 counts as 80 columns, and a dumb one is not redrawn", () => {
  const { stdout } = testSurroundings({ columns: 0 });
  expect(channel(stdout, { TERM: "xterm" }, true)).toMatchObject({ width: 80, redraws: true });
  expect(channel(stdout, { TERM: "dumb" }, true)).toMatchObject({
    redraws: false,
    coloured: false,
  });
});
