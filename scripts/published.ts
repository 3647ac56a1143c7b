/** What publint and attw find in the tarball of the package: its fields, its entries, and its types. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { root } from "./files.ts";

const program = path.join(root, "packages/reprise");

/** Builds and packs the package, and names what is wrong with it. */
export async function publishedProblems(): Promise<string> {
  const { build } = await import("./build.ts");
  await build();
  const folder = mkdtempSync(path.join(tmpdir(), "reprise-published-"));
  try {
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
    const packed = execFileSync("npm", args, { cwd: program, encoding: "utf8", stdio: "pipe" });
    return (await tarballProblems(path.join(folder, JSON.parse(packed)[0].filename))).join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function tarballProblems(tarball: string): Promise<string[]> {
  const bytes = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const fields = messages.map((message) => formatMessage(message, pkg, { color: false }) ?? "");
  const { problems } = (await checkPackage(createPackageFromTarballData(bytes))) as {
    problems?: { kind: string; resolutionKind?: string; entrypoint?: string }[];
  };
  if (problems === undefined) return [...fields, "attw finds no types in the package."];
  // The package is for Node 24 and for bundlers: both import ES modules by the field `exports`.
  const wanted = problems.filter(
    ({ resolutionKind }) => resolutionKind !== "node10" && resolutionKind !== "node16-cjs",
  );
  return [...fields, ...wanted.map((problem) => `attw: ${JSON.stringify(problem)}`)];
}
