/** The schemas that check inputs and outputs about tokens. */

import { z } from "zod";
import { once } from "./parse.ts";
import { roles } from "./role.ts";

/** A hundred years, so that the times that follow from it stay exact. */
const longest = 36_525 * 86_400_000;
const duration = z.int().positive().max(longest);
const by = z.string().min(1).nullish();

export const createTokenSchema = once(() =>
  z.strictObject({
    name: z.string().min(1),
    role: z.enum(roles),
    expiresIn: duration.nullish(),
    by,
  }),
);
export const rotateTokenSchema = once(() =>
  z.strictObject({
    name: z.string().min(1),
    grace: z.int().min(0).max(longest).nullish(),
    expiresIn: duration.nullish(),
    by,
  }),
);

export const tokenSchema = once(() =>
  z.object({
    name: z.string(),
    role: z.enum(roles),
    createdAt: z.number(),
    lastUsedAt: z.number().nullable(),
    expiresAt: z.number().nullable(),
    revokedAt: z.number().nullable(),
  }),
);
export const newTokenSchema = once(() =>
  z.object({
    token: z.string(),
    name: z.string(),
    role: z.enum(roles),
    expiresAt: z.number().nullable(),
  }),
);
