/** Cases about agents and probes. */

import type { Store } from "../store.ts";
import { type Open, use } from "./fixture.ts";
import { describe, expect, test } from "./runner.ts";
import { agent, agentClass } from "./samples.ts";

export function agentCases(open: Open): void {
  describe("agents", () => {
    test("are read as written, and listed by name", async () => {
      const { store, reopen } = await use(open);
      const coder = agent({ settings: { binary: "/bin/agent" }, model: "large" });
      const archivist = agent({ name: "archivist", class: "clerk", folder: "/work" });
      await store.createAgent(coder);
      await store.createAgent(archivist);
      expect(await store.readAgent("coder")).toEqual(coder);
      expect(await store.readAgent("unknown")).toBeNull();
      expect(await (await reopen()).listAgents()).toEqual([archivist, coder]);
    });

    test("have unique names", async () => {
      const { store } = await use(open);
      await store.createAgent(agent());
      await expect(store.createAgent(agent({ model: "other" }))).rejects.toMatchObject({
        name: "TerminalError",
        code: "agent-exists",
      });
      expect(await store.readAgent("coder")).toEqual(agent());
    });

    test("that are hidden can be read, but are not listed", async () => {
      const { store, reopen } = await use(open);
      const hidden = agent({ name: "scripted.1", hidden: true });
      await store.createAgent(hidden);
      await store.createAgent(agent());
      const reopened = await reopen();
      expect(await reopened.listAgents()).toEqual([agent()]);
      expect(await reopened.readAgent("scripted.1")).toEqual(hidden);
    });
  });

  describe("a change of an agent", () => {
    const before = agent({ model: "large", settings: { home: "/home", sandbox: "bypass" } });
    const changes = async (store: Store) =>
      (await store.readEvents({ after: 0, limit: 10, stream: "agent:coder" }))
        .filter(({ type }) => type === "agent.changed")
        .map(({ data, at }) => ({ data, at }));

    test("changes only the named fields, and its event has no values of settings", async () => {
      const { store, reopen } = await use(open);
      const other = agent({ name: "other" });
      await store.createAgent(before);
      await store.createAgent(other);
      const after = {
        ...before,
        model: null,
        folder: "/work",
        sessions: "fresh",
        settings: { home: "/home", instructions: "SECRET words" },
      };
      const settings = { sandbox: null, instructions: "SECRET words" };
      const set = { model: null, folder: "/work", sessions: "fresh", settings } as const;
      expect(await store.setAgent({ name: "coder", ...set, at: 2 })).toEqual(after);
      expect(await (await reopen()).listAgents()).toEqual([after, other]);
      const kind = { name: "coder", kind: "background", settings: {}, at: 3 } as const;
      expect(await store.setAgent(kind)).toEqual({ ...after, kind: "background" });
      const named = { model: null, folder: "/work", sessions: "fresh" };
      expect(await changes(store)).toEqual([
        { data: { ...named, settings: ["instructions", "sandbox"] }, at: 2 },
        { data: { kind: "background" }, at: 3 },
      ]);
    });

    test("to what it is already is none", async () => {
      const { store } = await use(open);
      await store.createAgent(before);
      const settings = { home: "/home", script: null };
      const { kind, model } = before;
      expect(await store.setAgent({ name: "coder", kind, model, settings, at: 2 })).toEqual(before);
      expect(await changes(store)).toEqual([]);
    });

    test("needs the agent", async () => {
      const { store } = await use(open);
      await expect(store.setAgent({ name: "coder", settings: {}, at: 2 })).rejects.toMatchObject({
        name: "NotFoundError",
        code: "no-agent",
      });
    });
  });

  describe("classes", () => {
    test("are read as written, listed by name, and are not agents", async () => {
      const { store, reopen } = await use(open);
      const reviewer = agentClass({ model: "large", settings: { sandbox: "bypass" } });
      const clerk = agentClass({ name: "clerk", kind: "background", folder: "/work" });
      await store.createClass(reviewer);
      await store.createClass(clerk);
      const reopened = await reopen();
      expect(await reopened.readClass("reviewer")).toEqual(reviewer);
      expect(await reopened.readClass("unknown")).toBeNull();
      expect(await reopened.listClasses()).toEqual([clerk, reviewer]);
      expect(await reopened.listAgents()).toEqual([]);
      expect(await reopened.readAgent("reviewer")).toBeNull();
    });

    test("have unique names, which agents may have too", async () => {
      const { store } = await use(open);
      await store.createClass(agentClass());
      await store.createAgent(agent({ name: "reviewer" }));
      await expect(store.createClass(agentClass({ model: "other" }))).rejects.toMatchObject({
        name: "TerminalError",
        code: "class-exists",
      });
      expect(await store.readClass("reviewer")).toEqual(agentClass());
    });
  });

  describe("a change of a class", () => {
    const before = agentClass({ model: "large", settings: { home: "/home", sandbox: "bypass" } });
    const changes = async (store: Store) =>
      (await store.readEvents({ after: 0, limit: 10, stream: "class:reviewer" }))
        .filter(({ type }) => type === "class.changed")
        .map(({ data, at }) => ({ data, at }));

    test("changes only the named fields, and no other class or agent", async () => {
      const { store, reopen } = await use(open);
      const clerk = agentClass({ name: "clerk" });
      const { name, model, settings } = before;
      const agents = [agent({ class: name, model, settings }), agent({ name, model, settings })];
      for (const each of [before, clerk]) await store.createClass(each);
      for (const each of agents) await store.createAgent(each);
      const after = {
        ...before,
        kind: "background",
        model: null,
        folder: "/work",
        settings: { home: "/home", instructions: "SECRET words" },
      };
      const named = { kind: "background", model: null, folder: "/work" } as const;
      const changed = { sandbox: null, instructions: "SECRET words" };
      expect(await store.setClass({ name, ...named, settings: changed, at: 2 })).toEqual(after);
      const reopened = await reopen();
      expect(await reopened.listClasses()).toEqual([clerk, after]);
      expect(await reopened.listAgents()).toEqual(agents);
      expect(await changes(store)).toEqual([
        { data: { ...named, settings: ["instructions", "sandbox"] }, at: 2 },
      ]);
    });

    test("to what it is already is none", async () => {
      const { store } = await use(open);
      await store.createClass(before);
      const { name, model } = before;
      const settings = { home: "/home", script: null };
      expect(await store.setClass({ name, model, settings, at: 2 })).toEqual(before);
      expect(await changes(store)).toEqual([]);
    });

    test("needs the class", async () => {
      const { store } = await use(open);
      await store.createAgent(agent({ name: "reviewer" }));
      await expect(
        store.setClass({ name: "reviewer", model: "large", settings: {}, at: 2 }),
      ).rejects.toMatchObject({ name: "NotFoundError", code: "no-class" });
    });
  });

  test("a probe is stored by its binary, and the last one counts", async () => {
    const { store } = await use(open);
    const [here, there] = ["h1", "h2"].map((host) => ({ host, binary: "/bin/agent:1" }));
    expect(await store.readProbe(here!)).toBeNull();
    await store.writeProbe({ ...here!, result: { version: "1" }, at: 1 });
    await store.writeProbe({ ...here!, result: { version: "2" }, at: 2 });
    expect(await store.readProbe(here!)).toEqual({ version: "2" });
    // Another host has its own program under that path.
    expect(await store.readProbe(there!)).toBeNull();
    await store.writeProbe({ ...there!, result: { version: "3" }, at: 3 });
    expect(await store.readProbe(here!)).toEqual({ version: "2" });
  });
}
