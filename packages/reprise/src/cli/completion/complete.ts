/**
 * `reprise __complete WORD…`: called by the shell to complete a command. Each line is a candidate, a tab and its
 * description; `:files` or `:folders` leaves it to the shell. It reports no errors.
 */

import { homeFolder } from "@reprise/engine/home";
import type { Command } from "commander";
import type { Surroundings } from "../cli.ts";
import { oneLine } from "../format/text.ts";
import { completionAt } from "./candidates.ts";

export async function complete(
  program: Command,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<void> {
  const { candidates, source, typed, before, home } = completionAt(program, words);
  const lines = candidates.map(({ value, about }) => line(before + value, about));
  if (source === "files" || source === "folders") lines.push(`:${source}`);
  else if (source === "providers") {
    const { readProviders } = await import("@reprise/engine/load-providers");
    for (const { manifest } of (await readProviders(surroundings)).providers)
      if (manifest.name.startsWith(typed)) lines.push(line(before + manifest.name, manifest.title));
  } else if (source !== null) {
    const { namesIn } = await import("@reprise/engine/names");
    for (const { name, about } of namesIn(homeFolder(home, surroundings), source, typed))
      lines.push(line(before + name, about));
  }
  surroundings.stdout.write(lines.map((text) => `${text}\n`).join(""));
}

function line(value: string, about: string): string {
  return about === "" ? value : `${value}\t${oneLine(about)}`;
}
