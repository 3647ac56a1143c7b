/** The settings that a single session may override. */

import { UsageError } from "../errors/errors.ts";
import { suggest } from "../errors/suggestion.ts";
import type { SessionSettings } from "./own-settings.ts";
import {
  canonicalSetting,
  readLayer,
  type SettingName,
  type Settings,
  settingsOf,
} from "./settings.ts";

/** The settings that affect decisions about this session, or its retention. */
export const sessionSettingNames: readonly SettingName[] = settingsOf("session");

/** Checks changes to a session's own settings; null removes a value.
 * @throws UsageError for a setting that a session cannot override, or a bad value.
 */
export function readSessionSettings(
  values: Readonly<Record<string, unknown>>,
): Record<string, string | number | null> {
  const read = Object.entries(values).map(([name, value]) => {
    const known = sessionSettingNames.find((each) => each === name);
    if (known === undefined)
      throw new UsageError(
        "no-session-setting",
        `"${name}" cannot be set for a single session.`,
        suggest(name, sessionSettingNames),
      );
    return [known, value === null ? null : canonicalSetting(known, value, "session")] as const;
  });
  return Object.fromEntries(read);
}

/** The settings for one session: its own win over the general ones. */
export function withSession(settings: Settings, own: SessionSettings): Settings {
  if (Object.keys(own).length === 0) return settings;
  const read = readLayer({ origin: "session", values: own });
  return {
    ...settings,
    // Its own reset mode also wins over those of its channel and surface.
    ...(read.has("reset.mode") && { "reset.surface": {}, "reset.channel": {} }),
    ...Object.fromEntries(read),
  };
}
