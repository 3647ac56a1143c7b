import { expect, test } from "vitest";
import { defaultAgentIn } from "./policy.ts";

const settings = {
  defaultAgent: "anyone",
  folderAgents: { "/src": "coder", "/src/parser": "reviewer" },
};

test.each([
  ["/src/parser", "reviewer"],
  ["/src/parser/test", "reviewer"],
  ["/src/parser-2", "coder"],
  ["/src", "coder"],
  ["/srv", "anyone"],
])("L5: a new session in %s goes to %s", (folder, agent) => {
  expect(defaultAgentIn(folder, settings)).toBe(agent);
});

test("L5: without a choice there is no default agent, and / chooses for every folder", () => {
  expect(defaultAgentIn("/src", { defaultAgent: null, folderAgents: {} })).toBe(null);
  expect(defaultAgentIn("/src", { defaultAgent: null, folderAgents: { "/": "coder" } })).toBe(
    "coder",
  );
});
