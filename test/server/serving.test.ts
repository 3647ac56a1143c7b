/** What a server does without being asked, and what commands leave to it. */

import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { ServedShell } from "./served-shell.ts";

const status = async (shell: ServedShell, run: string) =>
  (await (await shell.client()).runs.show(run)).status;

test("a run whose process was killed is continued", async () => {
  const shell = ServedShell.open();
  shell.hold();
  shell.newFile(
    "flow.yaml",
    `name: Left
steps:
  work:
    agent: scripted
    settings: { scripted.script: "${shell.script}", scripted.home: "${shell.agentHome}" }
    prompt: job 1.
outputs: { said: work.output }
`,
  );
  const run = shell.start(["run", "../flow.yaml", "--id", "r1"]);
  await shell.isAtWork("job 1");
  run.child.kill("SIGKILL");
  await once(run.child, "close");
  await shell.up();
  shell.release("job 1");
  const client = await shell.client();
  for await (const _ of client.runs.events("r1"));
  expect(await client.runs.show("r1")).toMatchObject({ status: "done" });
  expect(shell.ledger("start")).toHaveLength(1);
});

test("a deadline is settled when it is due, and its run continues", async () => {
  const shell = ServedShell.open();
  shell.newFile(
    "flow.yaml",
    `name: Deadline
steps:
  sign-off: { gate: { title: "Ship it?", choices: [ship, drop], deadline: 1s, onDeadline: drop } }
outputs: { choice: sign-off.choice }
`,
  );
  await shell.up();
  expect(await shell.run(["run", "../flow.yaml", "--id", "r1"])).toMatchObject({ code: 3 });
  await until(async () => (await status(shell, "r1")) === "rejected");
  const { outputs } = await (await shell.client()).runs.show("r1");
  expect(outputs).toEqual({ choice: "drop" });
});

test("run --detach starts the server, prints the id and leaves the run to it", async () => {
  const shell = ServedShell.open();
  shell.newFile(
    "flow.yaml",
    `name: Detached\nsteps:\n  wait: { shell: 'while [ ! -e "${join(shell.root, "go")}" ]; do sleep 0.05; done; echo over' }\noutputs: { said: wait.output }\n`,
  );
  const bad = await shell.run(["run", "../missing.yaml", "--detach"]);
  expect([bad.code, shell.record()]).toEqual([4, null]);
  shell.newFile("wrong.yaml", "name: Wrong\nsteps: { a: { agentClass: ghost, prompt: Hello. } }\n");
  const wrong = await shell.run(["run", "../wrong.yaml", "--detach"]);
  expect([wrong.code, shell.record()]).toEqual([4, null]);
  const detached = await shell.run(["run", "../flow.yaml", "--id", "r1", "--detach"]);
  expect(detached).toMatchObject({
    code: 0,
    stdout: "r1\n",
    stderr: expect.stringMatching(/^Started the server at http:\S+; stop it with: reprise down\n/),
  });
  expect(await status(shell, "r1")).toBe("running");
  shell.newFile("go", "");
  await until(async () => (await status(shell, "r1")) === "done");
  const again = await shell.run(["run", "../flow.yaml", "--detach", "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ workflow: "Detached" });
  expect(await shell.run(["down"])).toMatchObject({ code: 0 });
});

test("a run works where it was started, in the file's folder below it, and prints what the file leaves open", async () => {
  const shell = ServedShell.open();
  await shell.up();
  const cwd = shell.newFolder("elsewhere");
  const folder = shell.newFolder("elsewhere/sub");
  // A file each: what a file leaves open is printed at its first run.
  for (const [id, ...options] of [["here"], ["there", "--detach"]] as const) {
    const flow = shell.newFile(
      `${id}.yaml`,
      "version: 3\nmetadata: { name: Below, rootDirectory: sub }\nnodes: [ { id: a, type: shell, data: { script: pwd } } ]\n",
    );
    const run = await shell.run(["run", flow, "--id", id, ...options], { cwd });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(`! ${flow}:3:25: The node "a" has no nodeType;`);
  }
  const client = await shell.client();
  for await (const _ of client.runs.events("there"));
  for (const id of ["here", "there"])
    expect(await client.runs.show(id)).toMatchObject({
      folder,
      warnings: [{ code: "implied-node-type", position: { line: 3 } }],
    });
});

test("a command that goes by other settings than the server opens the home itself", async () => {
  const shell = ServedShell.open();
  await shell.createAgent();
  const server = await shell.up("--log-level", "info");
  const send = (...options: Parameters<ServedShell["run"]>) => shell.run(...options);
  const argv = ["sessions", "send", "k", "echo hello", "--agent", "coder"];
  expect(await send(argv, { env: { REPRISE_ON_INSTRUCTIONS_CHANGE: "reseed" } })).toMatchObject({
    code: 0,
    stdout: "hello\n",
  });
  server.child.kill("SIGTERM");
  const { stderr, code } = await server.ended;
  expect(code).toBe(0);
  expect(stderr).toContain('"route":"config"');
  expect(stderr).not.toContain('"route":"sessions.send"');
});

test("a token lets in by its role until it is revoked", async () => {
  const shell = ServedShell.open();
  const { url } = await shell.up();
  const { stdout } = await shell.run(["token", "create", "ana", "--role", "viewer"]);
  const ask = (method: string, path: string) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${stdout.trim()}`, "content-type": "application/json" },
      ...(method === "POST" && { body: "{}" }),
    }).then((response) => response.status);
  expect(await ask("GET", "/v1/sessions")).toBe(200);
  expect(await ask("POST", "/v1/agents")).toBe(403);
  const list = await shell.run(["token", "list", "--json"]);
  expect(JSON.parse(list.stdout)).toMatchObject([{ name: "ana", role: "viewer", revokedAt: null }]);
  expect(list.stdout).not.toContain(stdout.trim());
  expect(await shell.run(["token", "revoke", "ana"])).toMatchObject({ code: 0 });
  expect(await ask("GET", "/v1/sessions")).toBe(401);
  expect(await shell.run(["token", "revoke", "ana"])).toMatchObject({ code: 4 });
});

test("V19: a token expires, is listed with its expiry, and is rotated with a grace period", async () => {
  const shell = ServedShell.open();
  const { url } = await shell.up();
  const create = ["token", "create", "ci", "--role", "viewer", "--expires", "30d"];
  const old = await shell.run(create);
  expect(old.stderr).toMatch(/only time .* It expires on \d{4}-/);
  const list = async () => (await shell.run(["token", "list"])).stdout;
  expect(await list()).toMatch(/EXPIRES\s[\s\S]*ci .*valid .*in 30 d/);
  const rotated = await shell.run(["token", "rotate", "ci", "--grace", "1h"]);
  expect(rotated).toMatchObject({ code: 0, stderr: expect.stringContaining("stays valid until") });
  const ask = ({ stdout }: { readonly stdout: string }) =>
    fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${stdout.trim()}` } }).then(
      ({ status }) => status,
    );
  expect([await ask(old), await ask(rotated)]).toEqual([200, 200]);
  expect(await list()).toMatch(/replaced, ends in 1 h/);
  const next = await shell.run(["token", "rotate", "ci", "--json"]);
  expect(JSON.parse(next.stdout)).toMatchObject({ name: "ci", expiresAt: expect.any(Number) });
  expect([await ask(old), await ask(rotated)]).toEqual([401, 401]);
  expect(await shell.run(["token", "rotate", "unknown"])).toMatchObject({ code: 4 });
  expect(await shell.run(["token", "rotate", "ci", "--grace", "soon"])).toMatchObject({ code: 2 });
});
