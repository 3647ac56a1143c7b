/** A workflow as it was written, in either form: nodes and edges with the place where each stands. */

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
  /**
   * Names of nodes with a mistake of their own, whether or not the rest of them could be read; `inputs`
   * where the head has one. What refers to them is not judged.
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
  /** Where a field of its data stands. */
  readonly fields: Readonly<Record<string, Path>>;
}

export interface WrittenEdge {
  readonly id: string | null;
  readonly source: string;
  readonly target: string;
  readonly sourceHandle: string | null;
  readonly targetHandle: string | null;
  readonly path: Path;
  /** Follows from the short form: what it leaves open needs no word. */
  readonly implied: boolean;
}
