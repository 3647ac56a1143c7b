/** The identity of one execution of a node: its place and its round. `coder` at the top level,
 * `review/2/coder` in the second iteration of the loop `review`, `coder~1` when a retry gate or a rerun
 * made it run again. The frame of an iteration is the loop's execution with the number: `review/2`.
 */

/** `""` is the frame of the whole run. */
export type FrameId = string;
export type ExecutionId = string;

export interface ExecutionPlace {
  readonly frame: FrameId;
  readonly node: string;
  readonly round: number;
}

export function executionId({ frame, node, round }: ExecutionPlace): ExecutionId {
  const own = round === 0 ? node : `${node}~${round}`;
  return frame === "" ? own : `${frame}/${own}`;
}

export function parseExecutionId(id: ExecutionId): ExecutionPlace {
  const cut = id.lastIndexOf("/");
  const [node = "", round = "0"] = id.slice(cut + 1).split("~");
  return { frame: cut < 0 ? "" : id.slice(0, cut), node, round: Number(round) };
}

export function frameId(loop: ExecutionId, iteration: number): FrameId {
  return `${loop}/${iteration}`;
}
