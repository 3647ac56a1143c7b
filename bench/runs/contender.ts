/**
 * The side of a contender: a process of its own that gets its commands over Node's channel. Each engine
 * has one such program; its commands are its verbs.
 */

export type Verbs = Readonly<Record<string, (argument: never) => Promise<unknown>>>;

export interface Ask {
  readonly verb: string;
  readonly argument: unknown;
}

export type Answer = { readonly result: unknown } | { readonly problem: string };

/** How hard a commit is: on the disk before it returns, or in the hands of the system. */
export type Synchronisation = "full" | "normal";

export interface Opening {
  readonly folder: string;
  /** The address of a database for Reprise; without it, its home has one of its own. */
  readonly database?: string | undefined;
  readonly synchronisation: Synchronisation;
}

/** `count` chains, `concurrency` of them at a time; their names begin with `name`. */
export interface Chains {
  readonly name: string;
  readonly count: number;
  readonly concurrency: number;
}

/** What the database has of them: how many rows for steps, and how many steps there are in those. */
export interface Counted {
  readonly chains: number;
  readonly rows: number;
  readonly steps: number;
}

export const chainLength = 10;

/** Answers one question at a time, until the asking process is gone. */
export function serve(verbs: Verbs): void {
  process.on("message", async ({ verb, argument }: Ask) => {
    const answer: Answer = await verbs[verb]!(argument as never).then(
      (result) => ({ result }),
      (error) => ({ problem: error instanceof Error ? error.message : String(error) }),
    );
    process.send!(answer);
  });
  process.once("disconnect", () => process.exit());
  process.send!({ result: "ready" } satisfies Answer);
}

/** Milliseconds that the chains took; each of them gives the number of its steps. */
export function timeChains(
  chains: Chains,
  chain: (id: string) => Promise<number>,
): Promise<number> {
  return timeAll(chains, async (id) => {
    const value = await chain(id);
    if (value !== chainLength) throw new Error(`${id} ended with ${value}.`);
  });
}

export async function timeAll(
  { name, count, concurrency }: Chains,
  work: (id: string) => Promise<void>,
): Promise<number> {
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < count; number = next++) await work(`${name}-${number}`);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return performance.now() - began;
}
