/** The tree of a run on a terminal emulator: redrawn in place, however narrow the terminal is. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import xterm from "@xterm/headless";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { runProgram } from "./program.ts";
import { testSurroundings } from "./test-surroundings.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("progress");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A terminal as a stream with a size, and its content including the scrollback. */
class Screen extends Writable {
  readonly isTTY = true;
  columns: number;
  rows: number;
  drawings = 0;
  readonly #terminal: xterm.Terminal;

  constructor(columns: number, rows: number) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.rows = rows;
    this.#terminal = new xterm.Terminal({
      cols: columns,
      rows,
      // As the system does between a program and its terminal: a line feed also returns the cursor.
      convertEol: true,
      allowProposedApi: true,
    });
  }

  override _write(text: string, _: BufferEncoding, done: () => void): void {
    this.drawings += text.split("\u001b[J").length - 1;
    this.#terminal.write(text, done);
  }

  resize(columns: number): void {
    this.#terminal.resize(columns, this.rows);
    this.columns = columns;
  }

  async hasDrawn(count: number): Promise<void> {
    while (this.drawings < count || this.writableLength > 0) await new Promise(setImmediate);
  }

  lines(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: active.length }, (_, row) =>
      active.getLine(row)!.translateToString(true),
    ).filter((line) => line !== "");
  }
}

const source = `name: A rather long name of a workflow 日本語 👨‍👩‍👧‍👦 to see what its head does
steps:
  a-name-of-a-node-that-is-wider-than-forty-columns: { shell: echo here }
  family: { shell: 'echo "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦 日本語のテキスト and more of it than there is room for"' }
  waits: { shell: "while [ ! -e go ]; do sleep 0.05; done" }
`;

/** The run continues until `meanwhile` is over; then it ends. */
async function watched(screen: Screen, meanwhile: () => Promise<void>): Promise<string[]> {
  writeFileSync(join(folder, "flow.yaml"), source);
  const ended = runProgram(["run", "flow.yaml", "--id", "r1"], {
    ...testSurroundings({
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, REPRISE_HOME: join(folder, "home") },
    }),
    stderr: screen,
  });
  await meanwhile();
  writeFileSync(join(folder, "go"), "");
  expect(await ended).toBe(0);
  await screen.hasDrawn(0);
  return screen.lines();
}

const tree = [
  expect.stringMatching(/^A rat.* · r1 · done/),
  expect.stringMatching(/^✓ a-name-o/),
  expect.stringMatching(/^✓ family/),
  expect.stringMatching(/^✓ waits/),
];

test.each([80, 40, 20])(
  "on %i columns there is one tree, and no line of it is broken",
  async (columns) => {
    const screen = new Screen(columns, 24);
    expect(await watched(screen, () => screen.hasDrawn(4))).toEqual(tree);
  },
);

test("it is redrawn in place when the terminal becomes narrower or wider", async () => {
  const screen = new Screen(80, 24);
  const lines = await watched(screen, async () => {
    await screen.hasDrawn(3);
    for (const columns of [60, 30, 100]) {
      screen.resize(columns);
      await screen.hasDrawn(screen.drawings + 2);
    }
  });
  expect(lines).toEqual(tree);
});

test("on a terminal of few rows the tree is not higher than that", async () => {
  const screen = new Screen(60, 4);
  const lines = await watched(screen, () => screen.hasDrawn(4));
  expect(lines).toEqual(tree);
});
