/** The cells of the conformance matrix that do not apply: what the provider cannot do, and why. */

export interface NotApplicable {
  /** `C01` to `C26`. */
  readonly number: string;
  readonly provider: string;
  readonly reason: string;
}

export const notApplicable: readonly NotApplicable[] = [
  {
    number: "C10",
    provider: "acp",
    reason:
      "the protocol gives no copy of a session, so there is no checkpoint; a lost session is reseeded (C03, C21)",
  },
  {
    number: "C23",
    provider: "acp",
    reason:
      "the protocol does not report what is typed in the agent's own program; the agent itself knows it",
  },
];
