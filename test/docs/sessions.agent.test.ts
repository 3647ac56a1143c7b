/** docs/sessions.md, with the real codex and the real claude. */

import { delimiter } from "node:path";
import { afterAll } from "vitest";
import { startOnPath } from "../conformance/on-path.ts";
import { onAgent } from "../conformance/real-subject.ts";
import { runsAsShown } from "./page-shell.ts";

const subjects = new AsyncDisposableStack();
afterAll(() => subjects.disposeAsync());

const question = (text: string) => ({
  question: text,
  header: "Setup",
  multiSelect: false,
  options: [
    { label: "SQLite", description: "One file" },
    { label: "5432", description: "The usual port" },
  ],
});

/** Makes an agent of Reprise's own that does these steps once, where its prompt has the word. */
const scripted = (agent: string, word: string, steps: string) =>
  `printf 'rules:\\n  - when: { prompt: ${word} }\\n    times: 1\\n    do: ${steps}\\n' > ${agent}.yaml &&
  reprise agent create ${agent} --provider scripted --set script="$PWD/${agent}.yaml"`;

onAgent("codex", "sessions.md", () =>
  onAgent("claude", "sessions.md", () =>
    runsAsShown("docs/sessions.md", async () => {
      const codex = subjects.use(await startOnPath("codex"));
      const claude = subjects.use(await startOnPath("claude"));
      return {
        env: {
          ...claude.env,
          ...codex.env,
          PATH: [codex.env.PATH, claude.env.PATH].join(delimiter),
          REPRISE_HOME: undefined,
          REPRISE_MAX_ACCESS: undefined,
        },
        values: {
          ITEM: "reprise inbox --json | node -p 'JSON.parse(fs.readFileSync(0))[0].id'",
          "01a1ddf1-cfc9-7c53-bac8-de4e7dd04c0b": `basename "$(ls -t "$CODEX_HOME"/sessions/*/*/*/rollout-*.jsonl | head -1)" .jsonl | grep -oE '.{36}$'`,
        },
        before: {
          "reprise agent create coder --provider codex --folder ~/src/parser --set sandbox=workspace-write":
            () =>
              'mkdir -p src/parser src/parser-2 .codex-work && cp "$CODEX_HOME/config.toml" .codex-work && ' +
              "git init -q && echo one > notes && git add notes && echo two > notes",
          "reprise why job": () =>
            `${scripted("slow", "again", "[refuse]")} && reprise send job "first" --agent slow && reprise send job "again"`,
          "reprise session verify job    # exit code 1: something is damaged": () =>
            'for file in ~/.local/state/reprise/agents/slow/scripted/sessions/*.jsonl; do : > "$file"; done',
          "reprise session finish build    # continue the turn that was cut off, without a new prompt":
            () =>
              `${scripted("builder", "everything", "[{ tool: make }, crash]")} && ! reprise send build "Build everything." --agent builder`,
          'reprise answer plan "SQLite"': () =>
            `${scripted("planner", "plan", "[{ ask: Which database? }]")}; reprise send plan "Make a plan." --agent planner; [ $? = 3 ]`,
          'reprise answer setup --answer 1=SQLite --answer 2=5432    # two questions, by number or "QUESTION=ANSWER"':
            () => {
              const questions = ["Which database?", "Which port?"].map(question);
              claude.answer([{ tool: "AskUserQuestion", input: { questions } }, { text: "Done." }]);
              return "reprise agent create asker --provider claude && reprise send setup 'Set it up.' --agent asker; [ $? = 3 ]";
            },
          "reprise approve ITEM": () =>
            `${scripted("pusher", "push", "[{ ask-permission: git push }]")}; reprise send push "push" --agent pusher; [ $? = 3 ]`,
          'reprise reject ITEM --comment "Not on this branch."': () =>
            `${scripted("tagger", "tag", "[{ ask-permission: git tag }]")}; reprise send tag "tag" --agent tagger; [ $? = 3 ]`,
          "reprise session import fix-42.bundle --folder ~/src/parser          # on another home":
            () => 'export REPRISE_HOME="$PWD/other" && reprise agent create coder --provider codex',
          "reprise session import --pick": () =>
            'unset REPRISE_HOME; reprise agent use coder; codex exec --skip-git-repo-check "Fix the parser."',
        },
      };
    }),
  ),
);
