/**
 * The suite that every provider must pass. It uses no test framework: it returns named checks, which any runner can run.
 * The agent must be able to remember: see `remember` and `recall`.
 */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rmSync, truncateSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { RepriseError } from "@reprise/core/errors/errors";
import type { Access } from "@reprise/core/session/access";
import { ownError } from "@reprise/engine/outside-errors";
import { can, providerProblem } from "@reprise/providers/define-provider";
import { programSettings } from "@reprise/providers/manifest";
import type { Provider } from "@reprise/providers/provider";
import { sha256, Trial } from "./trial.ts";

export interface ProviderSuiteOptions {
  readonly provider: Provider;
  /** Settings of the agent; a function gets a folder of its own for each check, for a home that starts empty. */
  readonly settings?:
    | Readonly<Record<string, string>>
    | ((folder: string) => Readonly<Record<string, string>>);
  /** Environment of the agent beside PATH and an empty HOME, such as the address of a model server. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the agent may do; the lowest level of the manifest unless it is given. */
  readonly access?: Access;
  /** The prompt after which the agent knows the word; `remember WORD` unless it is given. */
  readonly remember?: (word: string) => string;
  /** The prompt that it answers with that word; "what did I ask you to remember?" unless it is given. */
  readonly recall?: string;
}

/** One check. `run` rejects with a sentence when the provider does not pass. */
export interface ProviderCheck {
  readonly name: string;
  run(): Promise<void>;
}

const word = "APPLE-739";
/** What agents take for commands, files, options and expansions unless the provider prevents it. */
const inertPrompts = [
  "/clear",
  "/compact",
  "@README.md hello",
  "--help",
  "-",
  "$(id) `id`",
  "é ü 字",
];

/**
 * The checks for one provider.
 * @example
 * import { test } from "node:test";
 * import { providerSuite } from "reprise/testing";
 * for (const { name, run } of providerSuite({ provider })) test(name, run);
 */
