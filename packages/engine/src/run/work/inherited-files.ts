/** The files of the agent whose profile a node inherits: a note for its prompt, and the folders that it may read. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "@reprise/store/contract/agents";
import type { Engine } from "../../engine.ts";

/** Where agents keep such files, below their work folder. */
const known: Readonly<Record<string, readonly string[]>> = {
  Instructions: ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"],
  Skills: [".claude/skills", ".agents/skills", ".codex/skills", "skills"],
  Memory: ["MEMORY.md", "memory.md", ".claude/memory", "memory"],
};

export interface InheritedFiles {
  /** Folders that it may read. */
  readonly reads: readonly string[];
  /** For the prompt; null if the source agent has no files. */
  readonly note: string | null;
}

export function inheritedFiles({ home }: Engine, source: Agent): InheritedFiles {
  const own = [
    ["Folder", source.folder],
    ["Private folder", home.agentFolder(source.name)],
  ] as const;
  const folders = own.flatMap(([what, path]) =>
    path !== null && existsSync(path) ? [{ what, path }] : [],
  );
  if (folders.length === 0) return { reads: [], note: null };
  const lines = folders.flatMap(({ what, path }) => [`- ${what}: ${path}`, ...filesIn(path)]);
  const note = [
    `You work with the profile of the agent "${source.name}". You may read its files, but do not change them.`,
    ...lines,
  ].join("\n");
  return { reads: folders.map(({ path }) => path), note };
}

function filesIn(folder: string): string[] {
  return Object.entries(known).flatMap(([what, names]) =>
    names
      .map((name) => join(folder, name))
      .filter((path) => existsSync(path))
      .map((path) => `- ${what}: ${path}`),
  );
}
