/** `reprise webhook add`: adds a webhook that gets events, or one that may answer; the secret is shown once. */

import { resolve } from "node:path";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { actor } from "@reprise/engine/engine";
import { readNamedFile } from "@reprise/engine/named-file";
import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import { addWebhook } from "../../server/webhook/hooks.ts";
import type { Cli } from "../cli.ts";

interface AddOptions {
  readonly event?: readonly string[];
  readonly incoming?: boolean;
  readonly secretFile?: string;
}

export async function run(
  cli: Cli,
  url: string | undefined,
  { event = [], incoming = false, secretFile }: AddOptions,
): Promise<number> {
  if (incoming === (url !== undefined) || (incoming && event.length > 0))
    throw new UsageError(
      "what-webhook",
      "A webhook needs either an address to send events to, or --incoming.",
      "Give an address with --event, or --incoming alone.",
    );
  if (incoming) requireOutsideTurn("add a webhook that answers what waits for a person");
  const given = secretFile === undefined ? null : await readSecret(resolve(cli.cwd, secretFile));
  const { webhook, secret } = await cli.withHome(({ engine }) =>
    addWebhook(engine.store, {
      url: url ?? null,
      events: event,
      secret: given,
      by: actor(engine, null),
      at: cli.now(),
    }),
  );
  const shown = given === null ? { secret } : {};
  if (cli.json) cli.document({ ...webhook, ...shown });
  else {
    cli.out.line(`Added webhook ${webhook.id}.`);
    if (given === null) cli.out.line(`Secret: ${secret}`);
  }
  if (given === null) cli.remark("This is the only time that the secret is shown.");
  if (incoming) cli.remark(`Answers are accepted at POST /v1/hooks/${webhook.id} of the server.`);
  return 0;
}

async function readSecret(file: string): Promise<string> {
  try {
    const limits = { limit: 64 * 1024, what: "secret's file", pipes: true };
    return (await readNamedFile(file, limits)).toString("utf8").trim();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new NotFoundError(
      "no-file",
      `The secret's file ${file} cannot be read (${code}).`,
      "Name a file that you may read.",
    );
  }
}
