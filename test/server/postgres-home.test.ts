/** A home on PostgreSQL at a shell: it is started with an address, and every other command goes through its server. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runProgram } from "../../packages/reprise/src/cli/program.ts";
import { testSurroundings } from "../../packages/reprise/src/cli/test-surroundings.ts";
import type { CommandOptions } from "../cli/shell.ts";
import { inherited } from "../environment.ts";
import { Cluster } from "../postgres/cluster.ts";
import { ServedShell } from "./served-shell.ts";

const password = "hunter2-hunter2";
let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
  await cluster.requirePassword("ann", password);
});
afterAll(() => cluster.remove());

/** A command in this process, which is faster than one of its own. */
async function run(
  { home, folder }: ServedShell,
  argv: readonly string[],
  { env = {}, input = "" }: CommandOptions = {},
) {
  const surroundings = testSurroundings({
    cwd: folder,
    env: { ...inherited, HOME: folder, REPRISE_HOME: home, REPRISE_MAX_AGENTS: "50", ...env },
    stdin: input,
  });
  const code = await runProgram([...argv], surroundings);
  return { code, stdout: surroundings.stdoutText(), stderr: surroundings.stderrText() };
}

async function addresses() {
  const plain = await cluster.createDatabase();
  const without = plain.replace("//reprise@", "//ann@");
  return { plain, without, whole: without.replace("ann@", `ann:${password}@`) };
}

test("a password on the command line is refused, and one that is missing ends the server at once", async () => {
  const shell = ServedShell.open();
  const { without, whole } = await addresses();
  const refused = await run(shell, ["up", "--store", whole]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain("PGPASSWORD");
  expect(refused.stderr).not.toContain(password);
  expect(existsSync(shell.home)).toBe(false);

  for (const detached of [[], ["--detach"]]) {
    const missing = await shell.run(["up", "--store", without, ...detached]);
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toContain("asks for a password, and none was found");
  }
  expect(existsSync(join(shell.home, "store.json"))).toBe(false);
});

test("the server in the background gets the password, which no command and no file shows", async () => {
  const shell = ServedShell.open();
  const { whole } = await addresses();
  const env = { REPRISE_STORE: whole };
  const shown = [await run(shell, ["up", "--detach", "--port", "0"], { env })];
  expect(shown[0]).toMatchObject({ code: 0 });
  shown.push(await run(shell, ["status"]), await run(shell, ["doctor", "--json"]));
  for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toContain(password);
  expect(shown[1]!.stdout).toContain(`Store   PostgreSQL, 127.0.0.1:${cluster.port}/`);
  for (const name of ["store.json", "server.json", "server.log", "server.err"])
    expect(readFileSync(join(shell.home, name), "utf8")).not.toContain(password);

  expect(await run(shell, ["down"])).toMatchObject({ code: 0 });
  const other = await addresses();
  const differs = await run(shell, ["up", "--store", other.without], { env });
  expect(differs).toMatchObject({ code: 2 });
  expect(differs.stderr).toContain("has its sessions in the database 127.0.0.1:");
});

test("without its server a home on PostgreSQL is not used, and with it every command works or is refused", async () => {
  const shell = ServedShell.open();
  const { plain } = await addresses();
  await shell.up("--store", plain);
  await shell.createAgent();
  const works = [
    ["send", "k", "remember APPLE-739", "--agent", "coder"],
    ["session", "export", "k", "--output", "k.bundle"],
    ["session", "purge", "k", "--yes"],
    ["session", "import", "k.bundle", "--key", "k"],
    ["session", "verify"],
    ["agent", "set", "coder", "--model", "small"],
    ["token", "create", "bob", "--role", "viewer"],
    ["token", "rotate", "bob"],
    ["token", "list"],
    ["token", "revoke", "bob"],
    ["passphrase", "list"],
    ["webhook", "add", "https://example.com/hook", "--event", "run.ended"],
    ["webhook", "list"],
    ["webhook", "deliveries"],
    ["status", "--json"],
  ];
  for (const argv of works)
    expect(await run(shell, argv), argv.join(" ")).toMatchObject({ code: 0 });
  const input = "correct horse battery\n";
  for (const verb of ["set", "remove"]) {
    const argv = ["passphrase", verb, "release", "--passphrase-stdin"];
    expect(await run(shell, argv, { input })).toMatchObject({ code: 0 });
  }
  for (const argv of [
    ["backup", "b"],
    ["restore", "b"],
    ["session", "open", "k"],
  ]) {
    const refused = await run(shell, argv);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("whose sessions are in the PostgreSQL database 127.0.0.1:");
  }
  // A default agent and other settings that were chosen after the server had started.
  expect(await run(shell, ["agent", "use", "coder"])).toMatchObject({ code: 0 });
  const env = { REPRISE_MAX_AGENTS: "7" };
  const sent = await run(shell, ["send", "new", "hello"], { env });
  expect(sent).toMatchObject({ code: 0 });
  expect(sent.stderr).toContain("differ from those here (maxAgents)");

  await run(shell, ["down"]);
  const noServer = /No server runs for the home [\s\S]* Start one with "reprise up --detach"/;
  for (const argv of [["send", "k", "hello"], ["session", "list"], ["token", "list"], ["mcp"]]) {
    const refused = await run(shell, argv);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(noServer);
  }
  const doctor = await run(shell, ["doctor"]);
  expect(doctor).toMatchObject({ code: 1, stderr: "" });
  expect(doctor.stdout).toMatch(noServer);
  const status = await run(shell, ["status"]);
  expect(status).toMatchObject({ code: 0, stderr: "" });
  expect(status.stdout).toMatch(/^Server +not running$[\s\S]*reprise up --detach/m);
  expect(JSON.parse((await run(shell, ["status", "--json"])).stdout)).toMatchObject({
    store: { kind: "postgres" },
    server: { state: "none" },
    served: false,
  });
  expect(existsSync(join(shell.home, "reprise.db"))).toBe(false);
});

test("only the home's own token reaches the verbs of the store", async () => {
  const shell = ServedShell.open();
  const { plain } = await addresses();
  const { url } = await shell.up("--store", plain);
  const made = await run(shell, ["token", "create", "op", "--role", "operator", "--json"]);
  const ask = async (verb: string, token: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const request = { method: "POST", headers, body: "{}" };
    return (await fetch(`${url}/v1/own/store/${verb}`, request)).status;
  };
  expect(await ask("listWebhooks", JSON.parse(made.stdout).token)).toBe(403);
  expect(await ask("listWebhooks", shell.token())).toBe(200);
  expect(await ask("purgeSession", shell.token())).toBe(404);
});
