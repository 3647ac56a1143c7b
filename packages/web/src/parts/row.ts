/** Marks a row for `j` and `k`. */
export const row = { "data-row": "" };
