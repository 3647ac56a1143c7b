/** The groups of tests, cheap ones first; a group begins when the one before it has ended. */

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { useTemporaryRoot } from "./test/temporary-root.ts";
import { patience } from "./test/until.ts";

const bound = 2.5 * patience;
const realAgents = "**/*.agent.test.ts";

function group(groupOrder: number, name: string, include: string[], exclude: string[] = []) {
  return {
    test: {
      name,
      include,
      exclude: ["**/node_modules/**", "**/dist/**", ...exclude],
      sequence: { groupOrder },
      setupFiles: ["test/temporary-files.ts"],
      // They end what hangs. No test may depend on how long they are, on a machine with much other work too.
      testTimeout: bound,
      hookTimeout: bound,
      expect: { poll: { timeout: patience } },
    },
  };
}

/** A group with a file that runs once before its first test. */
function prepared({ test }: ReturnType<typeof group>, globalSetup: string) {
  return { test: { ...test, globalSetup: [globalSetup] } };
}

useTemporaryRoot();

// The programs that tests start are TypeScript: compiled once, they need half of the processor's time.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL(".cache/compiled", import.meta.url));

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      group(0, "unit", ["packages/{core,workflow,store}/src/**/*.test.ts"]),
      group(
        1,
        "process",
        ["packages/*/src/**/*.test.ts", "test/*/**/*.test.ts"],
        [
          "packages/{core,workflow,store}/**",
          "test/{conformance,crash,package,page}/**",
          realAgents,
        ],
      ),
      group(2, "conformance", ["test/conformance/**/*.test.ts"], [realAgents]),
      group(3, "crash", ["test/crash/**/*.test.ts"], [realAgents]),
      prepared(
        group(4, "package", ["test/package/**/*.test.ts"], [realAgents]),
        "test/package/packed.ts",
      ),
      prepared(group(5, "page", ["test/page/**/*.test.ts"]), "test/page/built-page.ts"),
      group(6, "agents", [realAgents]),
    ],
  },
});
