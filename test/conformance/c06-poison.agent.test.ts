/** C06 on the real agents: the model's service rejects the history. */

import type { Answer } from "@reprise/providers/models/model";
import { expect, test } from "vitest";
import type { AgentName } from "../agents/agents.ts";
import { isRetired, poison } from "./c06-poison.cases.ts";
import { onRealAgents } from "./real-agents.ts";
import { recall, witnessed } from "./subject.ts";

const anthropic = (message: string): Answer => ({
  status: 400,
  body: { type: "error", error: { type: "invalid_request_error", message } },
});
const openai = (error: object): Answer => ({
  status: 400,
  body: { error: { type: "invalid_request_error", ...error } },
});

const google = (message: string): Answer => ({
  status: 400,
  body: { error: { code: 400, status: "INVALID_ARGUMENT", message } },
});

const poisons: Readonly<Record<AgentName, Readonly<Record<string, Answer>>>> = {
  claude: {
    "thinking signature": { refuse: "invalid-history" },
    image: anthropic("messages.0.content.1.image.source.base64: Could not process image"),
    "empty message": anthropic("messages.2: user messages must have non-empty content"),
    "dangling tool call": anthropic(
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
    ),
    "overflow, which claude could not compact": { refuse: "overflow" },
  },
  codex: {
    "encrypted thinking": openai({
      code: "invalid_encrypted_content",
      message: "The encrypted content could not be verified.",
    }),
    image: openai({ param: "input[1].content[0]", message: "Invalid image data." }),
    "empty message": openai({ param: "input[2].content", message: "It must not be empty." }),
    "dangling tool call": openai({ message: "No tool output found for function call call_1." }),
  },
  gemini: {
    "thinking signature": google("Unable to submit request: Thought signature is not valid."),
    image: google("Unable to process input image. Please retry."),
    "empty message": google(
      "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.",
    ),
    "dangling tool call": { refuse: "invalid-history" },
  },
  opencode: {
    image: openai({ param: "messages.[1].content.[0].image_url", message: "Invalid image." }),
    "empty message": { refuse: "invalid-history" },
    "dangling tool call": openai({
      message:
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    }),
  },
  pi: {
    image: openai({ param: "messages[1].content[0]", message: "Invalid image data." }),
    "empty message": { refuse: "invalid-history" },
    "dangling tool call": openai({
      param: "messages.[2].role",
      message: "An assistant message with 'tool_calls' must be followed by tool messages.",
    }),
  },
};

onRealAgents("C06", (provider, start) => {
  poison(provider, start);

  for (const [what, answer] of Object.entries(poisons[provider]))
    test(`C06/${provider}: ${what} ⇒ retired, and the turn continues with a new session`, async () => {
      await using subject = await start();
      const bad = await subject.begin();
      subject.answer([answer]);
      await isRetired(subject, bad, await subject.send(recall));
    });

  test(`C06/${provider}: poisoned after a tool ran ⇒ retired, and the turn is not repeated`, async () => {
    await using subject = await start();
    const bad = await subject.begin();
    subject.misbehave("refuse-after-tool");
    const { turn, launches } = await subject.send("echo on");
    expect(launches).toHaveLength(1);
    expect(turn).toMatchObject({ turn: { status: "failed" }, error: { code: "session-poisoned" } });
    expect(witnessed(await subject.send(recall), bad)).toBe("reseed");
  });
});
