/** The schemas for forking, moving, exporting and importing sessions. */

import { z } from "zod";
import { once } from "./parse.ts";
import { agentNameSchema, keySchema, noticeSchema } from "./schemas.ts";

export const forkSchema = once(() =>
  z.strictObject({
    key: keySchema(),
    newKey: keySchema(),
    at: z.string().min(1).nullish(),
  }),
);

export const moveSchema = once(() =>
  z
    .strictObject({
      key: keySchema(),
      folder: z.string().min(1).nullish(),
      home: z.string().min(1).nullish(),
      by: z.string().min(1).nullish(),
    })
    .refine(({ folder, home }) => folder != null || home != null, "needs a folder or a home"),
);

export const exportSchema = once(() =>
  z.strictObject({
    key: keySchema(),
    transcriptOnly: z.boolean().default(false),
    by: z.string().min(1).nullish(),
  }),
);

export const importSchema = once(() =>
  z.strictObject({
    bundle: z.custom<Uint8Array>((value) => value instanceof Uint8Array, "is not a bundle"),
    key: keySchema().nullish(),
    agent: agentNameSchema().nullish(),
    folder: z.string().min(1).nullish(),
  }),
);

export const adoptSchema = once(() =>
  z.strictObject({
    provider: z.string().min(1),
    id: z.string().min(1),
    key: keySchema(),
    agent: agentNameSchema().nullish(),
    folder: z.string().min(1).nullish(),
  }),
);

export const createdSessionSchema = once(() =>
  z.object({
    key: z.string(),
    agent: z.string(),
    provider: z.string(),
    messages: z.number(),
    next: z.enum(["resume", "reseed"]),
    notices: z.array(noticeSchema()),
  }),
);

export const movedSessionSchema = once(() =>
  z.object({
    key: z.string(),
    agent: z.string(),
    provider: z.string(),
    handle: z.string(),
    folder: z.string(),
    place: z.string(),
    notices: z.array(noticeSchema()),
  }),
);

export const openedSessionSchema = once(() =>
  z.object({
    key: z.string(),
    agent: z.string(),
    provider: z.string(),
    turn: z.string(),
    exit: z.number(),
    messages: z.number(),
    takenBack: z.number(),
    notices: z.array(noticeSchema()),
  }),
);
