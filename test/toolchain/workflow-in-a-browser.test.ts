/** The package of workflows needs nothing but the language: what an editor in a browser uses runs without Node. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { createContext, runInContext } from "node:vm";
import { build } from "rolldown";
import { expect, test } from "vitest";
import { root } from "../../scripts/files.ts";

const entry = `
  export { load } from "@reprise/workflow/load";
  export { edit } from "../workflow/src/edit/edit.ts";
  export { formatFile } from "@reprise/workflow/format-file";
  export { migrateFile } from "@reprise/workflow/migrate";
  export { graphView } from "@reprise/workflow/graph-view";
  export { advance } from "@reprise/workflow/run/advance";
  export { fold } from "@reprise/workflow/run/fold";
`;

async function bundled(): Promise<string> {
  const { output } = await build({
    cwd: path.join(root, "packages/reprise"),
    platform: "browser",
    input: "entry",
    write: false,
    output: { format: "iife", name: "workflow" },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "entry" ? path.join(root, "packages/reprise/entry.js") : null),
        load: (id) => (id.endsWith("packages/reprise/entry.js") ? entry : null),
      },
    ],
    onLog(_level, log) {
      throw new Error(log.message);
    },
  });
  const [chunk, ...others] = output;
  expect(others).toEqual([]);
  expect(chunk.imports).toEqual([]);
  return chunk.code;
}

test("K4: a workflow is loaded, edited, formatted and drawn without Node", async () => {
  const text = readFileSync(path.join(root, "examples/review-loop.yaml"), "utf8");
  const context = createContext({ text });
  runInContext(await bundled(), context);
  const inBrowser = (code: string): unknown => runInContext(code, context);
  expect(inBrowser("typeof process + typeof Buffer + typeof require")).toBe("undefined".repeat(3));
  expect(inBrowser("workflow.load(text).graph.nodes.length")).toBeGreaterThan(2);
  expect(inBrowser("JSON.stringify(workflow.graphView(workflow.load(text).graph))")).toContain(
    '"nodes"',
  );
  expect(inBrowser("workflow.formatFile(text).text")).toBe(text);
  expect(
    inBrowser('workflow.edit(text, { do: "add-node", id: "more", fields: { shell: "ls" } })'),
  ).toContain("\n  more:\n    shell: ls\n");
});
