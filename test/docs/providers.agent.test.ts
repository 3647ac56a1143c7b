/** The pages of the providers, with their real programs and the model server that the pages start. */

import { afterAll } from "vitest";
import { kinds, startOnPath } from "../conformance/on-path.ts";
import { onAgent } from "../conformance/real-subject.ts";
import { freePort } from "./free-port.ts";
import { type PageOptions, runsAsShown } from "./page-shell.ts";

const subjects = new AsyncDisposableStack();
afterAll(() => subjects.disposeAsync());

/** The agent's program is on the path; the page itself says where its home and its model are. */
async function start(agent: keyof typeof kinds, create: string): Promise<PageOptions> {
  const { env } = subjects.use(await startOnPath(agent));
  const home = kinds[agent].home;
  const port = await freePort();
  return {
    folder: "clone",
    env: { ...env, REPRISE_HOME: undefined, REPRISE_MAX_ACCESS: undefined, [home]: undefined },
    values: { "8080": `echo ${port}` },
    // A reader is slower than the model server.
    before: { [create]: () => `until curl --silent http://127.0.0.1:${port}; do :; done` },
  };
}

onAgent("claude", "claude.md", () =>
  runsAsShown("docs/providers/claude.md", () =>
    start("claude", "reprise agent create coder --provider claude --set home=$PWD/.reprise/claude"),
  ),
);
onAgent("codex", "codex.md", () =>
  runsAsShown("docs/providers/codex.md", () =>
    start("codex", 'reprise send demo "remember APPLE-739" --agent coder'),
  ),
);
onAgent("opencode", "opencode.md", () =>
  runsAsShown("docs/providers/opencode.md", () =>
    start(
      "opencode",
      "reprise agent create coder --provider opencode --set home=$PWD/.reprise/opencode",
    ),
  ),
);
onAgent("gemini", "gemini.md", () =>
  runsAsShown("docs/providers/gemini.md", () =>
    start("gemini", "reprise agent create coder --provider gemini --set home=$PWD/.reprise/gemini"),
  ),
);
onAgent("pi", "pi.md", () =>
  runsAsShown("docs/providers/pi.md", () =>
    start("pi", "reprise agent create coder --provider pi --set home=$PWD/.reprise/pi"),
  ),
);
// The page's example is gemini, as an agent that speaks the protocol.
onAgent("gemini", "acp.md", () =>
  runsAsShown("docs/providers/acp.md", () =>
    start(
      "gemini",
      'reprise agent create coder --provider acp --set command="gemini --acp" --set login=gemini-api-key',
    ),
  ),
);
