/** What resumed turns of the real agents send and what a prompt cache serves of it, beside reseeded ones. */

import { mkdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { TurnResult } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { spoolFolder } from "@reprise/providers/launch/spool";
import { startAnthropicServer as startAnthropic } from "@reprise/providers/models/anthropic-messages";
import { startChatServer as startChat } from "@reprise/providers/models/openai-chat";
import { startResponsesServer as startOpenAi } from "@reprise/providers/models/openai-responses";
import type { ModelServer } from "@reprise/providers/models/server";
import { agentBinary, installAgents, leftOut } from "../test/agents/agents.ts";
import { claudeEnvironment } from "../test/agents/claude-home.ts";
import { codexKey, makeCodexHome } from "../test/agents/codex-home.ts";
import { makePiHome, piEnvironment } from "../test/agents/pi-home.ts";
import { type Bench, type BenchOptions, type Figure, thousands } from "./bench.ts";
import { Scratch } from "./scratch.ts";

const bytesEachWay = 2_000;
const packages = {
  codex: "@openai/codex",
  claude: "@anthropic-ai/claude-code",
  pi: "@earendil-works/pi-coding-agent",
};

/** What one turn sent; a sum of several turns too. */
interface Sent {
  /** Bytes that Reprise passed to the agent: the prompts of the turn's spools. */
  readonly passed: number;
  /** Bytes of the bodies that the model server was sent. */
  readonly requested: number;
  /** Tokens, as the simulated prompt cache counts them. */
  readonly cached: number;
  readonly uncached: number;
}

type Way = "resume" | "reseed";

interface Comparison {
  readonly agent: MeasuredAgent;
  readonly resume: readonly Sent[];
  readonly reseed: readonly Sent[];
}

/** How each agent is made to talk to a model server of its own, with nothing but the folder `home`. */
const setups = {
  codex: {
    startServer: startOpenAi,
    async environment(home: string, server: ModelServer): Promise<Record<string, string>> {
      await makeCodexHome(home, server);
      return { [codexKey]: "a-key" };
    },
  },
  claude: {
    startServer: startAnthropic,
    async environment(home: string, server: ModelServer): Promise<Record<string, string>> {
      mkdirSync(home);
      return claudeEnvironment(server);
    },
  },
  pi: {
    startServer: startChat,
    async environment(home: string, server: ModelServer): Promise<Record<string, string>> {
      await makePiHome(home, server);
      return piEnvironment();
    },
  },
};

type MeasuredAgent = keyof typeof setups;

export const providers: Bench = {
  name: "providers",
  about: `What turns send to the real Codex, Claude Code and pi and on to a model, when they are resumed and when every one is reseeded.

**Simulated, not a bill.** The agents are the real programs; the model is a server on loopback that echoes, and its prompt cache is a simulation. No token on this page was counted by a provider's API.

**Resuming does not shrink what is sent to the model**: on every turn the agent sends the whole conversation, resumed or not. It shrinks what Reprise passes to the agent, and it keeps the beginning of the request as it was, so that a cache can serve it.`,
  page: { title: "What resuming saves: resumed beside reseeded turns", file: "docs/savings.md" },

  async run(options) {
    const agents = await testedAgents();
    const comparisons: Comparison[] = [];
    for (const agent of agents) {
      const resume = await measure(agent, "resume", options);
      comparisons.push({ agent, resume, reseed: await measure(agent, "reseed", options) });
    }
    const kinds = ["passed, bytes", "requests, bytes", "cached, tokens", "uncached, tokens"];
    return {
      figures: comparisons.flatMap(figuresOf),
      columns: [
        "agent",
        "turn",
        ...kinds.map((kind) => `resumed: ${kind}`),
        ...kinds.map((kind) => `reseeded: ${kind}`),
      ],
      rows: comparisons.flatMap(rowsOf),
      method: methodOf(agents),
    };
  },
};

async function testedAgents(): Promise<MeasuredAgent[]> {
  const installed = (await installAgents()).flatMap(({ agent, problem }) =>
    agent in setups ? { agent: agent as MeasuredAgent, problem } : [],
  );
  for (const { agent, problem } of installed)
    if (problem !== null) throw new Error(`${agent}: ${problem}`);
  const agents = installed.map(({ agent }) => agent).filter((agent) => leftOut(agent) === null);
  if (agents.length === 0) throw new Error("REPRISE_TEST_AGENTS leaves every agent out");
  return agents;
}

async function measure(
  agent: MeasuredAgent,
  way: Way,
  { quick, progress }: BenchOptions,
): Promise<Sent[]> {
  const turns = quick ? 3 : 20;
  progress(`${agent}, ${way}, ${turns} turns`);
  using scratch = new Scratch();
  const [home, agentHome, folder] = [
    scratch.path("home"),
    scratch.path("agent"),
    scratch.path("folder"),
  ];
  mkdirSync(folder);
  const { startServer, environment } = setups[agent];
  const server = await startServer();
  try {
    const reprise = await openReprise({
      home,
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? "",
        TMPDIR: scratch.folder,
        ...(await environment(agentHome, server)),
      },
    });
    const settings = { home: agentHome, binary: agentBinary(agent) };
    await reprise.agents.create({ name: "coder", provider: agent, settings });

    const sent: Sent[] = [];
    for (let number = 1; number <= turns; number += 1) {
      const before = server.requests.length;
      const answer = line(number);
      const result = await reprise.sessions.send({
        key: "bench:providers",
        agent: "coder",
        prompt: `echo ${answer}`,
        continuity: way === "reseed" ? "reseed" : null,
      });
      requireAnswer(result, number === 1 ? "blank" : way, answer);
      sent.push({
        passed: passedIn(home, result),
        ...atServer(server.requests.slice(before)),
      });
    }
    await reprise.close();
    return sent;
  } finally {
    await server.close();
  }
}

