import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SessionLostError } from "@reprise/core/errors/errors";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { bridgePath } from "../define-provider.ts";
import type { LaunchAccess, LaunchRequest } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { given } from "./access.ts";
import { starter } from "./bridges.ts";
import { command, interactive } from "./command.ts";
import type { OpencodeOrder } from "./start.ts";

const id = "ses_e0a354431ffeq84EnUmS6SoQv8";
const place = "/home/me/.local/share/opencode";
const request: LaunchRequest = {
  agent: { name: "coder", settings: {}, privateFolder: "/private", env: {} },
  binary: "/bin/opencode",
  runtime: { product: "opencode", home: "/home/me", version: "1.18.33", abilities: [] },
  resume: null,
  newId: null,
  folder: "/project",
  model: null,
  access: bySettings,
};
const resumed = { ...request, resume: { id, place } };
const orderOf = ({ argv }: { argv: readonly string[] }) => JSON.parse(argv[2]!) as OpencodeOrder;
const configOf = ({ env }: { env: Readonly<Record<string, string>> }) =>
  JSON.parse(env.OPENCODE_CONFIG_CONTENT!);
const withAccess = (access: Partial<LaunchAccess>, folder = "/project") =>
  command({ ...request, folder, access: { ...bySettings, named: true, ...access } });
const rulesOf = (started: ReturnType<typeof command>) => {
  const { agent } = configOf(started);
  return agent.reprise.permission;
};

describe("command", () => {
  test("a new session, and one that is continued", () => {
    const first = command(request);
    expect(first.argv.slice(0, 2)).toEqual([process.execPath, bridgePath(starter)]);
    expect(first.argv.slice(3)).toEqual([
      "/bin/opencode",
      ...["run", "--format=json", "--dir=/project", "--title=Reprise"],
    ]);
    expect(orderOf(first)).toEqual({
      session: null,
      fork: false,
      folder: "/project",
      place: null,
      shell: null,
    });
    expect(first.env).toMatchObject({ PWD: "/project", OPENCODE_DISABLE_AUTOUPDATE: "1" });
    const next = command({ ...resumed, model: "local/test" });
    expect(next.argv.slice(-2)).toEqual(["--model=local/test", `--session=${id}`]);
    expect(orderOf(next)).toMatchObject({ session: id, place });
    const fork = command({ ...resumed, fork: true });
    expect(fork.argv.at(-1)).toBe("--fork");
    expect(orderOf(fork)).toMatchObject({ session: id, fork: true });
    expect(interactive(resumed).argv.slice(4)).toEqual(["/project", `--session=${id}`]);
    const access = { ...bySettings, named: true, level: "read" } as const;
    expect(interactive({ ...resumed, access }).argv).toContain("--agent=reprise");
  });

  test("an id that opencode takes for no session is not passed on", () => {
    for (const wrong of ["", "ses_", "latest", `${id}0`, `${id} --continue`])
      expect(() => command({ ...request, resume: { id: wrong, place } })).toThrow(SessionLostError);
  });

  test("a home of its own, and opencode's own configuration, with what is added to it", () => {
    const own = { model: "local/test", instructions: ["/own.md"], autoupdate: true };
    const settings = { home: "/agent", instructionFiles: "/a.md,/b.md", skillPaths: "/skills" };
    const agent = {
      ...request.agent,
      settings,
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(own) },
    };
    for (const each of [request, resumed]) {
      const started = command({ ...each, agent });
      expect(configOf(started)).toMatchObject({
        model: "local/test",
        autoupdate: false,
        share: "disabled",
        instructions: ["/own.md", "/a.md", "/b.md"],
        skills: { paths: ["/skills"] },
      });
      expect(started.env).toMatchObject({
        XDG_DATA_HOME: "/agent/.local/share",
        XDG_CONFIG_HOME: "/agent/.config",
      });
    }
  });
});

describe("access", () => {
  test("settings that allow everything are full access", () => {
    expect([given({}), given({ permissions: "default" }), given({ permissions: "auto" })]).toEqual([
      ...[null, null, "full"],
    ]);
  });

  test("nothing is asked at any level", () => {
    for (const level of ["read", "edit", "full"] as const)
      expect(JSON.stringify(configOf(withAccess({ level })))).not.toContain('"ask"');
    expect(withAccess({ level: "full" }).argv).toContain("--auto");
    expect(command(request).argv).not.toContain("--auto");
    expect(configOf(command(request)).permission).toMatchObject({ doom_loop: "deny" });
  });

  test("read and edit work as an agent of Reprise's own, with one kind of subagent", () => {
    for (const level of ["read", "edit"] as const) {
      const started = withAccess({ level, allowedCommands: ["npm test"] });
      expect(started.argv).toContain("--agent=reprise");
      expect(started.env.OPENCODE_DISABLE_PROJECT_CONFIG).toBe("1");
      const { agent } = configOf(started);
      expect(Object.keys(agent.reprise.permission)[0]).toBe("*");
      expect(agent.reprise.permission).toMatchObject({
        "*": "deny",
        bash: level === "edit" ? "allow" : "deny",
        task: { "*": "deny", "reprise-helper": "allow" },
      });
      expect(agent["reprise-helper"].permission).toEqual({
        ...agent.reprise.permission,
        task: "deny",
      });
      expect(orderOf(started).shell).toEqual({
        commands: level === "edit" ? ["npm test"] : [],
        folder: "/private",
      });
    }
    expect(rulesOf(withAccess({ level: "edit" })).bash).toBe("deny");
  });

  test("files are named from the root of the repository, or from / where there is none", () => {
    const folder = temporaryFolder("opencode-access");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [repository, work] = [join(folder, "repository"), join(folder, "repository", "work")];
    mkdirSync(join(work, "hidden"), { recursive: true });
    const access = { level: "edit", hidden: [join(work, "hidden")] } as const;
    const fromRoot = work.slice(1);
    // A folder above may be a repository of its own, too.
    expect(rulesOf(withAccess(access, work)).edit).toMatchObject({
      "*": "deny",
      [fromRoot]: "allow",
      [`${fromRoot}/*`]: "allow",
      "../*": "deny",
      [`${fromRoot}/hidden`]: "deny",
      [`${fromRoot}/hidden/*`]: "deny",
    });
    mkdirSync(join(repository, ".git"));
    expect(rulesOf(withAccess(access, work)).edit).toMatchObject({
      "*": "deny",
      "work/*": "allow",
      "../*": "deny",
      "work/hidden/*": "deny",
    });
    // In the root itself every name without a way out is inside.
    const { edit } = rulesOf(withAccess({ level: "edit" }, repository));
    expect(Object.entries(edit).at(-1)).toEqual(["../*", "deny"]);
    expect(edit["*"]).toBe("allow");

    // What is outside cannot be read at all; many paths of one folder are one rule.
    const agents = Array.from({ length: 50 }, (_, number) => `${work}/home/agents/${number}`);
    const hidden = ["/elsewhere/secret", `${work}/home/secret`, ...agents];
    const { read } = rulesOf(withAccess({ level: "read", hidden }, work));
    const names = Object.keys(read).filter((name) => name.startsWith("work/"));
    expect(names).toEqual([
      ...["work/home/secret", "work/home/secret/*"],
      ...["work/home/agents", "work/home/agents/*"],
    ]);

    const linked = join(folder, "linked");
    mkdirSync(linked);
    writeFileSync(join(linked, ".git"), `gitdir: ${repository}/.git/worktrees/linked\n`);
    expect(rulesOf(withAccess({ level: "read", hidden: [linked] }, linked)).read).toMatchObject({
      "../linked/*": "deny",
    });
  });
});
