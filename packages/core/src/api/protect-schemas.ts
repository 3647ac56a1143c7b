/** The schemas that check inputs and outputs about kept sessions. */

import { z } from "zod";
import { once } from "./parse.ts";
import { agentNameSchema } from "./schemas.ts";

const by = z.string().min(1).nullish();
const id = z.string().min(4).max(200);

export const scanSchema = once(() =>
  z.strictObject({
    agent: agentNameSchema().nullish(),
    limit: z.int().positive().optional(),
  }),
);

export const setProtectSchema = once(() => z.strictObject({ on: z.boolean(), by }));

export const listKeptSchema = once(() =>
  z.strictObject({
    gone: z.boolean().default(false),
    limit: z.int().positive().max(1000).default(20),
  }),
);

export const restoreKeptSchema = once(() =>
  z.strictObject({
    id,
    provider: z.string().min(1).nullish(),
    force: z.boolean().optional(),
    earlier: z.boolean().optional(),
    dryRun: z.boolean().optional(),
    by,
  }),
);

export const forgetKeptSchema = once(() =>
  z.strictObject({ id, provider: z.string().min(1).nullish(), by }),
);

const unreadFileSchema = once(() => z.object({ path: z.string(), problem: z.string() }));

export const scanReportSchema = once(() =>
  z.object({
    found: z.number(),
    added: z.number(),
    changed: z.number(),
    gone: z.number(),
    remaining: z.number(),
    filesRead: z.number(),
    bytesRead: z.number(),
    unread: z.array(unreadFileSchema()),
    took: z.number(),
  }),
);

export const protectStatusSchema = once(() =>
  z.object({
    onAt: z.number().nullable(),
    every: z.number(),
    scannedAt: z.number().nullable(),
    unread: z.number(),
    homes: z.array(
      z.object({
        provider: z.string(),
        place: z.string(),
        kept: z.number(),
        own: z.number(),
        gone: z.number(),
        bytes: z.number(),
        deletesAfter: z.number().nullable(),
        why: z.string().nullable(),
      }),
    ),
  }),
);

export const keptSessionSchema = once(() =>
  z.object({
    id: z.string(),
    provider: z.string(),
    place: z.string(),
    folder: z.string().nullable(),
    prompt: z.string().nullable(),
    usedAt: z.number(),
    keptAt: z.number(),
    goneAt: z.number().nullable(),
    expiresAt: z.number().nullable(),
    why: z.string().nullable(),
  }),
);

export const restoredSessionSchema = once(() =>
  z.object({
    id: z.string(),
    provider: z.string(),
    place: z.string(),
    folder: z.string().nullable(),
    prompt: z.string().nullable(),
    files: z.array(z.object({ path: z.string(), action: z.enum(["written", "same", "replaced"]) })),
    aside: z.string().nullable(),
    changed: z.boolean(),
  }),
);
