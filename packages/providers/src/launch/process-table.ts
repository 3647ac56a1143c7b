/** The contract of the system's process table: which processes are alive, since when, and in which group. */

/** A live process; zombies are never listed. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The pid of the process that began its session; missing where the system does not say. */
  readonly session?: number;
  /** Start time in the system's own unit; together with the pid it identifies a process within one boot. */
  readonly start: string;
  readonly command: string;
  /** Stopped by a signal, such as Ctrl-Z, until it is continued. */
  readonly stopped?: true;
}

export interface ProcessTable {
  /** Changes with every boot of the machine. */
  boot(): string;
  row(pid: number): ProcessRow | null;
  rows(): ProcessRow[];
  /** The value of a variable in a process's initial environment; null when it is not set or cannot be read. */
  variable(pid: number, name: string): string | null;
  /** Processes whose environment can be read and contains exactly this assignment. */
  rowsWith(assignment: string): ProcessRow[];
}
