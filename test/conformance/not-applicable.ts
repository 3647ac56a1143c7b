/** The cells of the conformance matrix that can not be: what the provider has no way to do, and why. */

export interface NotApplicable {
  /** `C01` to `C26`. */
  readonly number: string;
  readonly provider: string;
  readonly reason: string;
}

export const notApplicable: readonly NotApplicable[] = [];
