/** The workflows that the repository shows: whole files, and blocks of YAML in its pages. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export const examples = globSync("examples/*.yaml", { cwd: root }).toSorted();
export const testWorkflows = globSync("workflows/*.yaml", { cwd: root }).toSorted();

export interface ShownWorkflow {
  /** `docs/workflows.md:42`. */
  readonly place: string;
  readonly text: string;
  /** Codes of the findings that the page says it has: `<!-- findings: created-port -->` above it. */
  readonly findings: readonly string[];
}

const skill = "packages/reprise/plugins/reprise/skills/workflows/SKILL.md";
const pages = [
  "README.md",
  "examples/README.md",
  skill,
  ...globSync("docs/**/*.md", { cwd: root }),
];
const block = /(?:<!-- findings: (.*?) -->\n+)?^```ya?ml\n(.*?)^```/gms;

/** Blocks that are whole workflows; others show a part of one, or something else. */
export function shownWorkflows(): ShownWorkflow[] {
  return pages.toSorted().flatMap((page) => {
    const whole = read(page);
    return [...whole.matchAll(block)].flatMap(({ 1: findings = "", 2: text = "", index }) => {
      const line = whole.slice(0, index).split("\n").length;
      const codes = findings.split(/[,\s]+/).filter((code) => code !== "");
      return isWorkflow(text) ? [{ place: `${page}:${line}`, text, findings: codes }] : [];
    });
  });
}

function isWorkflow(text: string): boolean {
  return /^steps:/m.test(text) || (/^nodes:/m.test(text) && /^metadata:/m.test(text));
}
