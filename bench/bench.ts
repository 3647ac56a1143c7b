/** What a bench is, and what it finds: figures beside their goals, and a table to judge them by. */

export interface Bench {
  /** The word after `npm run bench --`. */
  readonly name: string;
  /** What is measured, in one sentence. */
  readonly about: string;
  /** A page of its own for what it finds, where that is not one of `bench/results`. */
  readonly page?: { readonly title: string; readonly file: string };
  readonly run: (options: BenchOptions) => Promise<Finding>;
}

export interface BenchOptions {
  /** Only shows that the bench works. */
  readonly quick: boolean;
  /** Says how far it is. */
  readonly progress: (text: string) => void;
}

/** One table, or one for each part of the bench. */
export type Finding = { readonly figures: readonly Figure[] } & (
  | Table
  | { readonly sections: readonly Section[] }
);

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How it was measured: what a reader must know to repeat it. */
  readonly method: string;
}

export interface Section extends Table {
  readonly title: string;
}

export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly goal: string;
  /** Null when it could not be measured. */
  readonly met: boolean | null;
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString("en");
}
