/** The commands about runs and the inbox: what they print, and the exit codes. */

import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventView, InboxItemView, RunDetail, RunView } from "@reprise/core/api/reprise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { runProgram } from "../program.ts";
import { testSurroundings } from "../test-surroundings.ts";

let folder: string;
beforeAll(() => {
  folder = temporaryFolder("runs");
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Options {
  readonly stdin?: string;
  readonly columns?: number;
}

function start(argv: string[], options: Options = {}) {
  const home = join(folder, "home");
  const surroundings = testSurroundings({
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, REPRISE_HOME: home, USER: "ana", NO_COLOR: "1" },
    ...options,
  });
  const ended = runProgram(argv, surroundings).then((code) => ({
    code,
    stdout: surroundings.stdoutText(),
    stderr: surroundings.stderrText(),
  }));
  return { surroundings, ended };
}

const run = (...argv: string[]) => start(argv).ended;

async function document<Result>(...argv: string[]): Promise<{ code: number; result: Result }> {
  const { code, stdout } = await run(...argv, "--json");
  return { code, result: JSON.parse(stdout) as Result };
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

const greet = () =>
  file(
    "greet.yaml",
    `name: Greet
inputs: { who: { type: string, default: world } }
steps:
  coder: { agent: scripted, session: coder, prompt: "echo hello {{ inputs.who }}" }
  shout: { shell: 'echo "{{ coder.output }}" | tr a-z A-Z' }
outputs: { text: shout.output }
`,
  );

const gated = (more = "") =>
  file(
    "gated.yaml",
    `name: Gated
steps:
  coder: { agent: scripted, session: coder, prompt: remember PLUM }
  ask: { needs: coder, gate: { title: Continue?${more} } }
  after: { needs: ask, agent: scripted, session: coder, prompt: what did I ask you to remember? }
outputs: { text: after.output }
`,
  );

const failing = () =>
  file(
    "failing.yaml",
    `name: Failing
steps:
  check: { shell: "echo looked; [ -e fixed ]" }
  done: { needs: check, shell: echo well }
outputs: { text: done.output }
`,
  );

const runs = async () => (await document<RunView[]>("runs")).result;
const events = async (id: string) => (await document<EventView[]>("logs", id)).result;

/** Starts the run and returns the id of the item that it waits for. */
async function waiting(id: string, more = ""): Promise<string> {
  const { code, result } = await document<RunDetail>("run", gated(more), "--id", id);
  expect(code).toBe(3);
  return result.waitsFor[0]!;
}

describe("run", () => {
  test("a result on standard output, what happened on standard error, exit 0", async () => {
    const { code, stdout, stderr } = await run("run", greet(), "--id", "g1", "--input", "who=ben");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "HELLO BEN\n" });
    const lines = stderr.split("\n").map((line) => line.replace(/^[\d-]+ [\d:]+ {2}/, ""));
    expect(lines).toEqual([
      "run.started     g1 · Greet",
      "node.started    coder",
      expect.stringMatching(/^node\.done {7}coder · blank · \d+ tokens$/),
      "node.started    shout",
      "node.done       shout",
      "node.done       outputs.text",
      "run.ended       done",
      "",
    ]);
  });

  test("W15: --reseed, --fresh-session, --fresh and --blank start every session anew", async () => {
    const flow = file(
      "kept.yaml",
      `name: Kept
steps:
  a: { agent: scripted, session: { name: s, scope: workflow }, prompt: "echo hi" }
`,
    );
    const outcome = async (...options: string[]) =>
      (await document<RunDetail>("run", flow, ...options)).result.executions[0]?.outcome;
    expect(await outcome()).toBe("blank");
    expect(await outcome()).toBe("resume");
    for (const option of ["--reseed", "--fresh-session", "--fresh"])
      expect(await outcome(option)).toBe("reseed");
    expect(await outcome("--blank")).toBe("blank");
    expect(await outcome()).toBe("resume");
  });

  test("--json is the whole run, and nothing else", async () => {
    const { code, stdout, stderr } = await run("run", greet(), "--id", "g2", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      id: "g2",
      workflow: "Greet",
      status: "done",
      inputs: { who: "world" },
      outputs: { text: "HELLO WORLD" },
      sessions: ["wf:g2:agent:coder"],
      executions: [{ id: "coder", outcome: "blank" }, { id: "shout" }, { id: "outputs.text" }],
    });
  });

  test("--jsonl prints every event on its own line, in order, then the run", async () => {
    const { code, stdout, stderr } = await run("run", greet(), "--id", "g3", "--jsonl");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toMatchObject({ run: { id: "g3", status: "done" } });
    const streamed = lines.slice(0, -1) as EventView[];
    expect(streamed).toEqual(await events("g3"));
    expect(streamed.map(({ streamSeq }) => streamSeq)).toEqual(
      streamed.map((_, index) => index + 1),
    );
  });

  test("without outputs the text of the last nodes is the result", async () => {
    const source = file("plain.yaml", "name: Plain\nsteps:\n  only: { shell: echo plain }\n");
    expect(await run("run", source)).toMatchObject({ code: 0, stdout: "plain\n" });
  });

  test("several outputs are printed with their names, even if only one has a value", async () => {
    const source = file(
      "outputs.yaml",
      `name: Outputs
steps:
  some: { inputs: { of: { value: 1 } }, function: "return { text: 'here', none: null }" }
outputs: { first: some.none, second: some.text }
`,
    );
    expect(await run("run", source)).toMatchObject({ code: 0, stdout: "second: here\n" });
  });

  test.each([
    ["short", "name: Folder\nfolder: sub\nsteps: { a: { shell: pwd } }\n"],
    [
      "long",
      "version: 3\nmetadata: { name: Folder, rootDirectory: sub }\nnodes: [ { id: a, type: shell, data: { nodeType: shell, script: pwd } } ]\n",
    ],
  ])(
    "the file's folder, %s form, is meant from where it is run; --folder goes before it",
    async (_, text) => {
      const source = file("folder.yaml", text);
      rmSync(join(folder, "sub"), { recursive: true, force: true });
      const missing = {
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(/sub does not exist\./),
      };
      expect(await run("run", source)).toMatchObject(missing);
      expect(await run("run", source, "--dry-run")).toMatchObject(missing);

      const inside = join(realpathSync(folder), "sub");
      mkdirSync(inside);
      expect(await run("run", source)).toMatchObject({ code: 0, stdout: `${inside}\n` });
      expect((await run("run", source, "--dry-run")).stdout).toContain(`folder  ${inside}\n`);
      expect(await run("run", source, "--folder", "/")).toMatchObject({ code: 0, stdout: "/\n" });
    },
  );

  test("what the file leaves open is reported with its line before anything starts, and kept with the run", async () => {
    const source = file(
      "open.yaml",
      "version: 3\nmetadata: { name: Open }\nnodes:\n  - { id: a, type: shell, data: { script: echo hi } }\n",
    );
    const warning = `! ${join(folder, source)}:4:20: The node "a" has no nodeType; `;
    const { code, stdout, stderr } = await run("run", source, "--id", "open-1");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "hi\n" });
    expect(stderr.indexOf(warning)).toBe(0);
    expect(stderr.split("\n")[1]).toMatch(/run\.started/);
    expect((await run("show", "open-1")).stderr).toContain(warning);
    expect((await run("run", source, "-q")).stderr).toBe("");

    const warnings = [{ code: "implied-node-type", position: { line: 4, column: 20 } }];
    const { result } = await document<RunDetail>("run", source);
    expect(result).toMatchObject({ warnings });
    const lines = (await run("run", source, "--jsonl")).stdout.trimEnd().split("\n");
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ run: { warnings } });
  });

  test("the workflow may come from standard input", async () => {
    const stdin = "name: Piped\nsteps:\n  only: { shell: echo piped }\n";
    expect(await start(["run", "-"], { stdin }).ended).toMatchObject({
      code: 0,
      stdout: "piped\n",
    });
  });

  test("--dry-run shows the nodes and their sessions, and writes nothing", async () => {
    const before = (await runs()).length;
    const { code, stdout, stderr } = await run("run", greet(), "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^coder +agent, scripted, session coder +wf:RUN:agent:coder +blank · first turn$/m,
    );
    expect(stderr).toBe("Nothing was started.\n");
    expect(await runs()).toHaveLength(before);
  });

  test("on a terminal it is a tree that is redrawn at the end", async () => {
    const { surroundings, ended } = start(["run", greet(), "--id", "g4"], { columns: 80 });
    expect((await ended).code).toBe(0);
    const [last = ""] = surroundings.stderrText().split("\u001b[J").slice(-2);
    const lines = last.replaceAll("\u001b[K", "").split("\n");
    expect(lines.at(-4)).toMatch(/Greet · g4 · done · [\d.]+ s$/);
    expect(lines.at(-3)).toMatch(/^✓ coder · blank · \d+ tokens · [\d.]+ s · hello world$/);
    expect(lines.at(-2)).toMatch(/^✓ shout · [\d.]+ s · HELLO WORLD$/);
  });

  test("W12 S16: a failure says what to do, exit 1; rerun continues it and says that the file changed", async () => {
    const failed = await run("run", failing(), "--id", "f1");
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("reprise: check failed: The script exited with code 1.");
    expect(failed.stderr).toContain("To continue it: reprise rerun f1\n");
    expect((await document<RunDetail>("show", "f1")).result).toMatchObject({ status: "failed" });

    expect(await run("cancel", "f1")).toMatchObject({
      code: 1,
      stdout: "Run f1 has already ended: failed. Nothing was cancelled.\n",
    });

    writeFileSync(join(folder, "fixed"), "");
    const { path, source } = (await document<RunDetail>("show", "f1")).result;
    writeFileSync(path!, `${source}\n# changed\n`);
    const again = await run("rerun", "f1");
    expect(again).toMatchObject({ code: 0, stdout: "well\n" });
    expect(again.stderr).toContain(`${path} has changed since the run started.`);
    writeFileSync(path!, source);
    expect(again.stderr).toContain("run.rerun");
    expect(again.stderr).not.toContain("run.started");
    const nothing = await run("rerun", "f1");
    expect(nothing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no node failed"),
    });
    expect(await run("rerun", "f1", "--from", "don")).toMatchObject({
      code: 2,
      stderr: 'reprise: Run f1 has no node "don". Did you mean "done"?\n',
    });
  });

  test("a wrong type at run time fails the run and names the port, exit 1", async () => {
    const source = file(
      "wrong-type.yaml",
      `name: Wrong type
steps:
  count: { shell: echo many }
  which: { branch: { value: count.output } }
`,
    );
    const { code, stderr } = await run("run", source);
    expect(code).toBe(1);
    expect(stderr).toContain('Branch "which" got a text on its input "value"');
  });

  test("Ctrl-C cancels the run, exit 130, and says how to continue", async () => {
    const source = file(
      "endless.yaml",
      `name: Endless
steps:
  wait: { shell: "touch reached; while :; do sleep 0.05; done" }
`,
    );
    const { surroundings, ended } = start(["run", source, "--id", "e1"]);
    while (!surroundings.stderrText().includes("node.started")) await new Promise(setImmediate);
    surroundings.send("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain("To continue it: reprise rerun e1\n");
    const { result } = await document<RunDetail>("show", "e1");
    expect(result).toMatchObject({
      status: "cancelled",
      executions: [{ id: "wait", status: "cancelled" }],
    });
  });
});

