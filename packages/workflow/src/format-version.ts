/** The version of the rules with which the loader reads a workflow. */

/**
 * Pinned in every run: a run continues by the rules of the loader that it was started with. 2: ports that a
 * node does not have are errors; nothing runs after a rejection or a failure unless a condition reads it.
 * Unfinished runs of version 1 follow the latter rule from their next step. 3: what has no effect, such as a timeout on
 * a gate, is an error.
 */
export const formatVersion = 3;