/** One line, another one for every turn: equal ones would make the cache look better than it is. */
function line(number: number): string {
  return `turn ${number}: word by word, `
    .repeat(bytesEachWay)
    .slice(0, bytesEachWay - 1)
    .concat(".");
}

function requireAnswer(result: TurnResult, outcome: string, answer: string): void {
  const { turn, decision, output, error, notices } = result;
  const complete = !notices.some(({ code }) => code === "transcript-shortened");
  if (turn.status === "done" && decision?.outcome === outcome && output === answer && complete)
    return;
  throw new Error(
    `turn ${turn.seq} is ${turn.status}, ${decision?.outcome}, not ${outcome} with its answer: ${JSON.stringify({ error, notices, output })}`,
  );
}

function passedIn(home: string, { turn, attempts }: TurnResult): number {
  return total(
    attempts.map(({ number }) => {
      const spool = spoolFolder(home, { turn: turn.id, attempt: number });
      return statSync(path.join(spool, "prompt")).size;
    }),
  );
}

function atServer(requests: ModelServer["requests"]): Omit<Sent, "passed"> {
  const cached = total(requests.map(({ usage }) => usage.cached));
  return {
    requested: total(requests.map(({ body }) => Buffer.byteLength(JSON.stringify(body)))),
    cached,
    uncached: total(requests.map(({ usage }) => usage.input)) - cached,
  };
}

function figuresOf({ agent, resume, reseed }: Comparison): Figure[] {
  const [resumed, reseeded] = [sumOf(resume), sumOf(reseed)];
  const figure = (what: string, kind: keyof Sent, goal: string, met: boolean) => ({
    what: `${agent}, ${resume.length} turns: ${what}, resumed beside reseeded`,
    measured: `${thousands(resumed[kind])} beside ${thousands(reseeded[kind])}`,
    goal,
    met,
  });
  return [
    figure("bytes passed to it", "passed", "fewer", resumed.passed < reseeded.passed),
    figure(
      "uncached input tokens (simulated)",
      "uncached",
      "fewer",
      resumed.uncached < reseeded.uncached,
    ),
  ];
}

function rowsOf({ agent, resume, reseed }: Comparison): string[][] {
  const row = (turn: string, resumed: Sent, reseeded: Sent) => [
    agent,
    turn,
    ...[resumed, reseeded].flatMap(cells),
  ];
  return [
    ...resume.map((sent, index) => row(String(index + 1), sent, reseed[index]!)),
    row("**sum**", sumOf(resume), sumOf(reseed)),
  ];
}

function cells({ passed, requested, cached, uncached }: Sent): string[] {
  return [passed, requested, cached, uncached].map(thousands);
}

function sumOf(turns: readonly Sent[]): Sent {
  return {
    passed: total(turns.map(({ passed }) => passed)),
    requested: total(turns.map(({ requested }) => requested)),
    cached: total(turns.map(({ cached }) => cached)),
    uncached: total(turns.map(({ uncached }) => uncached)),
  };
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function methodOf(agents: readonly MeasuredAgent[]): string {
  const manifest = path.join(import.meta.dirname, "../test/agents/package.json");
  const { dependencies } = JSON.parse(readFileSync(manifest, "utf8"));
  const named = agents.map((agent) => `${agent} ${dependencies[packages[agent]]}`).join(" and ");
  return `How it was measured: ${named}, through \`sessions.send\` of the library, prompts and answers of ${thousands(bytesEachWay)} bytes, no tools used. Resumed: every turn after the first continues the provider session. Reseeded: every turn after the first is sent with \`continuity: "reseed"\`, a new provider session with our transcript before the prompt. Each way has a home, a provider's home and a model server of its own, so it begins with an empty cache. *Passed* is the prompt in the turn's spool; *requests* are the bodies of all requests that the turn made at the model server, as JSON, with the agent's own system prompt and tools.

The simulated cache takes four characters for one token and holds everything for ever. A request is cut into the parts that it has (tools, system prompt, messages), and those that an earlier request began with are cached. For claude and pi any earlier request counts; for codex only one with the same \`prompt_cache_key\`, which codex makes anew for every provider session: that rule is why nothing of a reseeded turn of codex is cached here, not even codex's own instructions and tools, which a real cache may find.

What this shows: what Reprise hands over, what the real agents make of it, and that the beginning of a resumed request is the one of the turn before (apart from claude's cache marks, which move on). What it does not show: prices, times, or the hits of a real cache, which forgets after minutes, has a least length, may find the beginning of a part or a request under another key, and so may serve more of a reseeded turn, or less of a resumed one. Nor does it show turns with tools: what they answered is in the provider session alone, and a reseed neither sends nor knows it.`;
}
