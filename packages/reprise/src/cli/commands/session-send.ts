/** `reprise session send`: runs one turn; the answer goes to standard output, all else to standard error. */

import type { BusyPolicy } from "@reprise/core/session/turn";
import type { Cli } from "../cli.ts";
import { type AccessOptions, accessRequest } from "../input/access.ts";
import { type ContinuityOptions, continuityRequest } from "../input/continuity.ts";
import { readPrompt } from "../input/prompt.ts";
import { runTurn } from "../turn-run.ts";

interface SendCommandOptions extends ContinuityOptions, AccessOptions {
  readonly file?: string;
  readonly busy?: BusyPolicy;
  readonly timeout?: number;
  readonly instructions?: string;
  readonly channel?: string;
}

export async function run(
  cli: Cli,
  key: string,
  argument: string | undefined,
  options: SendCommandOptions,
): Promise<number> {
  const { file, busy, timeout, instructions, channel } = options;
  const send = {
    ...continuityRequest(cli.cwd, key, options),
    prompt: await readPrompt(cli, argument, file),
    busy: busy ?? null,
    timeout: timeout ?? null,
    instructions: instructions ?? null,
    channel: channel ?? null,
    ...accessRequest(options),
  };
  return runTurn(cli, ({ sessions }, running) => sessions.send(send, running));
}
