/** Finds environment variables that begin with REPRISE_ but have no meaning: usually misspelled ones. */

import { suggestion } from "@reprise/core/errors/suggestion";
import { environmentName, settingNames } from "@reprise/core/settings/settings";

const prefix = "REPRISE_";

/** Those that are not settings. */
const others = [
  ...["REPRISE_HOME", "REPRISE_USER", "REPRISE_DEBUG", "REPRISE_TURN", "REPRISE_NODE"],
  ...["REPRISE_SPOOLS", "REPRISE_STORE"],
  ...["REPRISE_RUN", "REPRISE_TOKEN", "REPRISE_URL", "REPRISE_ANSWERS", "REPRISE_DEFERRED"],
];

/** One sentence for each that is close to a known name; others may belong to other programs. */
export function misspelledVariables(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const names = [...others, ...settingNames.map(environmentName)];
  const known = names.map((name) => name.slice(prefix.length));
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !names.includes(name))
    .flatMap((name) => {
      // Compared without the prefix, which would make any two names similar.
      const meant = suggestion(name.slice(prefix.length), known);
      return meant
        ? [`The environment variable ${name} has no effect. Did you mean ${prefix}${meant}?`]
        : [];
    });
}
