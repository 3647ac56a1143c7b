/** The pages about the server and what reaches it: docs/server.md, docs/api.md, docs/mcp.md, docs/security.md. */

import { delimiter } from "node:path";
import { afterAll } from "vitest";
import { startOnPath } from "../conformance/on-path.ts";
import { onAgent } from "../conformance/real-subject.ts";
import { type PageOptions, runsAsShown } from "./page-shell.ts";

const subjects = new AsyncDisposableStack();
afterAll(() => subjects.disposeAsync());

const field = (line: string, path: string) =>
  `${line} --json | node -p 'JSON.parse(fs.readFileSync(0))${path}'`;

/** Whatever port the server got: another one may have the usual one. */
const values: NonNullable<PageOptions["values"]> = {
  "127.0.0.1:7777": `node -p 'new URL(JSON.parse(fs.readFileSync(process.env.HOME + "/.local/state/reprise/server.json")).url).host'`,
  "https://example.org": "echo http://127.0.0.1:9",
  k3v9m2xq: field("reprise inbox", "[0].id"),
  DELIVERY: field("reprise webhook deliveries", "[0].id"),
};
const coder = "reprise agent create coder --provider scripted";

runsAsShown("docs/server.md", () => ({
  values: {
    ...values,
    "hooks/WEBHOOK": 'echo "hooks/$WEBHOOK"',
    "remove WEBHOOK": `echo "remove $(${field("reprise webhook list", "[0].id")})"`,
  },
  before: {
    "reprise run review.yaml --detach    # starts a run in the server, and the server if none runs":
      () => 'cp "$CLONE/examples/review-loop.yaml" review.yaml && cp -r "$CLONE/examples" examples',
    "reprise up --print-service systemd > ~/.config/systemd/user/reprise.service": () =>
      "mkdir -p ~/.config/systemd/user ~/Library/LaunchAgents",
    "reprise webhook add https://example.org/all --event '*' --secret-file ./hook.secret": () =>
      "printf 'a secret of some length' > hook.secret",
    "reprise webhook deliveries            # what was sent, the attempts, and the result": () =>
      `reprise up --detach && ${coder} && reprise send fix-42 hello --agent coder && ` +
      `until ${field("reprise webhook deliveries", "[0].id")}; do :; done`,
    [`BODY='{"item": "k3v9m2xq", "choice": "approve", "by": "ana", "comment": "from the chat"}'`]:
      () =>
        `printf 'name: Ship\\nsteps:\\n  ship: { gate: Ship it? }\\n' > ship.yaml && reprise run ship.yaml; made=$(reprise webhook add --incoming --json) && ` +
        `SECRET=$(node -p 'JSON.parse(process.argv[1]).secret' "$made") WEBHOOK=$(node -p 'JSON.parse(process.argv[1]).id' "$made")`,
  },
  elsewhere: {
    "reprise up               # in this terminal; Ctrl-C stops it": "test/server/life.test.ts",
    "reprise cancel KEY --owner-gone    # confirm that the owner is gone: the turn is interrupted":
      "test/crash/other-namespace.test.ts",
    "reprise up --detach --store postgres://reprise@db.example.com/reprise":
      "test/server/postgres-home.test.ts",
    "systemctl --user daemon-reload && systemctl --user enable --now reprise": "It needs systemd.",
    "launchctl load ~/Library/LaunchAgents/reprise.plist": "It needs macOS.",
    "reprise up --public-url https://reprise.example.com": "test/server/proxy.test.ts",
  },
}));

runsAsShown("docs/api.md", () => ({
  values,
  before: {
    "TOKEN=$(cat ~/.local/state/reprise/token)": () => `reprise up --detach && ${coder}`,
  },
}));

onAgent("codex", "mcp.md", () =>
  onAgent("claude", "mcp.md", () => {
    const start = async () => {
      const codex = subjects.use(await startOnPath("codex"));
      const claude = subjects.use(await startOnPath("claude"));
      return {
        env: {
          ...claude.env,
          ...codex.env,
          PATH: [codex.env.PATH, claude.env.PATH].join(delimiter),
          REPRISE_HOME: undefined,
          REPRISE_MAX_ACCESS: undefined,
          IS_SANDBOX: "1",
        },
        values,
      };
    };
    runsAsShown("docs/mcp.md", async () => ({
      ...(await start()),
      before: { "claude mcp add reprise -- reprise mcp": () => "reprise up --detach" },
    }));
    runsAsShown("docs/security.md", async () => ({
      ...(await start()),
      values: { ...values, FILE: "echo passphrase.txt" },
      before: {
        'reprise send fix-42 "Now release it." --access full        # for this turn only': () =>
          "reprise send fix-42 hello --agent coder",
        "reprise run release.yaml --access full                     # for this run only": () =>
          "printf 'name: Release\\nsteps:\\n  notes: { agent: codex, prompt: Draft the notes. }\\n' > release.yaml",
        "reprise session list": () =>
          "mkdir -p .reprise && printf 'prune: { mode: enforce }\\n' > .reprise/config.yaml",
        "reprise passphrase set deploy --passphrase-stdin < FILE    # the first line of a file":
          () => "rm -r .reprise && printf 'correct horse battery\\n' > passphrase.txt",
        "reprise restore home.backup --home ./restored": () =>
          [
            'export REPRISE_HOME="$PWD/.first"',
            "mkdir -p bin",
            'ln -s "$(command -v claude)" bin/claude',
            'reprise agent create coder --provider claude --set binary="$PWD/bin/claude"',
            "reprise agent create echo --provider scripted",
            "reprise send a one --agent echo",
            "reprise send a two",
            "reprise send b one --agent echo",
            "reprise token create ben --role viewer",
            "reprise webhook add https://example.org/hook --event '*'",
            "reprise backup home.backup",
          ].join(" && "),
      },
      elsewhere: {
        "reprise passphrase set release                             # typed twice on the terminal":
          "test/surfaces/passphrase.test.ts",
      },
    }));
  }),
);
