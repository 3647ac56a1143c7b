/** The pages whose commands need no other agent than the scripted one. */

import { runsAsShown } from "./page-shell.ts";

const inbox = "reprise inbox --json | node -p 'JSON.parse(fs.readFileSync(0))[0].id'";

runsAsShown("examples/README.md", () => ({
  folder: "clone",
  values: { ITEM: inbox },
}));

runsAsShown("docs/usage.md", () => ({
  anyNumbers: true,
  before: {
    "reprise usage": () =>
      [
        "long=$(printf 'word %.0s' $(seq 400))",
        "reprise agent create coder --provider scripted",
        'reprise send fix-42 "$long" --agent coder',
        'for turn in 2 3 4; do reprise send fix-42 "$long"; done',
        'reprise send fix-42 "$long" --reseed',
        'reprise send review "$long" --agent coder',
        'reprise send review "$long"',
      ].join(" && "),
    "reprise why fix-42": () =>
      "reprise session set fix-42 --unset budget.maxTokens --unset budget.over && reprise session compact fix-42 && reprise send fix-42 'Run the tests.'",
  },
}));
