/** The plugin for OpenClaw, installed by its own command: the agent of its gateway continues our sessions and runs our workflows. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { openReprise } from "@reprise/engine/open-reprise";
import type { ModelRequest } from "@reprise/providers/models/model";
import { startChatServer } from "@reprise/providers/models/openai-chat";
import { expect, onTestFinished, test } from "vitest";
import { inherited } from "../environment.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { root } from "../workflows/files.ts";
import { OpenClaw, openClawLeftOut } from "./openclaw.ts";

const plugin = join(root, "packages/reprise/plugins/openclaw");
const gated = `name: Gated
inputs: { task: string }
steps:
  plan: { shell: 'echo "{{ inputs.task }}"' }
  ask: { needs: plan, gate: Continue? }
outputs: { said: plan.output }
`;

/** OpenClaw shows its model a search over all tools, and one tool that calls those it found. */
const call = (id: string, args: object) => ({ tool: "tool_call", input: { id, args } });

/** The calls of the agent's turn with this prompt, one after the other. */
function calling(prompt: string, calls: readonly ReturnType<typeof call>[]) {
  return ({ messages }: ModelRequest) => {
    const asked = messages.findLastIndex(
      ({ role, text }) => role === "user" && text.includes(prompt),
    );
    if (asked === -1) return undefined;
    const results = messages.slice(asked).filter(({ role }) => role === "tool");
    return calls[results.length] ?? { text: "Done." };
  };
}

/** What our tools returned to the model, in order. */
function returned({ messages }: ModelRequest): object[] {
  return messages
    .filter(({ role }) => role === "tool")
    .map(({ text }) => JSON.parse(text).result.details);
}

// Its gateway needs a minute until it is ready on a machine with much other work; the bound only ends a test that hangs.
const bound = { timeout: 900_000 };

test(
  "openclaw: its agent continues a session of ours, and runs a workflow to its gate",
  bound,
  async (context) => {
    const reason = openClawLeftOut();
    if (reason !== null) context.skip(reason);
    const folder = temporaryFolder("openclaw");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const bin = join(folder, "bin");
    mkdirSync(bin);
    const program = `#!/bin/sh\nexec "${process.execPath}" "${root}bin/reprise.cjs" "$@"\n`;
    writeFileSync(join(bin, "reprise"), program, { mode: 0o755 });
    const home = join(folder, "home");
    const reprise = await openReprise({ home, cwd: folder });
    onTestFinished(() => reprise.close());
    await reprise.agents.create({ name: "coder", provider: "scripted" });
    await reprise.sessions.send({ key: "fix-42", agent: "coder", prompt: "remember PLUM-4" });

    const model = await startChatServer();
    onTestFinished(() => model.close());
    const path = [bin, dirname(process.execPath), inherited.PATH].join(delimiter);
    const env = { ...inherited, PATH: path, REPRISE_HOME: home };
    const openclaw = await OpenClaw.configure({ root: folder, model: model.url, env });
    onTestFinished(() => openclaw.stop());
    writeFileSync(join(openclaw.workspace, "gated.yaml"), gated);
    const install = ["plugins", "install", plugin, "--force", "--accept-capabilities"];
    expect(await openclaw.run(...install)).toContain("Installed plugin: reprise");
    await openclaw.startGateway();

    const prompt = "Ask fix-42, then run the workflow.";
    const recall = "what did I ask you to remember?";
    model.answerWith(
      calling(prompt, [
        call("reprise_continue_session", { key: "fix-42", prompt: recall }),
        call("reprise_continue_session", { key: "--home=elsewhere", prompt: recall }),
        call("reprise_run_workflow", { file: "gated.yaml", inputs: { task: "a b" }, id: "gated" }),
        call("reprise_get_run", { run: "gated" }),
      ]),
    );
    const args = ["--agent", "main", "--session-key", "task", "--message", prompt, "--json"];
    const answer = JSON.parse(await openclaw.run("agent", ...args));
    expect(answer).toMatchObject({ status: "ok", result: { payloads: [{ text: "Done." }] } });

    const waiting = { run: "gated", status: "waiting", waitsFor: [expect.any(String)] };
    expect(returned(model.requests.at(-1)!)).toMatchObject([
      { key: "fix-42", agent: "coder", outcome: "resume", output: "PLUM-4", error: null },
      { error: { code: "bad-key" } },
      waiting,
      waiting,
    ]);
    expect(await reprise.turns.why("fix-42")).toMatchObject({ turn: { seq: 2 }, prompt: recall });
    const [item] = await reprise.inbox.list();
    expect(item).toMatchObject({ run: "gated", title: "Continue?" });
    await reprise.inbox.answer({ item: item!.id, choice: "approve", by: "ann" });
    const done = { status: "done", outputs: { said: "a b" } };
    expect(await reprise.runs.show("gated")).toMatchObject(done);
  },
);
