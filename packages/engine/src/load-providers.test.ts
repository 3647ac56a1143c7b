/** Providers from outside: how they are found, what is refused, and that a project folder cannot name one. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import type { Provider } from "@reprise/providers/provider";
import type { BrokenProvider } from "@reprise/providers/registry";
import { scripted } from "@reprise/providers/scripted/provider";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { readProviders } from "./load-providers.ts";
import { openReprise } from "./open-reprise.ts";

let folder: string;
let env: { HOME: string; XDG_CONFIG_HOME: string; PATH: string };
beforeEach(() => {
  folder = temporaryFolder("providers");
  env = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    PATH: process.env.PATH ?? "",
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

const source = new URL("../../providers/src/scripted/provider.ts", import.meta.url).href;

/** A provider like the scripted one, with its own copy of every module. */
const module = (changes: string, more = "") => `
  import { scripted } from ${JSON.stringify(source)};
  const manifest = { ...scripted.manifest, name: "mine", runners: ["my-agent"], bridges: [] };
  export default { ...scripted, manifest: { ...manifest, ${changes} } ${more} };
`;

const write = (path: string, text: string) => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const config = (value: unknown) =>
  write("config/reprise/config.yaml", `providers: ${JSON.stringify(value)}\n`);
const load = () => readProviders({ env, cwd: folder });
const open = (providers: readonly Provider[] = []) =>
  openReprise({ home: join(folder, "home"), env, cwd: folder, providers });

const renamed = (name: string): Provider => ({
  ...scripted,
  manifest: { ...scripted.manifest, name, runners: [`${name}-cli`] },
});

test("X2: settings name a file beside the settings file, or a package that is installed there", async () => {
  write("config/reprise/own/mine.js", module(""));
  const manifest = {
    name: "agent-of-ours",
    type: "module",
    exports: { ".": { import: "./x.js" } },
  };
  write("config/reprise/node_modules/agent-of-ours/package.json", JSON.stringify(manifest));
  write("config/reprise/node_modules/agent-of-ours/x.js", module('name: "ours", runners: []'));
  config(["./own/mine.js", "agent-of-ours"]);
  const { names, runners } = await load();
  expect(names).toEqual([
    "acp",
    "claude",
    "codex",
    "gemini",
    "openai",
    "opencode",
    "pi",
    "scripted",
    "mine",
    "ours",
  ]);
  expect(runners).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ name: "my-agent", provider: "mine", available: true }),
      expect.objectContaining({ name: "ours", provider: "ours", available: true }),
    ]),
  );
});

test.each([
  [
    "a file that does not exist",
    ["./gone.js"],
    NotFoundError,
    "no-provider-module",
    "gone.js does not exist",
  ],
  [
    "a package that is not installed",
    ["gone"],
    NotFoundError,
    "no-provider-module",
    '"gone" .* is not installed',
  ],
  [
    "a module that is not a provider",
    ["./other.js"],
    UsageError,
    "bad-provider",
    "not a provider: it has no manifest",
  ],
  ["a module that cannot be read", ["./broken.js"], UsageError, "bad-provider", "cannot be loaded"],
  [
    "another contract",
    ["./old.js"],
    UsageError,
    "bad-provider",
    "version 0 of the provider contract",
  ],
  ["a missing function", ["./half.js"], UsageError, "bad-provider", "has no function observe"],
  [
    "an ability without its function",
    ["./proud.js"],
    UsageError,
    "bad-provider",
    "but no function takesSchema",
  ],
  [
    "a name that is taken",
    ["./codex.js"],
    UsageError,
    "provider-exists",
    'two providers named "codex"',
  ],
  [
    "a runner that is taken",
    ["./claude.js"],
    UsageError,
    "provider-exists",
    'both have the name "claude-code"',
  ],
])("X2: refuses %s in one sentence, and all else works", async (_, named, kind, code, message) => {
  write("config/reprise/other.js", "export default { hello: 1 };");
  write("config/reprise/broken.js", "export default {;");
  write("config/reprise/old.js", module("", ", contract: 0"));
  write("config/reprise/half.js", module("", ", observe: undefined"));
  write("config/reprise/proud.js", module('abilities: [...manifest.abilities, "schema"]'));
  write("config/reprise/codex.js", module('name: "codex", runners: []'));
  write("config/reprise/claude.js", module('runners: ["claude-code"]'));
  config(named);
  const loaded = await load();
  expect(loaded.broken.map((each) => each.module)).toEqual(named);
  const [{ error }] = loaded.broken as [BrokenProvider];
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect(() => loaded.find("mine")).toThrow(error.message);
  const reprise = await open();
  await reprise.agents.create({ name: "coder", provider: "scripted" });
  const { ok, findings } = await reprise.doctor();
  expect(ok).toBe(false);
  expect(findings).toContainEqual(
    expect.objectContaining({ subject: `provider ${named[0]}`, text: error.message }),
  );
  await reprise.close();
});

