/** README.md, from the clone to the removal: with the packed program, the real codex and the real claude. */

import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll } from "vitest";
import { kinds, startOnPath } from "../conformance/on-path.ts";
import { onAgent } from "../conformance/real-subject.ts";
import { shownWorkflows } from "../workflows/files.ts";
import { runsAsShown } from "./page-shell.ts";

const subjects = new AsyncDisposableStack();
afterAll(() => subjects.disposeAsync());

onAgent("codex", "README", () =>
  onAgent("claude", "README", () =>
    runsAsShown("README.md", async () => {
      const codex = subjects.use(await startOnPath("codex"));
      const claude = subjects.use(await startOnPath("claude"));
      const fix = join(codex.root, "fix.yaml");
      const [shown] = shownWorkflows().filter(({ place }) => place.startsWith("README.md:"));
      writeFileSync(fix, shown!.text);
      const fixed = () => {
        codex.answer([{ shell: "echo fixed > parser.txt" }, { text: "I fixed the parser." }]);
        claude.answer([kinds.claude.says({ approved: true, feedback: "It is right." })]);
        return 'cp "$FIX" fix.yaml';
      };
      return {
        installs: true,
        env: {
          ...claude.env,
          ...codex.env,
          PATH: [codex.env.PATH, claude.env.PATH].join(delimiter),
          REPRISE_HOME: undefined,
          // As for any user: nothing says what agents may do.
          REPRISE_MAX_ACCESS: undefined,
          IS_SANDBOX: "1",
          FIX: fix,
        },
        values: {
          REPOSITORY: 'echo "$CLONE"',
          ITEM: "reprise inbox --json | node -p 'JSON.parse(fs.readFileSync(0))[0].id'",
          "01a1ddf1-cfc9-7c53-bac8-de4e7dd04c0b": `basename "$CODEX_HOME"/sessions/*/*/*/rollout-*.jsonl .jsonl | grep -oE '.{36}$'`,
        },
        before: {
          // The tools are there already, and what the workflow pushes goes nowhere else.
          "npm pack --workspace packages/reprise": () =>
            'cp -al "$CLONE/node_modules" . && git init -q --bare ../origin.git && ' +
            'git remote set-url origin "$PWD/../origin.git" && git push -q --set-upstream origin HEAD:main',
          "reprise session import --pick --agent codex": () =>
            'codex exec --skip-git-repo-check "Fix the parser."',
          'reprise run fix.yaml --input task="The parser drops the last line."    # exit code 3: it waits for a person':
            fixed,
          'reprise run fix.yaml --input task="Update the lockfile." --access full    # for this run only; exit code 3 at the gate':
            fixed,
        },
        elsewhere: {
          "npm test     # installs, checks, and runs every test; prints the conformance matrix":
            "This test is a part of it.",
        },
      };
    }),
  ),
);
