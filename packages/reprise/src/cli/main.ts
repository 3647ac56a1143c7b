/** The command line's door: answers `--version` at once, and loads everything else only when asked. */

import manifest from "../../package.json" with { type: "json" };

/** Runs one command; `argv` is without the program's own name. Gives the exit code. */
export async function main(argv: string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    process.stdout.write(`${manifest.version}\n`);
    return 0;
  }
  const [{ processSurroundings }, { runProgram }] = await Promise.all([
    import("./surroundings.ts"),
    import("./program.ts"),
  ]);
  return runProgram(argv, processSurroundings());
}
