/**
 * The shell that opencode gets under `read` and `edit`: it runs the allowed commands, exactly as they are written, and
 * nothing else. Opencode starts it as `SHELL -c COMMAND`.
 */

/** What it says about any other command. */
export const refusal = "Reprise: this command is not allowed.";

export function limitedShell(commands: readonly string[]): string {
  const cases = commands.map((command) => `${quoted(command)}) exec /bin/sh -c "$2" ;;`);
  return `#!/bin/sh
case $1 in -c) case $2 in
${cases.join("\n")}
esac ;; esac
echo "${refusal}" >&2
exit 126
`;
}

/** As a pattern of `case`, quoted text matches itself alone. */
function quoted(command: string): string {
  return `'${command.replaceAll("'", `'\\''`)}'`;
}
