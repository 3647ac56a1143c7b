/** A message of a conversation as it is kept, and what is sent to the service: whole tool pairs only. */

export interface StoredCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

export interface StoredMessage {
  /** `summary` replaces the messages before it. */
  readonly role: "user" | "assistant" | "tool" | "summary";
  readonly content: string;
  /** The tools that the assistant asked for. */
  readonly calls?: readonly StoredCall[];
  /** The call that a tool answers. */
  readonly call?: string;
  /** The model that answered. */
  readonly model?: string;
}

/** A message as the service gets it. */
export interface WireMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/**
 * The messages with whole tool pairs only: a call without its result, or a result without its call, is refused by
 * every service, and then no later turn could be answered.
 */
export function withoutDangling(messages: readonly StoredMessage[]): {
  readonly whole: readonly StoredMessage[];
  /** How many calls and results were left out. */
  readonly trimmed: number;
} {
  const whole: StoredMessage[] = [];
  let trimmed = 0;
  for (let at = 0; at < messages.length; ) {
    const message = messages[at]!;
    at += 1;
    if (message.role === "tool") {
      trimmed += 1;
      continue;
    }
    const { calls = [], ...rest } = message;
    const results: StoredMessage[] = [];
    while (calls.length > 0 && messages[at]?.role === "tool") {
      results.push(messages[at]!);
      at += 1;
    }
    const paired = calls.filter(({ id }) => results.some(({ call }) => call === id));
    const kept = results.filter(({ call }) => paired.some(({ id }) => id === call));
    trimmed += calls.length - paired.length + results.length - kept.length;
    if (paired.length > 0) whole.push({ ...rest, calls: paired }, ...kept);
    else if (calls.length === 0 || message.content !== "") whole.push(rest);
  }
  return { whole, trimmed };
}

/** `opening` is put before the first message of the user: not every model takes two of them in a row, or a system message. */
export function wireMessages(
  messages: readonly StoredMessage[],
  opening: readonly string[] = [],
): WireMessage[] {
  const summaries = messages.filter(({ role }) => role === "summary");
  const said = messages.filter(({ role }) => role !== "summary");
  const before = [
    ...summaries.map(({ content }) => `A summary of the conversation so far:\n\n${content}`),
    ...opening,
  ];
  const first = said.findIndex(({ role }) => role === "user");
  return said.map((message, index) =>
    wireMessage(
      index === first && before.length > 0
        ? { ...message, content: [...before, message.content].join("\n\n") }
        : message,
    ),
  );
}

function wireMessage({ role, content, calls, call }: StoredMessage): WireMessage {
  if (role === "tool") return { role, content, tool_call_id: call ?? "" };
  if (role !== "assistant") return { role: "user", content };
  if (calls === undefined) return { role, content };
  return {
    role,
    content: content === "" ? null : content,
    tool_calls: calls.map(({ id, name, arguments: given }) => ({
      id,
      type: "function",
      function: { name, arguments: given },
    })),
  };
}
