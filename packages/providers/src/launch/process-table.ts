/** The contract of the system's table of processes: who lives, since when, and in which group. */

/** A process that lives; zombies are never listed. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Start time as the system counts it; with the pid it names one process of this boot. */
  readonly start: string;
  readonly command: string;
  /** It was stopped by a signal, as by Ctrl-Z, and does nothing until it is continued. */
  readonly stopped?: true;
}

export interface ProcessTable {
  /** Changes with every start of the machine. */
  boot(): string;
  row(pid: number): ProcessRow | null;
  rows(): ProcessRow[];
  /** The value of a variable in the environment that a process was started with; null where it is not there or may not be read. */
  variable(pid: number, name: string): string | null;
  /** Those whose environment holds exactly this assignment, as far as it may be read. */
  rowsWith(assignment: string): ProcessRow[];
}
