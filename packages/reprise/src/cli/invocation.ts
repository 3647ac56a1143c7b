/** Connects a command's definition to its handler, which is loaded only when the command runs. */

import type { Command } from "commander";
import type { Cli } from "./cli.ts";

export interface CommandModule<Args extends unknown[]> {
  /** Runs the command and returns its exit code. */
  run(cli: Cli, ...args: Args): Promise<number>;
}

/** Turns a command's module into commander's action: arguments and options become its parameters. */
export type Invoke = <Args extends unknown[]>(
  load: () => Promise<CommandModule<Args>>,
) => (...args: unknown[]) => Promise<void>;

export function invoker(
  cliFor: (command: Command) => Cli,
  finished: (exitCode: number) => void,
): Invoke {
  return <Args extends unknown[]>(load: () => Promise<CommandModule<Args>>) =>
    async (...given: unknown[]) => {
      const command = given.pop() as Command;
      const { run } = await load();
      finished(await run(cliFor(command), ...(given as Args)));
    };
}
