/** Measures things side by side: in turns, so that whatever else the machine does meets all of them. */

export interface Summary {
  readonly count: number;
  readonly median: number;
  readonly p90: number;
  readonly p99: number;
}

/** Milliseconds that each contender took, `rounds` times each; the order changes with every round. */
export async function interleave<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contenders) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round += 1)
    for (let place = 0; place < names.length; place += 1) {
      const name = names[(round + place) % names.length]!;
      samples[name].push(await timed(contenders[name]));
    }
  return samples;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((one, other) => one - other);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  return { count: sorted.length, median: at(0.5)!, p90: at(0.9)!, p99: at(0.99)! };
}
