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

/** The part of the server's answer that the bench reads. */
interface Answered {
  readonly turn?: { readonly status: string };
  readonly output?: string | null;
  readonly key?: string;
  readonly detail?: string;
}

export async function beClient(options: ClientOptions): Promise<Done> {
  const { url, headers, name, key, agent, goesOn } = options;
  const turns: number[] = [];
  const errors: string[] = [];
  let requests = 0;

  const ask = async (path: string, body?: object) => {
    requests += 1;
    const posted = {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "idempotency-key": crypto.randomUUID(),
      },
      body: JSON.stringify(body),
    };
    const response = await fetch(new URL(path, url), body ? posted : { headers });
    const answered = (await response.json()) as Answered;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${answered.detail}`);
    return { answered, place: response.headers.get("location") };
  };

  const send = async (word: string) => {
    const began = performance.now();
    const path = `/v1/sessions/${key}/turns?wait=${patience}`;
    let { answered, place } = await ask(path, { agent, prompt: `echo ${word}` });
    for (; place; place = isUnderWay(answered) ? place : null)
      ({ answered } = await ask(`${place}?wait=${patience}`));
    if (answered.output !== word) throw new Error(`${word}: ${JSON.stringify(answered)}`);
    turns.push(performance.now() - began);
    const { answered: session } = await ask(`/v1/sessions/${key}`);
    if (session.key !== key) throw new Error(`${key}: ${JSON.stringify(session)}`);
  };

  while (goesOn() && errors.length === 0)
    await send(`${name}-${turns.length}`).catch((error) => errors.push(String(error)));
  return { turns, requests, errors };
}

function isUnderWay({ turn }: Answered): boolean {
  return turn?.status === "queued" || turn?.status === "running";
}
