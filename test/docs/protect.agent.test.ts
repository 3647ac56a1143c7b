/** docs/protect.md, with the real claude. */

import { afterAll } from "vitest";
import { startOnPath } from "../conformance/on-path.ts";
import { onAgent } from "../conformance/real-subject.ts";
import { runsAsShown } from "./page-shell.ts";

const subjects = new AsyncDisposableStack();
afterAll(() => subjects.disposeAsync());

const id = "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10";
const begin = (session: string) => `claude --print --session-id ${session} "Fix the parser."`;
const file = `"$CLAUDE_CONFIG_DIR"/projects/*/${id}.jsonl`;

onAgent("claude", "protect.md", () =>
  runsAsShown("docs/protect.md", async () => {
    const claude = subjects.use(await startOnPath("claude"));
    return {
      env: { ...claude.env, REPRISE_HOME: undefined, REPRISE_MAX_ACCESS: undefined },
      before: {
        "reprise protect on        # scan now, and every hour while a server runs": () =>
          `${begin(id)} && ${begin(id.replace("0", "1"))}`,
        "reprise protect scan --agent coder    # only the home of this agent's program": () =>
          "reprise agent create coder --provider claude",
        "reprise session restore 0f5b1c1e --dry-run    # what would be written": () =>
          `rm ${file} && reprise protect scan`,
        // It runs only if the file is back.
        [`reprise session import --provider claude --id ${id} --key fix-42 --agent coder`]: () =>
          `claude --print --resume ${id} "Continue." && [ -s ${file} ]`,
      },
    };
  }),
);
