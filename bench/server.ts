/** Whether a server stays as it is: many clients for a minute, each with a stream of all events. */

import { setTimeout as delay } from "node:timers/promises";
import { type Bench, milliseconds, thousands } from "./bench.ts";
import { summarize } from "./measure.ts";
import { Scratch } from "./scratch.ts";
import { beClient } from "./server/client.ts";
import { EventReader } from "./server/event-reader.ts";
import { ServedHome } from "./server/served-home.ts";

const goal = 1.1;
const clients = 200;
const keys = 50;
/** How long the last events may be on their way, in milliseconds. */
const patience = 30_000;

export const server: Bench = {
  name: "server",
  about: `Whether a server stays as it is under ${clients} clients.`,

  async run({ quick, progress }) {
    const seconds = quick ? 20 : 60;
    using scratch = new Scratch();
    await using home = await ServedHome.start(scratch.folder);
    const headers = { authorization: `Bearer ${home.token}` };
    await createAgent(home.url, headers);

    progress(`${clients} streams`);
    const before = home.events();
    const after = before.at(-1) ?? 0;
    const stream = `${home.url}/v1/events?after=${after}`;
    const readers = await Promise.all(
      Array.from({ length: clients }, () => EventReader.open(stream, headers)),
    );

    progress(`${clients} clients for ${seconds} s`);
    const end = performance.now() + seconds * 1000;
    const work = Array.from({ length: clients }, (_, index) =>
      beClient({
        ...{ url: home.url, headers, agent: "coder" },
        name: `client-${index}`,
        key: `bench:${index % keys}`,
        goesOn: () => performance.now() < end,
      }),
    );
    await delay((seconds / 4) * 1000);
    const early = await home.memory();
    await delay(end - performance.now());
    const late = await home.memory();

    progress("the last answers");
    const done = await Promise.all(work);
    const events = home.events().filter((seq) => seq > after);
    const arrived = Promise.all(readers.map((reader) => reader.reach(events.at(-1) ?? 0)));
    await Promise.race([arrived, delay(patience, null, { ref: false })]);
    const idle = await home.memory();
    const broken = readers.filter(({ problem }) => problem !== null);
    for (const reader of readers) reader.close();
    const whole = readers.filter(({ seen }) => String(seen) === String(events));
    const log = await home.stop();

    const errors = done.flatMap((each) => each.errors);
    for (const error of new Set([...errors, ...broken.map(({ problem }) => problem!)]))
      console.error(error);
    if (log !== "") console.error(log);
    const troubles = errors.length + broken.length + log.split("\n").length - 1;
    const turns = summarize(done.flatMap((each) => each.turns));
    const requests = done.reduce((sum, each) => sum + each.requests, 0);
    const growth = late.live / early.live;
    return {
      figures: [
        {
          what: "errors of calls, broken streams, and warnings in the server's log",
          measured: thousands(troubles),
          goal: "0",
          met: troubles === 0,
        },
        {
          what: "clients that saw every event once and in order",
          measured: `${whole.length} of ${clients}`,
          goal: `${clients}`,
          met: whole.length === clients,
        },
        {
          what: `memory after gc, at ${seconds} s by that at ${seconds / 4} s`,
          measured: growth.toFixed(2),
          goal: `≤ ${goal}`,
          met: growth <= goal,
        },
      ],
      columns: ["", ""],
      rows: [
        ["turns", `${thousands(turns.count)} on ${keys} keys`],
        ["from the prompt to the answer, median", milliseconds(turns.median)],
        ["calls", thousands(requests)],
        ["events", `${thousands(events.length)}, each to ${clients} clients`],
        [`values after gc at ${seconds / 4} s`, megabytes(early.live)],
        [`values after gc at ${seconds} s`, megabytes(late.live)],
        ["values after gc when all is answered", megabytes(idle.live)],
        [`resident after gc at ${seconds / 4} s`, megabytes(early.resident)],
        [`resident after gc at ${seconds} s`, megabytes(late.resident)],
      ],
      method: `Each client sends a turn of the scripted agent with \`wait=5\`, asks for it until it has its answer, reads the session, and begins again; four of them share a key, so three wait in the queue. It also reads the event log on one connection, which is compared with the database in the end. All clients are active when the server is measured. Clients, server and agents share the machine: the number of turns depends on the agents' processes and is not a goal.`,
    };
  },
};

async function createAgent(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(`${url}/v1/agents`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ name: "coder", provider: "scripted" }),
  });
  if (!response.ok) throw new Error(await response.text());
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
