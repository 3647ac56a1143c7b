/** The life of a server: it says where it is, is the only one of its home, and its state is reported correctly. */

import { once } from "node:events";
import { cpSync, existsSync, readFileSync, renameSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { isAlive } from "@reprise/engine/hosts";
import { expect, test } from "vitest";
import { ServedShell } from "./served-shell.ts";

test("up --detach returns when the server answers, status shows it, and down waits until it is gone", async () => {
  const shell = ServedShell.open();
  const up = await shell.run(["up", "--detach", "--port", "0"]);
  expect(up).toMatchObject({ code: 0, stderr: expect.stringContaining("reprise down") });
  const url = new URL(up.stdout.trim());
  expect(url.searchParams.get("token")).toBe(shell.token());
  const health = await (await fetch(`${url.origin}/v1/health`)).json();
  expect(health).toMatchObject({ status: "ok", version: expect.any(String) });
  for (const name of ["token", "server.json", "server.lock", "server.log"])
    expect([name, statSync(join(shell.home, name)).mode & 0o777]).toEqual([name, 0o600]);
  expect(readFileSync(join(shell.home, "server.log"), "utf8")).not.toContain(shell.token());

  const status = JSON.parse((await shell.run(["status", "--json"])).stdout);
  const { process } = shell.record()!;
  expect(status).toMatchObject({
    served: true,
    server: { state: "answers", record: { url: url.origin, process } },
  });

  const down = await shell.run(["down"]);
  expect(down).toMatchObject({ code: 0, stdout: `Stopped the server at ${url.origin}.\n` });
  expect(isAlive(process)).toBe(false);
  expect(existsSync(join(shell.home, "server.json"))).toBe(false);
  expect(await shell.run(["status"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Server {2}not running\n[\s\S]*No server is running/),
  });
  expect(await shell.run(["down"])).toMatchObject({ code: 0, stdout: "" });
});

test("V19: the log of a detached server is JSON lines, and SIGHUP starts a new file of it", async () => {
  const shell = ServedShell.open();
  await shell.run(["up", "--detach", "--port", "0"]);
  const file = join(shell.home, "server.log");
  const { process: server, url } = shell.record()!;
  const lines = () => readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines().map((line) => JSON.parse(line).message)).toContain("serving");
  renameSync(file, join(shell.home, "server.log.old"));
  process.kill(server.pid, "SIGHUP");
  await expect.poll(() => existsSync(file)).toBe(true);
  expect((await fetch(`${url}/v1/health`)).status).toBe(200);
  await expect.poll(() => lines().map((line) => JSON.parse(line).route)).toContain("health");
  expect(await shell.run(["down"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(shell.home, "server.err"), "utf8")).toBe("");
});

test("L1: status shows the link that opens the page, and up says why it took another port", async () => {
  const shell = ServedShell.open();
  const usual = createServer();
  // If the port is already taken, that serves the test as well.
  await new Promise<void>((resolve) => {
    usual.once("error", () => resolve());
    usual.listen(7777, "127.0.0.1", resolve);
  });
  try {
    const up = await shell.run(["up", "--detach", "--home", shell.home]);
    const { origin, port } = new URL(up.stdout.trim());
    expect(up.stderr).toContain(`Port 7777 is in use, so the server listens on port ${port}.`);
    expect(up.stderr).toContain(`reprise --home ${shell.home} down`);
    const { stdout } = await shell.run(["status"]);
    expect(stdout).toContain(`Page    ${origin}/?token=${shell.token()}\n`);
  } finally {
    await shell.run(["down"]);
    usual.close();
  }
});

test("L1: an agent that asks for the status gets no token", async () => {
  const shell = ServedShell.open();
  await shell.up();
  const { stdout } = await shell.run(["status", "--json"], { env: { REPRISE_TURN: "t1" } });
  expect(JSON.parse(stdout)).toMatchObject({ served: true, page: null });
});

test("L1: a port that browsers refuse is refused at once, and no server is left", async () => {
  const shell = ServedShell.open();
  expect(await shell.run(["up", "--detach", "--port", "6666"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Browsers refuse to connect to port 6666."),
  });
  expect(shell.record()).toBe(null);
  expect(existsSync(join(shell.home, "server.log"))).toBe(false);
});

test("a second server of the home says where the first is", async () => {
  const shell = ServedShell.open();
  const { url, child } = await shell.up();
  for (const flags of [[], ["--detach"]])
    expect(await shell.run(["up", "--port", "0", ...flags])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`^reprise: The home \\S+ is served at ${url} since .* \\(process ${child.pid} `),
      ),
    });
  expect(await (await fetch(`${url}/v1/health`)).json()).toMatchObject({ status: "ok" });
});

