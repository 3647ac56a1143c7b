/** A real Chromium: the one that comes with the development dependencies, or the machine's own Chrome. */

import sparticuz from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";
import type { TestContext } from "vitest";

const isBrought = process.platform === "linux" && process.arch === "x64";

export async function launchChromium(): Promise<Browser> {
  if (!isBrought) return chromium.launch({ channel: "chrome" });
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    // Root may not use the sandbox, and nothing but our own page is looked at. In a single process the
    // browser would end with the first page that is closed.
    args: [...sparticuz.args.filter((flag) => flag !== "--single-process"), "--no-sandbox"],
  });
}

let running: Promise<Browser> | null = null;

/** One for all tests of a file. */
export async function chromiumFor(context: TestContext): Promise<Browser> {
  try {
    running ??= launchChromium();
    return await running;
  } catch (error) {
    if (isBrought) throw error;
    return context.skip(`there is no Chrome on this machine: ${error}`);
  }
}

export async function closeChromium(): Promise<void> {
  await (await running)?.close();
}
