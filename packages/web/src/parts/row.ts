/** Marks what `j` and `k` go through. */
export const row = { "data-row": "" };
