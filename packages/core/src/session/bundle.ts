/**
 * A bundle: one session as text, for another home. JSON lines: a header, the messages, the pin, the
 * provider's files, and finally the digest of all lines before it. It contains the whole conversation, but no
 * settings, no credentials and nothing that identifies an account.
 */

import { z } from "zod";
import type { Hash } from "../conversation/slice.ts";
import { UsageError } from "../errors/errors.ts";

/** Version of the format; a reader refuses a newer one. */
export const bundleVersion = 1;

const chainEnd = z.strictObject({ length: z.int().min(0), digest: z.string() });
const usage = z.strictObject({
  cachedRead: z.number().nullable(),
  cachedWrite: z.number().nullable(),
  uncached: z.number().nullable(),
  output: z.number().nullable(),
});

const header = z.object({
  type: z.literal("reprise-bundle"),
  version: z.literal(bundleVersion),
  sensitive: z.literal(true),
  key: z.string(),
  agent: z.string(),
  provider: z.string(),
  exportedAt: z.number(),
});
const message = z.object({
  type: z.literal("message"),
  id: z.string().min(1),
  role: z.enum(["user", "assistant"]),
  agent: z.string(),
  provider: z.string(),
  text: z.string(),
  origin: z.enum(["turn", "native", "unconfirmed"]),
  opening: z.boolean(),
  tools: z.array(z.string()).optional(),
  takenBack: z.string().optional(),
  at: z.number(),
});
const pin = z.object({
  type: z.literal("pin"),
  /** The provider's id of the session. */
  id: z.string(),
  folder: z.string(),
  runtime: z.strictObject({
    product: z.string(),
    version: z.string(),
    abilities: z.array(z.enum(["resume", "model-on-resume"])),
  }),
  model: z.string().nullable(),
  instructions: z.string().nullable(),
  given: chainEnd,
  cursor: z.string().nullable(),
  history: chainEnd.nullable(),
  context: chainEnd.optional(),
  summary: z.string().nullable(),
  totals: usage.nullable(),
  turns: z.number(),
  tokens: z.number(),
  bytes: z.number(),
  startedAt: z.number(),
  confirmedAt: z.number(),
});
const file = z.object({
  type: z.literal("file"),
  name: z.string().min(1),
  sha256: z.string(),
  base64: z.string(),
});
const body = z.discriminatedUnion("type", [message, pin, file]);

export type BundleHeader = Omit<z.output<typeof header>, "type" | "version" | "sensitive">;
export type BundleMessage = Omit<z.output<typeof message>, "type">;
export type BundlePin = Omit<z.output<typeof pin>, "type">;
export type BundleFile = Omit<z.output<typeof file>, "type">;

export interface Bundle {
  readonly header: BundleHeader;
  readonly messages: readonly BundleMessage[];
  readonly pin: BundlePin | null;
  readonly files: readonly BundleFile[];
}

export function encodeBundle({ header, messages, pin, files }: Bundle, hash: Hash): string {
  const lines = [
    { type: "reprise-bundle", version: bundleVersion, sensitive: true, ...header },
    ...messages.map((message) => ({ type: "message", ...message })),
    ...(pin ? [{ type: "pin", ...pin }] : []),
    ...files.map((file) => ({ type: "file", ...file })),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  return `${text}${JSON.stringify({ type: "end", sha256: hash(text) })}\n`;
}

/** @throws UsageError `not-a-bundle`, `bundle-newer`, `bundle-damaged` */
export function decodeBundle(text: string, hash: Hash): Bundle {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw damaged("it is truncated");
  const first = parseLine(lines[0]);
  if (first?.type !== "reprise-bundle") throw notABundle();
  if (typeof first.version === "number" && first.version > bundleVersion)
    throw new UsageError(
      "bundle-newer",
      `The bundle has version ${first.version}, but this Reprise supports version ${bundleVersion}.`,
      "Import it with the Reprise version that exported it, or a later one.",
    );
  const end = parseLine(lines.pop());
  if (end?.type !== "end") throw damaged("it is truncated");
  if (end.sha256 !== hash(lines.map((line) => `${line}\n`).join("")))
    throw damaged("its checksum does not match");

  const rest = lines.slice(1).map((line) => checked(body, parseLine(line)));
  const [found] = rest.filter((line) => line.type === "pin");
  return {
    header: checked(header, first),
    messages: rest.filter((line) => line.type === "message"),
    pin: found ?? null,
    files: rest.filter((line) => line.type === "file"),
  };
}

export function notABundle(): UsageError {
  return new UsageError(
    "not-a-bundle",
    "This is not a Reprise bundle.",
    "Give a bundle that Reprise exported from a session.",
  );
}

function checked<S extends z.ZodType>(schema: S, line: unknown): z.output<S> {
  const parsed = schema.safeParse(line);
  if (parsed.success) return parsed.data;
  throw damaged("one of its lines is invalid");
}

function parseLine(line: string | undefined): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line ?? "");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function damaged(how: string): UsageError {
  return new UsageError(
    "bundle-damaged",
    `The bundle is damaged: ${how}.`,
    "Export it again, and copy the whole file.",
  );
}