test("of several servers that start at once, one serves", async () => {
  const shell = ServedShell.open();
  const all = [1, 2, 3].map(() => shell.run(["up", "--detach", "--port", "0"]));
  const codes = (await Promise.all(all)).map(({ code }) => code);
  expect(codes.sort()).toEqual([0, 1, 1]);
  expect(await shell.run(["down"])).toMatchObject({ code: 0 });
});

test("what a killed server left is ignored: commands work without it, and the next server starts", async () => {
  const shell = ServedShell.open();
  const { child } = await shell.up();
  child.kill("SIGKILL");
  await once(child, "close");
  expect(shell.record()?.process.pid).toBe(child.pid);
  expect(await shell.run(["agent", "list", "--json"])).toMatchObject({ code: 0, stdout: "[]\n" });
  expect(await shell.run(["status"])).toMatchObject({
    stdout: expect.stringContaining(
      `the last one (process ${child.pid}) ended without being stopped`,
    ),
  });
  expect(await shell.run(["down"])).toMatchObject({ code: 0, stdout: "" });
  await shell.up();
  expect(shell.record()?.process.pid).not.toBe(child.pid);
});

test("the server of a home is not taken for that of a copy", async () => {
  const shell = ServedShell.open();
  await shell.up();
  const copy = join(shell.root, "copy");
  cpSync(shell.home, copy, { recursive: true });
  const status = JSON.parse((await shell.run(["status", "--json", "--home", copy])).stdout);
  expect(status).toMatchObject({ served: false, server: { state: "silent" } });
  expect(await shell.run(["agent", "list", "--json", "--home", copy])).toMatchObject({ code: 0 });
});

test("a start that fails says why, in the foreground and in the background", async () => {
  const shell = ServedShell.open();
  const { url } = await shell.up();
  const { port } = new URL(url);
  const other = ["up", "--home", join(shell.root, "other"), "--port", port];
  for (const argv of [other, [...other, "--detach"]])
    expect(await shell.run(argv)).toMatchObject({
      code: expect.toSatisfy((code) => code !== 0),
      stderr: expect.stringContaining(`Port ${port} of 127.0.0.1 is in use.`),
    });
});

test("a service is printed whose restart does not end agents", async () => {
  const shell = ServedShell.open();
  const flags = ["--port", "8123", "--home", join(shell.root, 'odd "home" 100%')];
  const systemd = await shell.run(["up", ...flags, "--print-service", "systemd"]);
  expect(systemd.stdout).toContain("\nKillMode=process\n");
  expect(systemd.stdout).toMatch(
    /\nExecStart="[^"]+" "[^"]+reprise\.cjs" "up" "--home" "[^\n]*odd \\"home\\" 100%%" "--port" "8123"\n/,
  );
  const launchd = await shell.run(["up", ...flags, "--print-service", "launchd"]);
  expect(launchd.stdout).toMatch(/<key>AbandonProcessGroup<\/key>\s*<true\/>/);
  expect(launchd.stdout).toContain('odd "home" 100%</string>');
  expect(existsSync(join(shell.root, 'odd "home" 100%'))).toBe(false);
});
