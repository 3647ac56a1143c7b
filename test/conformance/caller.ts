/**
 * A caller of Reprise in a process of its own, for cases in which that process dies: before or after a
 * call that Reprise makes to its store or launcher, or while the shim that it started has not come far.
 * `node caller.ts '{"home", "folder", "send", …}'`; prints the turn, or the code of its error.
 */

import childProcess, { type SpawnOptions } from "node:child_process";
import { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { AnswerTurn, Send } from "@reprise/core/api/reprise";
import { FencedError, RepriseError } from "@reprise/core/errors/errors";
import { openReprise } from "@reprise/engine/open-reprise";

export interface CallerOrder {
  readonly home: string;
  readonly folder: string;
  readonly send?: Send;
  /** Answers a waiting turn instead. */
  readonly answer?: AnswerTurn;
  /** Kills itself there: `before store.finishTurn`, `after launcher.start`. */
  readonly dies?: `${"before" | "after"} ${"store" | "launcher"}.${string}`;
  /** A file that names the call that was rejected because another process has the turn. */
  readonly fencedAt?: string;
  /** A file that appears when it begins to follow an agent; until that one ends it needs no lock. */
  readonly followsAt?: string;
  /** Stops the shim before its first command, or when it has won its ticket, and dies with it stopped. */
  readonly freezes?: "shim" | "shim-with-ticket";
}

const order: CallerOrder = JSON.parse(process.argv[2] ?? "{}");

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

function afterwards(call: string) {
  return [
    (output: unknown) => {
      if (order.dies === `after ${call}`) die();
      return output;
    },
    (error: unknown) => {
      if (error instanceof FencedError && order.fencedAt) writeFileSync(order.fencedAt, call);
      throw error;
    },
  ] as const;
}

function mortal<Part extends object>(part: Part, name: string): Part {
  return new Proxy(part, {
    get(target, property) {
      const method = Reflect.get(target, property);
      if (typeof method !== "function") return method;
      return (...input: unknown[]) => {
        const call = `${name}.${String(property)}`;
        if (order.dies === `before ${call}`) die();
        if (order.followsAt && call === "launcher.follow") writeFileSync(order.followsAt, call);
        const output = method.apply(target, input);
        return output instanceof Promise ? output.then(...afterwards(call)) : output;
      };
    },
  });
}

/** The shim is a script of the shell: it is made to stop itself at the chosen line. */
function freeze(moment: NonNullable<CallerOrder["freezes"]>): void {
  const { spawn } = childProcess;
  const stop = "kill -STOP $$\n";
  const line = moment === "shim" ? /^/ : /^(?=__reprise_record pid)/m;
  const frozen = (program: string, args: readonly string[], options: SpawnOptions) => {
    if (program !== "/bin/sh") return spawn(program, args, options);
    const [flag = "", script = "", ...rest] = args;
    if (!line.test(script)) throw new Error("the shim has no such line");
    const child = spawn(program, [flag, script.replace(line, () => stop), ...rest], options);
    child.once("spawn", die);
    return child;
  };
  Object.assign(childProcess, { spawn: frozen });
  syncBuiltinESMExports();
}

if (order.freezes) freeze(order.freezes);
const reprise = await openReprise({
  home: order.home,
  cwd: order.folder,
  wrap: {
    store: (store) => mortal(store, "store"),
    launcher: (launcher) => mortal(launcher, "launcher"),
  },
});
const result = await (order.answer
  ? reprise.turns.answer(order.answer)
  : reprise.sessions.send(order.send!)
).catch((error) => {
  if (!(error instanceof RepriseError)) throw error;
  process.exitCode = 1;
  return { error: { code: error.code } };
});
await reprise.close();
console.log(JSON.stringify(result));
