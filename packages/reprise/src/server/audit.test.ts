/** Events say who did something: the name of a token, of the user, or of a turn. */

import { join } from "node:path";
import { userName } from "@reprise/engine/engine";
import { expect, onTestFinished, test } from "vitest";
import { TestApp } from "./test-app.ts";

async function open(): Promise<TestApp> {
  const app = await TestApp.open();
  onTestFinished(() => app.close());
  return app;
}

test("V19: events name who sent a turn, purged a session, or changed an agent or a class", async () => {
  const app = await open();
  const token = await app.tokenFor("ci", "operator");
  const as = { token };
  const script = { provider: "scripted", settings: {} };
  for (const [path, body] of [
    ["/v1/agents", { name: "audited", ...script }],
    ["/v1/classes", { name: "audited", ...script }],
    ["/v1/agents/audited", { model: "large" }],
    ["/v1/classes/audited", { model: "large" }],
    ["/v1/sessions/gone/turns?wait=60", { agent: "audited", prompt: "hello" }],
  ] as const)
    expect([path, (await app.ask("POST", path, body, as)).status]).toEqual([path, 200]);
  const other = { model: "small", by: "ann" };
  const forged = await app.ask("POST", "/v1/agents/audited", other, as);
  expect([forged.status, forged.body.code]).toEqual([403, "other-name"]);
  const opened = await app.engine.store.readEvents({ after: 0, limit: 1000 });
  expect(opened.filter(({ type }) => type === "turn.opened")).toMatchObject([
    { data: { by: "ci" } },
  ]);
  expect((await app.ask("DELETE", "/v1/sessions/gone", undefined, as)).status).toBe(204);
  await app.reprise.agents.set({ name: "audited", model: "small" });
  await app.reprise.agents.setClass({ name: "audited", model: "small", by: "ann" });
  const log = await app.engine.store.readEvents({ after: 0, limit: 1000 });
  const audited = log.filter(({ type }) => /^(session\.purged|(agent|class)\.changed)$/.test(type));
  const local = userName(app.engine.env);
  expect(audited).toMatchObject([
    { type: "agent.changed", data: { model: "large", by: "ci" } },
    { type: "class.changed", data: { model: "large", by: "ci" } },
    { stream: "session:gone", type: "session.purged", data: { turns: 1, by: "ci" } },
    { type: "agent.changed", data: { model: "small", by: local } },
    { type: "class.changed", data: { model: "small", by: "ann" } },
  ]);
});

test("V19: events name who exported a session or made a backup", async () => {
  const app = await open();
  const token = await app.tokenFor("ci", "operator");
  await app.createCoder();
  await app.reprise.sessions.send({ key: "k", prompt: "hello", agent: "coder" });
  const local = userName(app.engine.env);
  const path = "/v1/sessions/k/bundle";
  expect((await app.request("GET", path, undefined, { token })).status).toBe(200);
  const query = { by: "ann" };
  expect((await app.ask("GET", path, undefined, { token, query })).body.code).toBe("other-name");
  await app.reprise.sessions.export({ key: "k", transcriptOnly: true });
  const [first, second] = [join(app.folder, "1.backup"), join(app.folder, "2.backup")];
  expect((await app.ask("POST", "/v1/backup", { file: first }, { token })).status).toBe(200);
  await app.reprise.backup(second, { by: "ann" });
  const log = await app.engine.store.readEvents({ after: 0, limit: 1000 });
  expect(log.filter(({ type }) => /^(session\.exported|home\..*)$/.test(type))).toMatchObject([
    { stream: "session:k", type: "session.exported", data: { messages: 2, by: "ci" } },
    { stream: "session:k", type: "session.exported", data: { files: 0, by: local } },
    { stream: "home", type: "home.backed-up", data: { file: first, sessions: 1, by: "ci" } },
    { stream: "home", type: "home.backed-up", data: { file: second, turns: 1, by: "ann" } },
  ]);
});

test("V19: events name who created an agent or a class, or changed a session", async () => {
  const app = await open();
  const as = { token: await app.tokenFor("ci", "operator") };
  const script = { provider: "scripted", settings: {} };
  const path = "/v1/sessions/k";
  const move = { folder: app.folder };
  const settings = { archiveAfter: "30d" };
  for (const [at, body] of [
    ["/v1/agents", { name: "audited", ...script }],
    ["/v1/classes", { name: "audited", ...script }],
    [`${path}/turns?wait=60`, { agent: "audited", prompt: "hello", folder: "/" }],
    [`${path}/move`, move],
    [`${path}/settings`, { settings }],
    [`${path}/archive`, {}],
    [`${path}/revive`, {}],
  ] as const)
    expect([at, (await app.ask("POST", at, body, as)).status]).toEqual([at, 200]);
  const { agents, sessions } = app.reprise;
  const by = "ann";
  await agents.create({ name: "other", ...script });
  await agents.createClass({ name: "other", ...script, by });
  await sessions.move({ key: "k", folder: "/", by });
  await sessions.set({ key: "k", settings: { archiveAfter: null } });
  await sessions.archive("k");
  await sessions.revive("k", { by });
  for (const change of ["archive", "move", "settings"]) {
    const forged = {
      ...(change === "move" && move),
      ...(change === "settings" && { settings }),
      by,
    };
    const { status, body } = await app.ask("POST", `${path}/${change}`, forged, as);
    expect([status, body.code]).toEqual([403, "other-name"]);
  }
  const log = await app.engine.store.readEvents({ after: 0, limit: 1000 });
  const audited = log.filter(({ type }) =>
    /^((agent|class)\.created|session\.(moved|set|archived|revived))$/.test(type),
  );
  const local = userName(app.engine.env);
  expect(audited.map(({ type, data }) => [type, (data as { by: string }).by])).toEqual([
    ["agent.created", "ci"],
    ["class.created", "ci"],
    ["session.moved", "ci"],
    ["session.set", "ci"],
    ["session.archived", "ci"],
    ["session.revived", "ci"],
    ["agent.created", local],
    ["class.created", "ann"],
    ["session.moved", "ann"],
    ["session.set", local],
    ["session.archived", local],
    ["session.revived", "ann"],
  ]);
});
