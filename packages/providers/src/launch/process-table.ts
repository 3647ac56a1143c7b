/** The contract of the system's table of processes: who lives, since when, and in which group. */

/** A process that lives; zombies are never listed. */
export interface ProcessRow {
  readonly pid: number;
  readonly group: number;
  /** Start time as the system counts it; with the pid it names one process of this boot. */
  readonly start: string;
  readonly command: string;
}

export interface ProcessTable {
  /** Changes with every start of the machine. */
  boot(): string;
  row(pid: number): ProcessRow | null;
  rows(): ProcessRow[];
  /** Those whose environment holds exactly this assignment, as far as it may be read. */
  rowsWith(assignment: string): ProcessRow[];
}
