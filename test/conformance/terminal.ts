/** A pseudo-terminal with a program in it, the keys that a person presses, and the screen that they see. */

import { type IPty, spawn } from "@lydell/node-pty";
import xterm, { type Terminal as Emulator, type IModes } from "@xterm/headless";
import { onTestFailed, onTestFinished } from "vitest";
import { signal } from "./subject.ts";

const size = { cols: 120, rows: 40 };

export const enter = "\r";
export const controlC = "\u0003";
export const controlD = "\u0004";
export const esc = "\u001b";
export const up = "\u001b[A";
export const left = "\u001b[D";
/** Deletes the line before the cursor. */
export const controlU = "\u0015";
export const backspace = "\u007f";

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export class Terminal implements Disposable {
  /** The exit code, once the program has ended and all that it wrote is on the screen. */
  readonly ended: Promise<number>;
  readonly #program: IPty;
  readonly #screen: Emulator;
  #cursor = true;
  #running = true;

  constructor([file = "", ...args]: readonly string[], { cwd, env }: TerminalOptions) {
    this.#screen = new xterm.Terminal({ ...size, allowProposedApi: true });
    this.#program = spawn(file, args, { ...size, name: "xterm-256color", cwd, env });
    this.#program.onData((text) => this.#screen.write(text));
    // What the program asks of the terminal, such as where the cursor is.
    this.#screen.onData((text) => {
      if (this.#running) this.#program.write(text);
    });
    this.#watchCursor();
    this.ended = new Promise((resolve) =>
      this.#program.onExit(({ exitCode }) => {
        this.#running = false;
        this.#screen.write("", () => resolve(exitCode));
      }),
    );
    onTestFailed(() => console.error(`The screen was:\n${this.text()}`));
    onTestFinished(() => this[Symbol.dispose]());
  }

  /** Whatever runs in the terminal is one process group. */
  [Symbol.dispose](): void {
    if (this.#running) signal(-this.#program.pid, "SIGKILL");
  }

  press(key: string): void {
    this.#program.write(key);
  }

  /**
   * Key by key, each when the one before it is on the line that is being typed: agents take keys
   * that come all at once for pasted text, in which Enter is a new line.
   */
  async type(line: string): Promise<void> {
    for (let end = 1; end <= line.length; end += 1) {
      this.press(line[end - 1]!);
      const typed = line.slice(0, end).trimEnd();
      await this.until(() => this.#lines().some((shown) => withoutMark(shown) === typed));
    }
  }

  async shows(wanted: RegExp): Promise<void> {
    await this.until(() => wanted.test(this.text()));
  }

  /** Looks again whenever something was drawn. */
  async until(holds: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => {
      if (holds()) resolve();
    };
    const drawn = this.#screen.onWriteParsed(look);
    look();
    void this.ended.then((code) => reject(new Error(`The program has ended with ${code}.`)));
    try {
      await promise;
    } finally {
      drawn.dispose();
    }
  }

  text(): string {
    return this.#lines().join("\n").trimEnd();
  }

  /** What a program may have switched on and not off. */
  state(): { cursor: boolean; screen: string } & Pick<IModes, "mouseTrackingMode"> {
    const { mouseTrackingMode } = this.#screen.modes;
    return { cursor: this.#cursor, screen: this.#screen.buffer.active.type, mouseTrackingMode };
  }

  #lines(): string[] {
    const { active } = this.#screen.buffer;
    return Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)?.translateToString(true) ?? "",
    );
  }

  #watchCursor(): void {
    for (const [final, shown] of [
      ["h", true],
      ["l", false],
    ] as const)
      this.#screen.parser.registerCsiHandler({ prefix: "?", final }, (modes) => {
        if (modes.includes(25)) this.#cursor = shown;
        return false;
      });
  }
}

/** The prompt that was taken back is on the line, ready to be changed. */
export async function clearLine(terminal: Terminal, isClear: RegExp): Promise<void> {
  while (!isClear.test(terminal.text())) {
    const before = terminal.text();
    terminal.press(controlU);
    terminal.press(backspace);
    await terminal.until(() => terminal.text() !== before);
  }
}

/** What follows the mark with which agents begin the line that is being typed. */
function withoutMark(line: string): string {
  return line.replace(/^\s*[>›❯]\s/, "").trim();
}
