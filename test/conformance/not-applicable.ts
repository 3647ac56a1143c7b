/** The cells of the conformance matrix that do not apply: what the provider cannot do, and why. */

export interface NotApplicable {
  /** `C01` to `C26`. */
  readonly number: string;
  readonly provider: string;
  readonly reason: string;
}

export const notApplicable: readonly NotApplicable[] = [];
