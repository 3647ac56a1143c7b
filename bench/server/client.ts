/** One of many clients: sends a turn, waits for its answer where it is found, reads its session, and begins again. */

export interface ClientOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly name: string;
  readonly key: string;
  readonly agent: string;
  /** Whether another turn is to be begun. */
  readonly goesOn: () => boolean;
}

export interface Done {
  /** Milliseconds from the prompt to the answer, of each turn. */
  readonly turns: readonly number[];
  readonly requests: number;
  readonly errors: readonly string[];
}

/** Seconds that a call waits before it comes back without the answer. */
const patience = 5;

export async function beClient(options: ClientOptions): Promise<Done> {
  const { url, headers, name, key, agent, goesOn } = options;
  const turns: number[] = [];
  const errors: string[] = [];
  let requests = 0;

  const ask = async (path: string, body?: object) => {
    requests += 1;
    const response = await fetch(new URL(path, url), {
      method: body ? "POST" : "GET",
      headers: body
        ? { ...headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() }
        : headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const told = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${told.detail}`);
    return { told, place: response.headers.get("location") };
  };

  const send = async (word: string) => {
    const path = `/v1/sessions/${key}/turns?wait=${patience}`;
    let { told, place } = await ask(path, { agent, prompt: `echo ${word}` });
    const found = place;
    while (place || told.turn.status === "queued" || told.turn.status === "running")
      ({ told, place } = await ask(`${found}?wait=${patience}`));
    if (told.output !== word)
      throw new Error(`${word}: ${told.turn.status} ${told.error?.message}`);
    const { told: session } = await ask(`/v1/sessions/${key}`);
    if (session.key !== key) throw new Error(`${key}: ${JSON.stringify(session)}`);
  };

  while (goesOn() && errors.length === 0) {
    const began = performance.now();
    await send(`${name}-${turns.length}`).catch((error) => errors.push(String(error)));
    turns.push(performance.now() - began);
  }
  return { turns, requests, errors };
}
