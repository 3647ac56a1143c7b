/** Prints a new token, for the only time. */

import type { NewToken } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { clock } from "./text.ts";

export function printToken(cli: Cli, made: NewToken): void {
  const { token, name, role, expiresAt } = made;
  if (cli.json) cli.document(made);
  else cli.out.line(token);
  const expiry = expiresAt === null ? "" : ` It expires on ${clock(expiresAt)}.`;
  cli.remark(`This is the only time that the token of ${name} (${role}) is shown.${expiry}`);
}