describe("a run that cannot be started changes nothing", () => {
  const nodes = (count: number, step: (index: number) => string) =>
    `name: Many\nsteps:\n${Array.from({ length: count }, (_, index) => `  n${index}: ${step(index)}\n`).join("")}`;

  test.each([
    ["invalid YAML", "name: x\nsteps: [a", /bad\.yaml:2:10: The file is not valid YAML: /],
    [
      "an unknown kind of step",
      "name: x\nsteps:\n  a: { shel: make }\n",
      /bad\.yaml:3:3: The step "a" does not say what it does\. Did you mean "shell"\?/,
    ],
    [
      "an unknown type of node",
      "version: 2\nmetadata: { name: x }\nnodes:\n  - { id: a, type: agnt, data: {} }\n",
      /bad\.yaml:4:20: "agnt" is not a type of node\. Did you mean "agent"\?/,
    ],
    [
      "an output that is not there",
      "name: x\nsteps:\n  a: { shell: make }\n  b: { needs: a.otput, shell: make }\n",
      /bad\.yaml:4:\d+: "a" has no output "otput"\. Did you mean "output"\?/,
    ],
    [
      "a template that names nothing",
      'name: x\nsteps:\n  a: { shell: make }\n  b: { shell: "echo {{ a.otput }}" }\n',
      /bad\.yaml:4:21: "\{\{ a\.otput \}\}" is unknown\. Did you mean "a\.output"\?/,
    ],
    [
      "an unknown runner",
      "name: x\nsteps:\n  a: { agent: codx, prompt: Hello. }\n",
      /bad\.yaml:3:15: No provider has the runner "codx"\. Did you mean "codex"\?/,
    ],
    [
      "a runner without a provider",
      "name: x\nsteps:\n  a: { agent: openclaw, prompt: Hello. }\n",
      /bad\.yaml:3:3: Node "a": This version has no provider for the runner "openclaw"\./,
    ],
    [
      "a cycle outside of a loop",
      "name: x\nsteps:\n  a: { needs: b, shell: make }\n  b: { needs: a, shell: make }\n",
      /bad\.yaml:\d+:\d+: .*\ba\b.*\bb\b/,
    ],
    [
      "10,000 nodes, of which each has a mistake",
      nodes(10_000, (index) => `{ shell: "echo {{ m${index}.output }}" }`),
      /bad\.yaml:3:\d+: "\{\{ m0\.output \}\}" is unknown\. .* There are more than 500 findings/,
    ],
  ])("%s: exit 2, with the place", async (_, text, message) => {
    const before = await runs();
    const { code, stdout, stderr } = await run("run", file("bad.yaml", text));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(await runs()).toEqual(before);
  });

  test.each([
    [
      "a file that is not there",
      ["run", "nowhere.yaml"],
      4,
      "The workflow nowhere.yaml does not exist.",
    ],
    ["a folder", ["run", "."], 2, "is a folder."],
    [
      "an input that it does not take",
      ["run", "greet.yaml", "--input", "woh=x"],
      2,
      'Did you mean "who"?',
    ],
    [
      "an input without a value",
      ["run", "greet.yaml", "--input", "who"],
      2,
      "is not of the form name=value.",
    ],
    [
      "a folder that is not there",
      ["run", "greet.yaml", "--folder", "nowhere"],
      2,
      "does not exist.",
    ],
  ])("%s", async (_, argv, code, message) => {
    greet();
    const before = await runs();
    const refused = await run(...argv);
    expect(refused).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
    expect(await runs()).toEqual(before);
  });

  test("--json has the error as a document", async () => {
    const { code, result } = await document(
      "run",
      file("bad.yaml", "name: x\nsteps: {}\nstep: 1\n"),
    );
    expect(code).toBe(2);
    expect(result).toMatchObject({ error: { code: "bad-workflow", message: expect.any(String) } });
  });

  const classless = "name: x\nsteps: { a: { agentClass: missing, prompt: Hello. } }\n";
  const typeless = "name: x\nsteps: { a: { shel: make } }\n";

  test.each([
    ["a bad file", typeless, [], 2],
    ["a bad file, dry", typeless, ["--dry-run"], 2],
    ["a bad file, detached", typeless, ["--detach"], 2],
    ["an unknown class", classless, [], 4],
    ["an unknown class, detached", classless, ["--detach"], 4],
    ["a bad id", "name: x\nsteps: { a: { shell: echo } }\n", ["--id", "a b"], 2],
    ["a good file, dry", "name: x\nsteps: { a: { shell: echo } }\n", ["--dry-run"], 0],
  ])("%s does not create a home", async (_, text, options, code) => {
    const home = join(folder, "no-home");
    const refused = await run("run", file("homeless.yaml", text), ...options, "--home", home);
    expect(refused).toMatchObject({ code });
    expect(existsSync(home)).toBe(false);
  });

  test.each([
    ["a bad file", typeless, [], 2],
    ["an unknown class", classless, [], 4],
    ["an id that is taken", "name: x\nsteps: { a: { shell: echo } }\n", ["--id", "taken"], 1],
  ])("for %s no server is started", async (_, text, options, code) => {
    await run("run", greet(), "--id", "taken", "-q");
    const refused = await run("run", file("unserved.yaml", text), ...options, "--detach");
    expect(refused).toMatchObject({ code, stdout: "" });
    expect(refused.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(existsSync(join(folder, "home", "server.log"))).toBe(false);
  });

  test("an invalid id is refused with the allowed form", async () => {
    expect(await run("run", greet(), "--id", "bad id")).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'reprise: "id" must be 1 to 64 letters, digits, dots, underscores or dashes, beginning with a letter or a digit, and is "bad id". Correct it and try again; nothing was changed.\n',
    });
  });

  test("10,000 sequential nodes run like ten", async () => {
    const source = file(
      "many.yaml",
      `${nodes(10_000, (index) => (index === 0 ? "{ constant: 1 }" : `{ needs: n${index - 1}, constant: ${index} }`))}outputs: { last: n9999 }\n`,
    );
    expect(await run("run", source, "-q")).toMatchObject({ code: 0, stdout: "9999\n" });
  });

  test.each(["show", "logs", "cancel", "rerun", "why"])(
    "%s of an unknown run: exit 4",
    async (command) => {
      const { code, stdout, stderr } = await run(command, "nothing-such");
      expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
      expect(stderr).toMatch(/^reprise: There is no .*nothing-such\./);
    },
  );

  test.each(["inbox", "approve", "reject"])("%s of an unknown item: exit 4", async (command) => {
    const { code, stdout, stderr } = await run(command, "nothing-such");
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toMatch(/^reprise: There is no inbox item nothing-such\./);
  });
});