export function providerSuite(options: ProviderSuiteOptions): ProviderCheck[] {
  const { provider, settings = {}, env = {} } = options;
  const { manifest } = provider;
  const { remember = (words: string) => `remember ${words}` } = options;
  const { recall = "what did I ask you to remember?" } = options;
  const levels = (["read", "edit", "full"] as const).filter(
    (level) => level in manifest.access.levels,
  );
  const access = options.access ?? levels[0] ?? "full";
  const keepsFiles = manifest.checkpoint !== "none";

  /** A check that is left out where it does not apply. */
  const check = (
    name: string,
    work: (trial: Trial) => Promise<void>,
    applies = true,
  ): ProviderCheck[] => {
    if (!applies) return [];
    return [{ name, run: () => withTrial(work) }];
  };
  const withTrial = async (work: (trial: Trial) => Promise<void>) => {
    await using trial = new Trial({
      provider,
      env,
      access,
      settings: typeof settings === "function" ? settings : () => settings,
    });
    await work(trial);
  };

  /** A session that knows the word. */
  const begin = async (trial: Trial) => {
    const turn = await trial.send(remember(word));
    assert.equal(turn.turn.status, "done", `The first turn failed: ${turn.error?.message}`);
    assert.equal(turn.decision?.outcome, "blank");
  };
  const recalls = async (trial: Trial, outcome: string, key?: string) => {
    const turn = await trial.send(recall, key);
    assert.equal(turn.turn.status, "done", `The turn failed: ${turn.error?.message}`);
    const verdicts = turn.decision?.verdicts.filter(({ passed }) => !passed) ?? [];
    assert.equal(
      turn.decision?.outcome,
      outcome,
      `These guards failed: ${JSON.stringify(verdicts)}`,
    );
    assert.match(turn.output ?? "", new RegExp(RegExp.escape(word)), "The agent has forgotten.");
  };

  return [
    check("the manifest is complete and agrees with the functions", async () => {
      assert.equal(providerProblem(provider), null);
      assert.ok(
        !manifest.idPattern.global,
        "idPattern has the flag g, so it does not match every time.",
      );
    }),

    check("a setting that does not exist is refused", async ({ agent }) => {
      const wrong = { ...agent, settings: { ...agent.settings, "no-such-setting": "x" } };
      assert.equal((await failure(provider.validate(wrong))).code, "unknown-setting");
      await provider.validate(agent);
    }),

    check("a program that does not exist is reported as not found", async (trial) => {
      for (const setting of programSettings(manifest)) {
        const agent = {
          ...trial.agent,
          settings: { ...trial.agent.settings, [setting]: "/no/such/program" },
        };
        const other = new Trial({ provider, env, access, settings: () => agent.settings });
        await using _ = other;
        assert.equal((await failure(other.probe())).exitCode, 4);
      }
    }),

    check("the probe says which program it found, and what it can do", async (trial) => {
      const { binary, runtime } = await trial.probe();
      assert.ok(isAbsolute(binary), `The program ${binary} is not an absolute path.`);
      assert.match(runtime.version, /\S/);
      assert.ok(isAbsolute(runtime.home), `The home ${runtime.home} is not an absolute path.`);
      for (const ability of runtime.abilities)
        assert.ok(can(provider, ability), `The manifest does not have the ability ${ability}.`);
      assert.deepEqual(await trial.probe(), { ...(await trial.probe()) });
    }),

    check(
      "every access level of the manifest has a command, and no command has a secret",
      async (trial) => {
        const secrets = Object.entries(trial.agent.env).filter(([name]) =>
          /KEY|TOKEN|SECRET/.test(name),
        );
        for (const level of levels) {
          const { argv } = await trial.command(null, level);
          for (const [name, value] of secrets)
            assert.ok(
              !argv.some((part) => part.includes(value)),
              `${name} is on the command line.`,
            );
        }
      },
    ),

    check("a session is continued by another process", async (trial) => {
      await begin(trial);
      const { id } = await trial.handle();
      assert.match(id, manifest.idPattern);
      await recalls(trial, can(provider, "resume") ? "resume" : "reseed");
      if (can(provider, "resume")) assert.equal((await trial.handle()).id, id);
    }),

    check(
      "its history grows with each turn, and what was there stays",
      async (trial) => {
        await begin(trial);
        const before = await provider.observe(await trial.handle(), sha256);
        await recalls(trial, "resume");
        const after = await provider.observe(await trial.handle(), sha256);
        assert.ok(
          typeof before === "object" && typeof after === "object",
          "The history cannot be read.",
        );
        assert.ok(
          after.items.length > before.items.length,
          "The second turn is not in the history.",
        );
        assert.deepEqual(
          after.items.slice(0, before.items.length).map(({ digest }) => digest),
          before.items.map(({ digest }) => digest),
          "What was confirmed has changed.",
        );
      },
      keepsFiles,
    ),

    check(
      "its sessions are listed in their folder, with what they were asked first",
      async (trial) => {
        await begin(trial);
        const { id } = await trial.handle();
        const listed = (folder: string | null) =>
          provider.sessions?.(trial.agent, { folder, limit: 10 }) ?? [];
        const [session, ...others] = await listed(trial.folder);
        assert.equal(session?.id, id, "The session is not listed.");
        assert.deepEqual(others, [], "It is listed more than once.");
        assert.match(session.prompt, new RegExp(RegExp.escape(remember(word))));
        // The home may have sessions of other folders.
        assert.deepEqual((await listed(null))[0], session);
        if (session.folder === null) return;
        assert.equal(session.folder, trial.folder);
        assert.deepEqual(await listed(trial.newFolder("other")), []);
      },
      provider.sessions !== undefined,
    ),

    check("a session that does not exist is refused, and nothing is answered", async (trial) => {
      await begin(trial);
      const dead = { id: unlike((await trial.handle()).id), place: (await trial.handle()).place };
      const events = await trial.launch(dead, recall);
      const kinds = events.flatMap((event) =>
        event.type === "failure" ? [event.failure.kind] : [],
      );
      assert.deepEqual(kinds, ["missing"], `The reader reported ${JSON.stringify(events)}`);
      assert.ok(
        !events.some(({ type }) => type === "result"),
        "It was answered by another session.",
      );
      if (keepsFiles) assert.equal(await provider.observe(dead, sha256), "missing");
    }),

    check(
      "files that were lost are restored, and the session continues",
      async (trial) => {
        await begin(trial);
        const handle = await trial.handle();
        const files = await provider.copyOut(handle);
        assert.ok(files.length > 0, "copyOut returned nothing for a session that exists.");
        for (const { name } of files) rmSync(join(handle.place, name));
        assert.equal(await provider.observe(handle, sha256), "missing");
        await recalls(trial, "resume");
      },
      keepsFiles,
    ),

    check(
      "files that were cut are noticed and restored",
      async (trial) => {
        await begin(trial);
        const handle = await trial.handle();
        const [file] = (await provider.copyOut(handle)).toSorted(
          (a, b) => b.bytes.length - a.bytes.length,
        );
        truncateSync(join(handle.place, file!.name), Math.floor(file!.bytes.length / 2));
        await recalls(trial, "resume");
      },
      manifest.checkpoint === "file",
    ),

    check(
      "copyIn puts back what copyOut returned, and keeps what it found",
      async (trial) => {
        await begin(trial);
        const handle = await trial.handle();
        const [files, before] = [
          await provider.copyOut(handle),
          await provider.observe(handle, sha256),
        ];
        await recalls(trial, "resume");
        const aside = trial.newFolder("aside");
        await provider.copyIn(handle, files, aside);
        assert.deepEqual(await provider.observe(handle, sha256), before);
        assert.deepEqual(await provider.copyOut(handle), files);
      },
      keepsFiles,
    ),

    check("a prompt is text, whatever it begins with", async (trial) => {
      await begin(trial);
      for (const prompt of inertPrompts) {
        const turn = await trial.send(prompt);
        assert.equal(turn.turn.status, "done", `${JSON.stringify(prompt)}: ${turn.error?.message}`);
        assert.equal(turn.decision?.outcome, can(provider, "resume") ? "resume" : "reseed");
      }
      await recalls(trial, can(provider, "resume") ? "resume" : "reseed");
    }),

    check(
      "a fork knows what its source knew, and leaves it alone",
      async (trial) => {
        await begin(trial);
        const source = await trial.handle();
        await (await trial.open()).sessions.fork({ key: "suite", newKey: "forked" });
        await recalls(trial, "resume", "forked");
        assert.notEqual((await trial.handle("forked")).id, source.id);
        await recalls(trial, "resume");
        assert.equal((await trial.handle()).id, source.id);
      },
      can(provider, "fork-copy") || can(provider, "fork-command"),
    ),

    check(
      "a compacted session continues",
      async (trial) => {
        await begin(trial);
        await (await trial.open()).sessions.compact({ key: "suite" });
        await recalls(trial, "resume");
      },
      can(provider, "compact"),
    ),

    check("the reader takes any line, and an interrupted process is not a failure", async () => {
      const reader = provider.reader();
      for (const line of ["", "{", "[]", "null", "{}", '{"type":7}', "\ud800", "x".repeat(100_000)])
        assert.ok(
          Array.isArray(reader.line(line)),
          `The reader did not return events for ${line}.`,
        );
      for (const code of [null, 137, 143]) {
        const events = provider.reader().end({ code, stderr: "" });
        assert.ok(
          !events.some(({ type }) => type === "failure"),
          `Exit code ${code} is a failure.`,
        );
      }
    }),

    check("a workflow runs it by its runner name", async (trial) => {
      const reprise = await trial.open();
      const runner = manifest.runners[0] ?? manifest.name;
      const settings = Object.entries(trial.agent.settings).map(([name, value]) => [name, value]);
      const step = {
        agent: runner,
        prompt: remember(word),
        settings: Object.fromEntries(settings),
      };
      const source = JSON.stringify({ name: "suite", steps: { first: step } });
      const run = await reprise.runs.start({ source, access });
      assert.equal(run.status, "done", `The run is ${run.status}: ${run.error?.message}`);
    }),
  ].flat();
}

/** The error of this copy of Reprise that a promise rejects with. */
async function failure(promise: Promise<unknown>): Promise<RepriseError> {
  const error = await promise.then(
    () => assert.fail("Nothing was refused."),
    (thrown: unknown) => ownError(thrown),
  );
  if (error instanceof RepriseError) return error;
  throw error;
}

/** An id of the same form that no session has; what is before the last `_` says what kind of id it is. */
function unlike(id: string): string {
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
  if (uuid.test(id)) return id.replace(uuid, randomUUID());
  return id.replace(/[0-9a-z](?!.*_)/gi, (letter) =>
    letter === "0" ? "1" : /\d/.test(letter) ? "0" : letter === "a" ? "b" : "a",
  );
}
