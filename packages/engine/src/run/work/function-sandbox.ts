/**
 * The process in which the code of function nodes runs, kept for as long as it behaves. A call that
 * does not end in time, or brings the process down, costs only itself: functions have no effects, so
 * what else was under way is simply called again in the next process.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TerminalError, TimedOutError } from "@reprise/core/errors/errors";
import type { Values } from "@reprise/core/workflow/run/event";
import type { FunctionCall, FunctionResult } from "./function-host.ts";

export interface CallOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

interface Pending extends FunctionCall {
  readonly done: (outputs: Values) => void;
  readonly failed: (error: Error) => void;
  readonly timeout: number;
  timer: NodeJS.Timeout | null;
  /** It was there when a host went down: it is called alone, and only once more. */
  suspect: boolean;
}

const heapMegabytes = 256;
/** Ends a host in an endless loop whose Reprise was killed; a busy one is simply started again. */
const processorSeconds = 600;

export class FunctionSandbox {
  #host: ChildProcess | null = null;
  /** In the host's hands. */
  readonly #running = new Map<number, Pending>();
  #waiting: Pending[] = [];
  /** They come before those that wait, each when nothing else runs. */
  #suspects: Pending[] = [];
  /** What the host is to be told at the end of this turn: many runs take a step at once. */
  #outbox: string[] = [];
  #last = 0;

  call(code: string, inputs: Values, { timeout, signal }: CallOptions): Promise<Values> {
    return new Promise<Values>((done, failed) => {
      if (signal?.aborted) return failed(signal.reason);
      this.#last += 1;
      const call = {
        id: this.#last,
        code,
        inputs: JSON.stringify(inputs),
        done,
        failed,
        timeout,
        timer: null,
        suspect: false,
      };
      signal?.addEventListener("abort", () => this.#abort(call, signal.reason), { once: true });
      this.#waiting.push(call);
      this.#next();
    });
  }

  close(): void {
    this.#host?.kill("SIGKILL");
  }

  #next(): void {
    if (this.#suspects.length === 0) for (const call of this.#waiting.splice(0)) this.#send(call);
    else if (this.#running.size === 0) this.#send(this.#suspects[0]!);
  }

  #send(call: Pending): void {
    this.#host ??= this.#start();
    if (this.#running.size === 0) hold(this.#host, true);
    this.#running.set(call.id, call);
    call.timer = setTimeout(() => this.#expire(call), call.timeout);
    const { id, code, inputs } = call;
    this.#outbox.push(JSON.stringify({ id, code, inputs } satisfies FunctionCall));
    if (this.#outbox.length === 1) process.nextTick(() => this.#post());
  }

  #post(): void {
    const lines = this.#outbox.splice(0);
    if (lines.length > 0) this.#host?.stdin?.write(`${lines.join("\n")}\n`);
  }

  #start(): ChildProcess {
    const program = hostPath();
    const words = [process.execPath, ...restrictions(program), program];
    const host = spawn(
      "/bin/sh",
      ["-c", `ulimit -t ${processorSeconds}; exec "$0" "$@"`, ...words],
      {
        env: {},
        cwd: "/",
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    // Writing to a host that is gone: its end is told by `exit`.
    host.stdin?.on("error", () => {});
    let rest = "";
    host.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.#take(JSON.parse(line));
    });
    host.once("exit", () => this.#lost(host));
    host.once("error", () => this.#lost(host));
    return host;
  }

  #take(result: FunctionResult): void {
    const call = this.#running.get(result.id);
    if (!call) return;
    this.#settle(call);
    if ("outputs" in result) call.done(JSON.parse(result.outputs) as Values);
    else
      call.failed(
        new TerminalError(
          "function-failed",
          `The function failed: ${result.error}`,
          "Mend its code.",
        ),
      );
    this.#next();
  }

  #settle(call: Pending): void {
    if (call.timer) clearTimeout(call.timer);
    this.#running.delete(call.id);
    if (call.suspect) this.#suspects = this.#suspects.filter((each) => each !== call);
    if (this.#host && this.#running.size === 0 && this.#waiting.length === 0)
      hold(this.#host, false);
  }

  #expire(call: Pending): void {
    this.#settle(call);
    call.failed(
      new TimedOutError(
        "timed-out",
        `The function did not end within ${call.timeout} ms.`,
        "Give the node a longer timeout, or mend its code.",
      ),
    );
    this.#host?.kill("SIGKILL");
  }

  #abort(call: Pending, reason: unknown): void {
    const sent = this.#running.has(call.id);
    this.#settle(call);
    this.#waiting = this.#waiting.filter((each) => each !== call);
    call.failed(reason as Error);
    // It may run for ever, and nobody waits for it any more.
    if (sent) this.#host?.kill("SIGKILL");
  }

  #lost(host: ChildProcess): void {
    if (this.#host !== host) return;
    this.#host = null;
    this.#outbox = [];
    const calls = [...this.#running.values()];
    for (const call of calls) {
      this.#settle(call);
      if (call.suspect) call.failed(crashed());
      else this.#suspects.push(Object.assign(call, { suspect: true }));
    }
    this.#next();
  }
}

/** What Node is told so that its process can reach nothing but its own program. */
export function restrictions(program: string): string[] {
  return [
    "--permission",
    `--allow-fs-read=${program}`,
    `--max-old-space-size=${heapMegabytes}`,
    "--disable-warning=ExperimentalWarning",
  ];
}

/** A host that nobody waits for does not keep the program from ending. */
function hold(host: ChildProcess, held: boolean): void {
  for (const part of [host, host.stdin, host.stdout] as unknown as Referenced[])
    if (held) part.ref();
    else part.unref();
}

interface Referenced {
  ref(): void;
  unref(): void;
}

function crashed(): TerminalError {
  return new TerminalError(
    "function-crashed",
    `The function ended its process, perhaps by using more than ${heapMegabytes} MB.`,
    "Mend its code.",
  );
}

/** Beside the bundle, or as source. */
function hostPath(): string {
  const bundled = fileURLToPath(new URL("./function-host.js", import.meta.url));
  return realpathSync(
    existsSync(bundled) ? bundled : fileURLToPath(new URL("./function-host.ts", import.meta.url)),
  );
}