describe("runs, show and logs", () => {
  test("list, filter, and show by the start of an id", async () => {
    await run("run", greet(), "--id", "listed-1", "-q");
    const { stdout } = await run("runs", "--workflow", "Greet", "--limit", "1");
    expect(stdout).toMatch(/^RUN +WORKFLOW +STATUS +TOOK +AGE\nlisted-1 +Greet +done /);
    expect((await run("runs", "--status", "running")).stderr).toBe("No run matches.\n");
    const shown = await run("show", "listed");
    expect(shown.stdout).toMatch(/^Greet · listed-1 · done · /);
    expect(shown.stdout).toMatch(/^session +wf:listed-1:agent:coder$/m);
    expect(shown.stdout).toMatch(/^text: HELLO WORLD$/m);
  });

  test("prints one output of the run or of a node", async () => {
    await run("run", greet(), "--id", "o1", "-q");
    expect(await run("show", "o1", "--output", "text")).toMatchObject({ stdout: "HELLO WORLD\n" });
    expect(await run("show", "o1", "--output", "coder.output")).toMatchObject({
      stdout: "hello world\n",
    });
    expect(await run("show", "o1", "--output", "coder.otput")).toMatchObject({
      code: 4,
      stderr: 'reprise: Run o1 has no output "coder.otput". Did you mean "coder.output"?\n',
    });
  });

  test("logs -f ends with the run; Ctrl-C ends only the command", async () => {
    await run("run", greet(), "--id", "l1", "-q");
    const followed = await run("logs", "l1", "-f");
    expect(followed.stdout.trimEnd().split("\n").at(-1)).toMatch(/ {2}run\.ended {7}done$/);

    await waiting("l2");
    const { surroundings, ended } = start(["logs", "l2", "-f"]);
    while (!surroundings.stdoutText().includes("gate.opened")) await new Promise(setImmediate);
    surroundings.send("SIGINT");
    expect(await ended).toMatchObject({ code: 130, stderr: "" });
    expect((await document<RunDetail>("show", "l2")).result.status).toBe("waiting");
  });

  test("why shows the decision of every turn of a run", async () => {
    await run("run", greet(), "--id", "y1", "-q");
    const { stdout } = await run("why", "y1");
    expect(stdout).toMatch(/^coder: blank · .* · turn 1 of wf:y1:agent:coder · scripted$/m);
  });

  test("why shows repeated prompts and further attempts", async () => {
    const rules = [
      { when: { launch: 1 }, do: ["crash"] },
      { when: { launch: 2 }, do: [{ say: "I think so." }] },
      { when: { launch: 3 }, do: [{ say: '{"ok": true}' }] },
    ];
    const script = file("asked-again.json", JSON.stringify({ rules }));
    const text = `name: x
steps:
  judge:
    agent: scripted
    settings: { script: ${script} }
    prompt: Is it well?
    returns: { ok: boolean }
    retry: { max: 1, backoff: 1 }
`;
    await run("run", file("asked-again.yaml", text), "--id", "y2", "-q");
    const { stdout } = await run("why", "y2");
    const lines = stdout.split("\n").filter((line) => line.startsWith("judge: "));
    expect(lines).toHaveLength(3);
    expect(lines.map((line) => /^judge: (\w+) · .*turn (\d)/.exec(line)?.slice(1))).toEqual([
      ["blank", "1"],
      ["reseed", "2"],
      ["resume", "3"],
    ]);
    const { turns } = JSON.parse((await run("why", "y2", "--json")).stdout);
    expect(turns.map(({ execution }: { execution: string }) => execution)).toEqual(
      Array(3).fill("judge"),
    );
  });

  test("why of an unknown name lists what it accepts", async () => {
    expect(await run("why", "nope")).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /^reprise: There is no run, turn or session nope\. "reprise runs" lists the runs/,
      ),
    });
    for (const id of ["twin-1", "twin-2"]) await run("run", greet(), "--id", id, "-q");
    expect(await run("why", "twin")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Several runs begin with twin."),
    });
  });

  test("cancel ends a run that waits, and its item with it", async () => {
    const item = await waiting("x1");
    expect(await run("cancel", "x1")).toMatchObject({ code: 0, stdout: "Run x1 is cancelled.\n" });
    expect(await run("approve", item)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is no longer open"),
    });
  });
});

