/** A real Chromium: the one that comes with the development dependencies, or the machine's own Chrome. */

import sparticuz from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";
import type { TestContext } from "vitest";

const isBrought = process.platform === "linux" && process.arch === "x64";

/** Unpacks the program into the temporary folder; null where the machine's own Chrome is used. */
export async function unpackChromium(): Promise<string | null> {
  return isBrought ? sparticuz.executablePath() : null;
}

export function launchChromium(executablePath: string | null): Promise<Browser> {
  if (executablePath === null) return chromium.launch({ channel: "chrome" });
  return chromium.launch({
    executablePath,
    // Root may not use the sandbox, and nothing but our own page is looked at. In a single process the
    // browser would end with the first page that is closed.
    args: [...sparticuz.args.filter((flag) => flag !== "--single-process"), "--no-sandbox"],
  });
}

let running: Promise<Browser> | null = null;

/** One for all tests of a file. */
export async function chromiumFor(
  context: TestContext,
  executablePath: string | null,
): Promise<Browser> {
  try {
    running ??= launchChromium(executablePath);
    return await running;
  } catch (error) {
    if (isBrought) throw error;
    return context.skip(`there is no Chrome on this machine: ${error}`);
  }
}

export async function closeChromium(): Promise<void> {
  await (await running)?.close();
}
