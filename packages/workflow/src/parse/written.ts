/** A workflow as it was written, in either form: nodes and edges with their positions. */

import type { DataOf } from "../document.ts";
import type { NodeType, Port } from "../graph.ts";
import type { Path } from "./source.ts";

export interface WrittenFile {
  /** Written in the short form. */
  readonly isShort: boolean;
  readonly name: string;
  readonly description: string | null;
  readonly folder: string | null;
  readonly inputs: readonly Port[];
  readonly parallel: number | null;
  readonly legacyPersistentResumes: boolean | null;
  readonly nodes: readonly WrittenNode[];
  /** Names of nodes with an error, even if the rest of them could be read; `inputs` if the head has one.
   * References to them are not checked.
   */
  readonly unread: ReadonlySet<string>;
  readonly edges: readonly WrittenEdge[];
}

export type WrittenNode = { readonly [Type in NodeType]: WrittenNodeOf<Type> }[NodeType];

export interface WrittenNodeOf<Type extends NodeType> {
  readonly type: Type;
  readonly id: string;
  readonly parent: string | null;
  readonly data: DataOf<Type>;
  readonly path: Path;
  /** The position of a field of its data. */
  readonly fields: Readonly<Record<string, Path>>;
}

export interface WrittenEdge {
  readonly id: string | null;
  readonly source: string;
  readonly target: string;
  readonly sourceHandle: string | null;
  readonly targetHandle: string | null;
  readonly path: Path;
  /** Implied by the short form, so what it leaves open needs no warning. */
  readonly implied: boolean;
}
