import { expect, test } from "vitest";
import { hinting } from "./cli.ts";

test("L1: commands in a hint carry the home that was given", () => {
  expect(hinting("./.reprise")("Nothing runs. Start it: reprise up --detach")).toBe(
    "Nothing runs. Start it: reprise --home ./.reprise up --detach",
  );
  expect(hinting("/a b")('See "reprise why k" or reprise session list.')).toBe(
    `See "reprise --home '/a b' why k" or reprise --home '/a b' session list.`,
  );
});

test("L1: without --home, and without a command, a hint stays unchanged", () => {
  expect(hinting(undefined)("reprise up")).toBe("reprise up");
  expect(hinting("/x")("reprise: no. Ship reprise today, reprise --home /x up")).toBe(
    "reprise: no. Ship reprise today, reprise --home /x up",
  );
});
