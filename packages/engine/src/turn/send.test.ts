import { join } from "node:path";
import { FencedError } from "@reprise/core/errors/errors";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openEngine } from "../open-reprise.ts";

test("a turn that the database has lost is an error, and not the record from before", async () => {
  const folder = temporaryFolder("send");
  const { reprise } = await openEngine({
    home: join(folder, "home"),
    cwd: folder,
    wrap: {
      store: (store) => ({
        ...store,
        recordLaunch: ({ turn }) => Promise.reject(new FencedError(turn)),
        readTurn: async () => null,
      }),
    },
  });
  onTestFinished(() => reprise.close());
  const settings = { home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  await expect(
    reprise.sessions.send({ key: "k", agent: "coder", prompt: "echo hello" }),
  ).rejects.toMatchObject({
    name: "NotFoundError",
    code: "turn-gone",
    message: expect.stringMatching(/^Turn 1 of session k \(\w+\) is no longer in the database\.$/),
  });
});