describe("inbox", () => {
  test("a run that waits: exit 3, and the commands that answer it", async () => {
    const { code, stdout, stderr } = await run("run", gated(), "--id", "w1");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(
      /Waits for a person: Continue\?\n {2}reprise approve (\w{8}), or reprise reject \1\n$/,
    );
    const listed = await run("inbox", "--run", "w1");
    expect(listed.stdout).toMatch(/^\w{8} +approval +Continue\? +run w1 +ask +open +- /m);
    const [, item = ""] = /reprise approve (\w{8})/.exec(stderr) ?? [];
    const shown = await run("inbox", item);
    expect(shown.stdout).toMatch(/^choices +approve, reject$/m);
    expect(shown.stdout).toMatch(/^wf:w1:agent:coder: resume · all guards pass$/m);
  });

  test("approve continues in the same session; the same answer again changes nothing, another is refused", async () => {
    const item = await waiting("w2");
    const approved = await run("approve", item.slice(0, 8), "--comment", "Well done.");
    expect(approved).toMatchObject({ code: 0, stdout: "PLUM\n" });
    expect(approved.stderr).toMatch(/^approve: Continue\?\n/);
    const before = await events("w2");
    expect(before.map(({ type }) => type)).toContain("gate.answered");

    const again = await run("approve", item, "--by", "ben");
    expect(again).toEqual({
      code: 0,
      stdout: "",
      stderr: "It was already answered: approve by ana. Nothing changed.\n",
    });
    const other = await run("reject", item);
    expect(other).toMatchObject({ code: 1, stdout: "" });
    expect(other.stderr).toMatch(/^reprise: "Continue\?" was already answered: approve by ana at /);
    expect(await events("w2")).toEqual(before);
    const [answered] = (await document<InboxItemView[]>("inbox", "--run", "w2", "--all")).result;
    expect(answered).toMatchObject({
      resolution: { choice: "approve", by: "ana", comment: "Well done." },
    });
  });

  test("the wrong person is denied, exit 5, and the item stays open", async () => {
    const item = await waiting("w3", ", answerers: [ben]");
    const before = await events("w3");
    expect(await run("approve", item)).toEqual({
      code: 5,
      stdout: "",
      stderr: 'reprise: ana may not answer "Continue?". It is for ben.\n',
    });
    expect(await events("w3")).toEqual(before);
    expect(await run("approve", item, "--by", "ben")).toMatchObject({ code: 0 });
  });

  test("W1: after a rejection the following nodes are skipped, exit 1, and rerun asks again", async () => {
    const item = await waiting("w4");
    const { code, result } = await document<RunDetail>("reject", item, "--comment", "No.");
    expect(code).toBe(1);
    expect(result).toMatchObject({ status: "rejected", outputs: {} });
    const after = result.executions.find(({ id }) => id === "after");
    expect(after).toMatchObject({ status: "skipped" });
    expect((await document<RunDetail[]>("runs", "--status", "rejected")).result).toMatchObject([
      { id: "w4" },
    ]);
    const asked = await run("rerun", "w4");
    expect(asked.code).toBe(3);
    expect(asked.stderr).toContain("reprise approve");
  });

  test("S21: after a rejection one hint says how to ask again", async () => {
    const { stderr } = await run("reject", await waiting("w4b"));
    expect(stderr.match(/reprise rerun w4b/g)).toHaveLength(1);
  });

  test("--no-carry only answers; rerun continues", async () => {
    const item = await waiting("w5");
    const { result } = await document<{ given: boolean }>("approve", item, "--no-carry");
    expect(result).toMatchObject({ given: true, run: { status: "running", stalled: true } });
    expect(await run("rerun", "w5")).toMatchObject({ code: 0, stdout: "PLUM\n" });
  });

  test("a gate with more than two choices is answered by their names", async () => {
    const item = await waiting("w6", ", choices: [ship, wait, drop]");
    expect(await run("reject", item)).toMatchObject({ code: 2 });
    expect(await run("answer", item, "wiat")).toMatchObject({
      code: 2,
      stderr: 'reprise: "Continue?" has no choice "wiat". Did you mean "wait"?\n',
    });
    expect((await document<RunDetail>("answer", item, "ship")).result).toMatchObject({
      status: "done",
      outputs: { text: "PLUM" },
    });
  });

  test("a form requires its fields", async () => {
    const fields = ", fields: [{ name: version }, { name: copies, type: number, default: 2 }]";
    const parked = await run("run", gated(fields), "--id", "w7-json");
    expect(parked.stderr).toMatch(
      /Waits for a person: Continue\?\n {2}reprise answer (\w{8}) approve --value version=TEXT\n {2}reprise answer \1 reject\n$/,
    );
    const item = await waiting("w7", fields);
    expect(await run("answer", item)).toMatchObject({
      code: 2,
      stderr: `reprise: There is no answer. Fill it in with: reprise answer ${item.slice(0, 8)} approve --value version=TEXT\n`,
    });
    expect(await run("approve", item)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The field "version" (version) is not filled in.'),
    });
    expect(
      await run("answer", item, "--value", "version=1.4", "--value", "copies=x"),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The field "copies" must be a number'),
    });
    const { result } = await document<RunDetail>("answer", item, "--value", "version=1.4");
    const gate = result.executions.find(({ id }) => id === "ask");
    expect(gate).toMatchObject({ outputs: { version: "1.4", copies: 2, by: "ana" } });
  });
});

test("W17: what a file implies is printed by its first run, and again only when the file has changed", async () => {
  const text =
    "version: 3\nmetadata: { name: Implied }\nnodes:\n  - { id: a, type: shell, data: { script: echo hi } }\n";
  const name = file("implied.yaml", text);
  const implied = /implied\.yaml:4:\d+: /;
  expect((await run("run", name)).stderr).toMatch(implied);
  const second = await run("run", name);
  expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining("hi") });
  expect(second.stderr).not.toMatch(implied);
  file("implied.yaml", text.replace("echo hi", "echo ho"));
  expect((await run("run", name)).stderr).toMatch(implied);
});
