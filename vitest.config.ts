/** The groups of tests, cheap ones first; a group begins when the one before it has ended. */

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const retry = process.env.CI ? 1 : 0;
const realAgents = "**/*.agent.test.ts";

function group(groupOrder: number, name: string, include: string[], exclude: string[] = []) {
  return {
    test: {
      name,
      include,
      exclude: ["**/node_modules/**", "**/dist/**", ...exclude],
      sequence: { groupOrder },
      // Only a bound: the processes that these tests start share two cores with those of others.
      // In continuous integration a failure is tried once more, and `npm test` names what then passed.
      testTimeout: 30_000,
      hookTimeout: 30_000,
      retry: name === "unit" ? 0 : retry,
    },
  };
}

/** Built once for all of its tests, which have a browser to start as well. */
function withPage({ test }: ReturnType<typeof group>) {
  return { test: { ...test, testTimeout: 60_000, globalSetup: ["test/page/built-page.ts"] } };
}

// The programs that tests start are TypeScript: compiled once, they need half of the processor's time.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL(".cache/compiled", import.meta.url));

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      group(0, "unit", ["packages/{core,store}/src/**/*.test.ts"]),
      group(
        1,
        "process",
        ["packages/*/src/**/*.test.ts", "test/*/**/*.test.ts"],
        ["packages/{core,store}/**", "test/{conformance,crash,package,page}/**", realAgents],
      ),
      group(2, "conformance", ["test/conformance/**/*.test.ts"], [realAgents]),
      group(3, "crash", ["test/crash/**/*.test.ts"], [realAgents]),
      group(4, "package", ["test/package/**/*.test.ts"], [realAgents]),
      withPage(group(5, "page", ["test/page/**/*.test.ts"])),
      group(6, "agents", [realAgents]),
    ],
  },
});
