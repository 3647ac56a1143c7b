/** The groups of tests, cheap ones first; a group begins when the one before it has ended. */

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { filesLeftToSqlite } from "./test/postgres/left-to-sqlite.ts";
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

/** The same tests again, each home with a PostgreSQL database. */
function onPostgres(groupOrder: number, include: string[]) {
  const { test } = prepared(
    group(groupOrder, "postgres", include, [realAgents, ...filesLeftToSqlite]),
    "test/postgres/servers.ts",
  );
  return { test: { ...test, setupFiles: [...test.setupFiles, "test/postgres/homes.ts"] } };
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
      group(3, "crash", ["test/crash/**/*.test.ts"], ["test/crash/postgres/**", realAgents]),
      prepared(
        group(4, "package", ["test/package/**/*.test.ts"], [realAgents]),
        "test/package/packed.ts",
      ),
      prepared(group(5, "page", ["test/page/**/*.test.ts"]), "test/page/built-page.ts"),
      onPostgres(6, [
        "packages/engine/src/**/*.test.ts",
        "packages/reprise/src/server/*.test.ts",
        "test/conformance/c{01,02,03,04,05,06,07,08,12,15,16,17,20,21,22,24,25,26}-*.test.ts",
        "test/crash/postgres/*.test.ts",
        "test/crash/{before,after}-every-call.test.ts",
        "test/crash/runs/{before-every-call,after-every-call,two-owners}.test.ts",
      ]),
      group(7, "agents", [realAgents]),
    ],
  },
});
