/** Cases about agents and probes. */

import { describe, expect, test } from "vitest";
import { type Open, use } from "./fixture.ts";
import { agent } from "./samples.ts";

export function agentCases(open: Open): void {
  describe("agents", () => {
    test("are read as they were written, and listed by name", async () => {
      const { store, reopen } = await use(open);
      const coder = agent({ settings: { binary: "/bin/agent" }, model: "large" });
      const archivist = agent({ name: "archivist", class: "clerk", folder: "/work" });
      await store.createAgent(coder);
      await store.createAgent(archivist);
      expect(await store.readAgent("coder")).toEqual(coder);
      expect(await store.readAgent("nobody")).toBeNull();
      expect(await (await reopen()).listAgents()).toEqual([archivist, coder]);
    });

    test("have names of their own", async () => {
      const { store } = await use(open);
      await store.createAgent(agent());
      await expect(store.createAgent(agent({ model: "other" }))).rejects.toMatchObject({
        name: "UsageError",
        code: "agent-exists",
      });
      expect(await store.readAgent("coder")).toEqual(agent());
    });
  });

  test("a probe is kept by its binary, the last one counts", async () => {
    const { store } = await use(open);
    expect(await store.readProbe("/bin/agent:1")).toBeNull();
    await store.writeProbe({ binary: "/bin/agent:1", result: { version: "1" }, at: 1 });
    await store.writeProbe({ binary: "/bin/agent:1", result: { version: "2" }, at: 2 });
    expect(await store.readProbe("/bin/agent:1")).toEqual({ version: "2" });
  });
}
