/** What can be changed in a workflow, in either form. */

export type WorkflowEdit =
  /** `fields` is the `data` of a node in the long form, and the step itself in the short form. */
  | {
      readonly do: "add-node";
      readonly id: string;
      /** For the long form; the short form takes the type from the fields. */
      readonly type?: string;
      /** The loop that contains it. */
      readonly parent?: string | null;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  /** Also removes what is inside a loop, and every edge and reference that is only there for the node. */
  | { readonly do: "remove-node"; readonly id: string }
  /** Also changes every reference to it, those in templates too. */
  | { readonly do: "rename-node"; readonly id: string; readonly to: string }
  /** `field` is a key of the node, or a path to one inside it; no `value` removes it. */
  | {
      readonly do: "set-field";
      readonly id: string;
      readonly field: string | readonly (string | number)[];
      readonly value?: unknown;
    }
  | ({ readonly do: "connect" } & NodeConnection)
  | ({ readonly do: "disconnect" } & NodeConnection);

export interface NodeConnection {
  readonly from: ConnectionEnd;
  /** Without a port the node only waits. */
  readonly to: ConnectionEnd;
}

export interface ConnectionEnd {
  readonly node: string;
  /** In the long form also a whole handle, such as `dock:feedback:prev`. */
  readonly port?: string | null;
}
