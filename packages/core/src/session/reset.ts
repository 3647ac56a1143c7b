/**
 * The reset policy: whether the next turn of a session is a scheduled blank, because a new day began or the
 * session was idle. Setting the clock back never triggers a reset.
 */

import type { Surface } from "./policy.ts";

export type ResetPolicy =
  | { readonly mode: "none" }
  | { readonly mode: "daily"; readonly atHour: number }
  | { readonly mode: "idle"; readonly idleMinutes: number };

type ResetMode = ResetPolicy["mode"];

/** The settings of these names. */
interface ResetSettings {
  readonly "reset.mode": ResetMode;
  readonly "reset.atHour": number;
  readonly "reset.idleMinutes": number;
  readonly "reset.surface": Readonly<Record<string, ResetMode>>;
  readonly "reset.channel": Readonly<Record<string, ResetMode>>;
}

/** The channel's mode wins over the surface's, and that over the general one. */
export function resetPolicy(
  settings: ResetSettings,
  { surface, channel }: { readonly surface: Surface; readonly channel: string | null },
): ResetPolicy {
  const mode =
    (channel === null ? undefined : own(settings["reset.channel"], channel)) ??
    own(settings["reset.surface"], surface) ??
    settings["reset.mode"];
  switch (mode) {
    case "daily":
      return { mode, atHour: settings["reset.atHour"] };
    case "idle":
      return { mode, idleMinutes: settings["reset.idleMinutes"] };
    case "none":
      return { mode };
  }
}

export interface LastUse {
  readonly now: number;
  /** When the conversation had its last message; null while it has none. */
  readonly usedAt: number | null;
  /** The session is held, so it is not reset. */
  readonly held: boolean;
  /** Minutes that local time is ahead of UTC at a moment; it changes with summer time. */
  readonly offsetAt: (at: number) => number;
}

/** Why a reset is due, for people; null if none is. */
export function resetDue(policy: ResetPolicy, use: LastUse): string | null {
  const { now, usedAt, held } = use;
  if (policy.mode === "none" || held || usedAt === null) return null;
  const last = `last used ${new Date(usedAt).toISOString()}`;
  if (policy.mode === "idle") {
    const due = now - usedAt >= policy.idleMinutes * minute;
    return due ? `idle for ${policy.idleMinutes} minutes, ${last}` : null;
  }
  const day = (at: number) =>
    Math.floor((at + use.offsetAt(at) * minute - policy.atHour * hour) / (24 * hour));
  return day(now) > day(usedAt) ? `daily at ${policy.atHour}:00, ${last}` : null;
}

const minute = 60_000;
const hour = 60 * minute;

function own<V>(values: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
