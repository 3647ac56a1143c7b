/**
 * `fetch` without the time-outs of its own: Node gives up when nothing comes for five minutes (undici's `headersTimeout`
 * and `bodyTimeout`), but a model may think for longer, and a turn has a time-out of its own.
 */

interface AgentClass {
  new (options: { readonly headersTimeout: number; readonly bodyTimeout: number }): object;
}

/** Node keeps its agent under one of these names, by the version of undici that it has; the newer one first. */
const names = ["undici.globalDispatcher.2", "undici.globalDispatcher.1"];

export async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  const dispatcher = await patientAgent();
  return fetch(url, { ...init, ...(dispatcher && { dispatcher }) } as RequestInit);
}

/** An agent of the same class as Node's own, so that its proxies apply; undefined for a Node that hides it. */
export async function patientAgent(): Promise<object | undefined> {
  // Node makes its agent for the first request; this one needs no network.
  await fetch("data:,");
  const name = names.find((each) => Symbol.for(each) in globalThis);
  const own = name && (globalThis as Record<symbol, object | undefined>)[Symbol.for(name)];
  if (!own) return undefined;
  return new (own.constructor as AgentClass)({ headersTimeout: 0, bodyTimeout: 0 });
}