test("X2: a relative path counts only in the user's own file", async () => {
  write("config/reprise/mine.js", module(""));
  const { broken } = await readProviders({
    env: { ...env, REPRISE_PROVIDERS: "./mine.js" },
    cwd: folder,
  });
  expect(broken).toMatchObject([{ module: "./mine.js", error: { code: "bad-setting" } }]);
  const absolute = join(folder, "config/reprise/mine.js");
  const { names } = await readProviders({
    env: { ...env, REPRISE_PROVIDERS: absolute },
    cwd: folder,
  });
  expect(names).toContain("mine");
});

test("V3 X2: the settings file of a project folder loads no code", async () => {
  write("evil.js", `globalThis.evil = true; ${module("")}`);
  write(".reprise/config.yaml", `providers: [${join(folder, "evil.js")}, ../evil.js]\n`);
  const { names } = await load();
  expect(names).not.toContain("mine");
  expect(globalThis).not.toHaveProperty("evil");
  const reprise = await open();
  const { findings } = await reprise.doctor();
  await reprise.close();
  expect(findings.map(({ text }) => text).join("\n")).toContain("cannot set providers");
});

test("X2: a provider that a program passes in drives agents, and appears in the API", async () => {
  const reprise = await open([renamed("mine")]);
  await reprise.agents.create({ name: "coder", provider: "mine" });
  const first = await reprise.sessions.send({ key: "k", agent: "coder", prompt: "remember X-1" });
  const second = await reprise.sessions.send({
    key: "k",
    prompt: "what did I ask you to remember?",
  });
  expect([first.decision?.outcome, second.decision?.outcome, second.output]).toEqual([
    "blank",
    "resume",
    "X-1",
  ]);
  const view = (await reprise.providers()).find(({ name }) => name === "mine");
  expect(view).toMatchObject({ builtIn: false, runners: ["mine-cli", "mine"], checkpoint: "file" });
  expect(view?.settings).toMatchObject({ properties: { script: { type: "string" } } });
  const run = await reprise.runs.start({
    source: "name: x\nsteps:\n  a: { agent: mine-cli, prompt: echo hi }\n",
  });
  expect(run.status).toBe("done");
  await reprise.close();

  // Without it, what was made with it is still listed, and a turn says what is missing.
  const without = await open();
  expect((await without.agents.list()).map(({ provider }) => provider)).toContain("mine");
  expect((await without.runs.show(run.id)).status).toBe("done");
  await expect(without.sessions.send({ key: "k", prompt: "hi" })).rejects.toMatchObject({
    code: "no-provider",
  });
  await without.close();
});

test("X2: a provider of the program replaces one of the same name in the settings", async () => {
  write("config/reprise/mine.js", module('title: "from the settings"'));
  config(["./mine.js"]);
  const reprise = await open([renamed("mine")]);
  const titles = (await reprise.providers()).map(({ title }) => title);
  await reprise.close();
  expect(titles).not.toContain("from the settings");
  await expect(open([renamed("codex")])).rejects.toMatchObject({ code: "provider-exists" });
  await expect(open([{} as Provider])).rejects.toMatchObject({ code: "bad-provider" });
});

test("X2: an error of a provider with its own copy of Reprise keeps its meaning", async () => {
  write("config/reprise/mine.js", module(""));
  config(["./mine.js"]);
  const reprise = await open();
  const created = reprise.agents.create({
    name: "coder",
    provider: "mine",
    settings: { script: join(folder, "none.yaml") },
  });
  const error = await created.catch((thrown) => thrown);
  await reprise.close();
  expect(error).toBeInstanceOf(UsageError);
  expect(error).toMatchObject({ code: "bad-script", exitCode: 2 });
});

test("X2: an access level that the manifest does not have is refused before anything is written", async () => {
  const { manifest } = renamed("mine");
  const levels = { full: "Everything." };
  const provider = {
    ...scripted,
    manifest: { ...manifest, access: { ...manifest.access, levels } },
  };
  const reprise = await open([provider]);
  await expect(reprise.agents.create({ name: "coder", provider: "mine" })).rejects.toMatchObject({
    code: "access-not-enforced",
    hint: "Use access full.",
    exitCode: 5,
  });
  await reprise.agents.create({ name: "coder", provider: "mine", access: "full" });
  const turn = { key: "k", agent: "coder", prompt: "echo hi" };
  await expect(reprise.sessions.send({ ...turn, access: "read" })).rejects.toMatchObject({
    code: "access-not-enforced",
  });
  expect((await reprise.sessions.send(turn)).output).toBe("hi");
  await reprise.close();
});

test("X2: doctor says that a program is newer than tested", async () => {
  const { manifest } = renamed("mine");
  const program = { ...manifest.program, tested: ["0.9.0", "0.10.0"] };
  const reprise = await open([{ ...scripted, manifest: { ...manifest, program } }]);
  const texts = (await reprise.doctor()).findings.map(({ subject, text }) => `${subject}: ${text}`);
  await reprise.close();
  expect(texts).toContain(
    "provider mine: scripted 1.0.0 is newer than tested: the newest tested version is 0.10.0.",
  );
});
