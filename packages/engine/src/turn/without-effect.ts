/** The effects of a turn that never reached an agent: none. */

import type { FinishTurn } from "@reprise/store/contract/turns";

export const withoutEffect = {
  output: null,
  usage: null,
  notices: [],
  asked: null,
  attempt: null,
  messages: [],
  pin: null,
  retire: null,
  checkpoint: null,
} satisfies Partial<FinishTurn>;
