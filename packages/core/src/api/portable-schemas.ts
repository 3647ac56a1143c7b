/** The schemas of what copies a session, moves it, takes it elsewhere or brings it in. */

import { z } from "zod";
import { agentNameSchema, keySchema, noticeSchema } from "./schemas.ts";

export const forkSchema = z.strictObject({
  key: keySchema,
  newKey: keySchema,
  /** A turn's number, its id or the beginning of one; the end without it. */
  at: z.string().min(1).nullish(),
});

export const moveSchema = z
  .strictObject({
    key: keySchema,
    /** The folder that its next turns work in. */
    folder: z.string().min(1).nullish(),
    /** The provider's home that it lives in from now on. */
    home: z.string().min(1).nullish(),
  })
  .refine(({ folder, home }) => folder != null || home != null, "needs a folder or a home");

export const exportSchema = z.strictObject({
  key: keySchema,
  /** Without the provider's own files: the next turn elsewhere starts from the transcript. */
  transcriptOnly: z.boolean().default(false),
});

export const importSchema = z.strictObject({
  bundle: z.custom<Uint8Array>((value) => value instanceof Uint8Array, "is not a bundle"),
  /** Else the key that it was exported under. */
  key: keySchema.nullish(),
  /** Else the agent of the same name. */
  agent: agentNameSchema.nullish(),
  /** Else the agent's, else the current one. */
  folder: z.string().min(1).nullish(),
});

export const adoptSchema = z.strictObject({
  provider: z.string().min(1),
  /** The provider's own id of the conversation. */
  id: z.string().min(1),
  key: keySchema,
  agent: agentNameSchema,
  folder: z.string().min(1).nullish(),
});

export const createdSessionSchema = z.object({
  key: z.string(),
  agent: z.string(),
  provider: z.string(),
  messages: z.number(),
  /** What its first turn does, if nothing changes until then. */
  next: z.enum(["resume", "reseed"]),
  notices: z.array(noticeSchema),
});

export const movedSessionSchema = z.object({
  key: z.string(),
  agent: z.string(),
  provider: z.string(),
  handle: z.string(),
  folder: z.string(),
  place: z.string(),
  notices: z.array(noticeSchema),
});

export const openedSessionSchema = z.object({
  key: z.string(),
  agent: z.string(),
  provider: z.string(),
  turn: z.string(),
  /** Exit code of the agent's program; 128 + signal. */
  exit: z.number(),
  /** Messages that were typed and answered there. */
  messages: z.number(),
  /** Earlier messages that were taken back there. */
  takenBack: z.number(),
  notices: z.array(noticeSchema),
});
