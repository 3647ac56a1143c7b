/** Which rules the loader reads a workflow by. */

/**
 * Pinned in every run: a run continues by the rules of the loader that it was started with. 2: ports that a
 * node does not have are errors; nothing runs behind a rejection or a failure unless a condition reads it,
 * which runs of 1 that have not ended follow from their next step, too.
 */
export const formatVersion = 2;
