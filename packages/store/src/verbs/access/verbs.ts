/** How the verbs of access run: what they read or write, and how durable it is. */

import type { AccessStore } from "../../contract/access.ts";
import type { Transactions } from "../transactions.ts";
import { createToken } from "./create-token.ts";
import { createLogin, endLogin, endLogins, readLogin } from "./logins.ts";
import {
  clearPassphraseTries,
  listPassphrases,
  setPassphrase,
  tryPassphrase,
} from "./passphrases.ts";
import { listTokens, readToken } from "./read-tokens.ts";
import { revokeToken } from "./revoke-token.ts";
import { rotateToken } from "./rotate-token.ts";
import { useToken } from "./use-token.ts";

export const accessStore = ({ read, write, writeBuffered }: Transactions): AccessStore => ({
  createToken: write(createToken),
  readToken: read(readToken),
  listTokens: read(listTokens),
  useToken: writeBuffered(useToken),
  rotateToken: write(rotateToken),
  revokeToken: write(revokeToken),
  createLogin: write(createLogin),
  readLogin: read(readLogin),
  endLogin: write(endLogin),
  endLogins: write(endLogins),
  setPassphrase: write(setPassphrase),
  listPassphrases: read(listPassphrases),
  tryPassphrase: write(tryPassphrase),
  clearPassphraseTries: write(clearPassphraseTries),
});
