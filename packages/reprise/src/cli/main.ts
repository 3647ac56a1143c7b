/** The command line's entry: answers `--version` at once, and loads everything else only when needed. */

import manifest from "../../package.json" with { type: "json" };

/** Runs one command and returns its exit code; `argv` is without the program's own name. */
export async function main(argv: string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    process.stdout.write(`${manifest.version}\n`);
    return 0;
  }
  const [{ processSurroundings }, { runProgram }] = await Promise.all([
    import("./cli.ts"),
    import("./program.ts"),
  ]);
  const cwd = currentFolder();
  if (cwd === null) return noCurrentFolder(argv.includes("--json"));
  return runProgram(argv, processSurroundings(cwd));
}

/** Null when it was removed, or cannot be read. */
function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

function noCurrentFolder(json: boolean): number {
  const error = {
    code: "no-current-folder",
    message: "The current folder no longer exists.",
    hint: "Change to a folder that exists, then run the command again.",
  };
  if (json) process.stdout.write(`${JSON.stringify({ error })}\n`);
  process.stderr.write(`reprise: ${error.message} ${error.hint}\n`);
  return 2;
}
