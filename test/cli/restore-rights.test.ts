/** What a backup may give back: conversations, and no right that was taken away. */

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestShell } from "./shell.ts";

test("V14: restore revokes the tokens and removes the webhooks of a backup, and names its programs", async () => {
  await using shell = new TestShell();
  const binary = join(shell.root, "own-agent");
  writeFileSync(binary, '#!/bin/sh\necho "own 1.0 --resume"\n');
  chmodSync(binary, 0o700);
  await shell.run([
    "agent",
    "create",
    "own",
    "--provider",
    "scripted",
    "--set",
    `binary=${binary}`,
  ]);
  await shell.run(["token", "create", "ann", "--role", "operator"]);
  await shell.run(["token", "create", "ben", "--role", "viewer"]);
  await shell.run(["webhook", "add", "http://127.0.0.1:9/hook", "--event", "run.ended"]);
  const file = join(shell.root, "home.backup");
  expect(await shell.run(["backup", file])).toMatchObject({ code: 0 });
  // What is taken away after the backup is not given back by it.
  await shell.run(["token", "revoke", "ann"]);

  const home = join(shell.root, "another");
  const restored = await shell.run(["restore", file, "--home", home]);
  expect(restored.code).toBe(0);
  expect(restored.stderr).toContain("Revoked tokens: ann (operator), ben (viewer).");
  expect(restored.stderr).toContain("Removed webhooks: http://127.0.0.1:9/hook.");
  expect(restored.stderr).toContain(`Agent own uses binary ${binary};`);
  const tokens = async (of: string) =>
    JSON.parse((await shell.run(["token", "list", "--home", of, "--json"])).stdout);
  const webhooks = async (of: string) =>
    JSON.parse((await shell.run(["webhook", "list", "--home", of, "--json"])).stdout);
  expect(await tokens(home)).toMatchObject([
    { name: "ann", revokedAt: expect.any(Number) },
    { name: "ben", revokedAt: expect.any(Number) },
  ]);
  expect(await webhooks(home)).toEqual([]);

  const whole = join(shell.root, "whole");
  const asked = await shell.run([
    ...["restore", file, "--home", whole],
    ...["--with-tokens", "--with-webhooks", "--json"],
  ]);
  expect(JSON.parse(asked.stdout)).toMatchObject({
    tokens: [
      { name: "ann", role: "operator", kept: true },
      { name: "ben", role: "viewer", kept: true },
    ],
    webhooks: [{ url: "http://127.0.0.1:9/hook", kept: true }],
    programs: [{ name: "own", settings: { binary } }],
  });
  expect(await tokens(whole)).toMatchObject([{ revokedAt: null }, { revokedAt: null }]);
  expect(await webhooks(whole)).toHaveLength(1);
});

test("V14 X2: restore names the programs of a provider from the settings by its manifest", async () => {
  await using shell = new TestShell();
  const source = new URL("../../packages/providers/src/scripted/provider.ts", import.meta.url).href;
  const module = join(shell.root, "mine.js");
  writeFileSync(
    module,
    `import { scripted } from ${JSON.stringify(source)};
    const { settings, ...manifest } = scripted.manifest;
    const instructions = { description: "A program.", format: "program" };
    const properties = { ...settings.properties, instructions };
    export default { ...scripted, manifest: {
      ...manifest, name: "mine", runners: [], bridges: [], settings: { ...settings, properties },
    } };`,
  );
  const env = { REPRISE_PROVIDERS: module };
  const create = [
    "agent",
    "create",
    "own",
    "--provider",
    "mine",
    "--set",
    "instructions=/bin/true",
  ];
  expect(await shell.run(create, { env })).toMatchObject({ code: 0 });
  const file = join(shell.root, "home.backup");
  expect(await shell.run(["backup", file])).toMatchObject({ code: 0 });
  const restored = await shell.run(["restore", file, "--home", join(shell.root, "another")], {
    env,
  });
  expect(restored.stderr).toContain("Agent own uses instructions /bin/true;");
});
