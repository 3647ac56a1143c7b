/** The text of a token, and the digest that is stored for it. */

import { randomBytes } from "node:crypto";
import { sha256 } from "./engine.ts";

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

export function tokenHash(token: string): string {
  return sha256(`token:${token}`);
}
