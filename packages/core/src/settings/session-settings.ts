/** The settings that one session may have otherwise than all others. */

import { UsageError } from "../errors/errors.ts";
import { suggest } from "../errors/suggestion.ts";
import {
  canonicalSetting,
  readLayer,
  type SettingName,
  type Settings,
  settingsOf,
} from "./settings.ts";

/** As a person would write them. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/** What a decision about this session, or its keeping, depends on. */
export const sessionSettingNames: readonly SettingName[] = settingsOf("session");

/**
 * Checks what somebody wants to set; null takes a session's own value away.
 * @throws UsageError for a name that no session has of its own, or a bad value.
 */
export function readSessionSettings(
  values: Readonly<Record<string, unknown>>,
): Record<string, string | number | null> {
  const read = Object.entries(values).map(([name, value]) => {
    const known = sessionSettingNames.find((each) => each === name);
    if (known === undefined)
      throw new UsageError(
        "no-session-setting",
        `A session has no setting "${name}" of its own.`,
        suggest(name, sessionSettingNames),
      );
    return [known, value === null ? null : canonicalSetting(known, value, "session")] as const;
  });
  return Object.fromEntries(read);
}

/** The settings for one session: its own before those of all. */
export function withSession(settings: Settings, own: SessionSettings): Settings {
  if (Object.keys(own).length === 0) return settings;
  const read = readLayer({ origin: "session", values: own });
  return {
    ...settings,
    // Its own mode of reset also comes before those of its channel and surface.
    ...(read.has("reset.mode") && { "reset.surface": {}, "reset.channel": {} }),
    ...Object.fromEntries(read),
  };
}
