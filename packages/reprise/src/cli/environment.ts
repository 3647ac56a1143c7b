/** Variables of the environment that begin with REPRISE_ and mean nothing: usually misspelled. */

import { suggestion } from "@reprise/core/errors/suggestion";
import { environmentName, settingNames } from "@reprise/core/settings/settings";

/** Those that are not settings. */
const others = [
  ...["REPRISE_HOME", "REPRISE_USER", "REPRISE_DEBUG", "REPRISE_TURN", "REPRISE_NODE"],
  ...["REPRISE_RUN", "REPRISE_TOKEN", "REPRISE_URL", "REPRISE_ANSWERS", "REPRISE_DEFERRED"],
];

/** One sentence for each that is close to a known name; names of other programs are left alone. */
export function misspelledVariables(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const known = [...others, ...settingNames.map(environmentName)];
  return Object.keys(env)
    .filter((name) => name.startsWith("REPRISE_") && !known.includes(name))
    .flatMap((name) => {
      const meant = suggestion(name, known);
      return meant
        ? [`The environment variable ${name} has no effect. Did you mean ${meant}?`]
        : [];
    });
}
