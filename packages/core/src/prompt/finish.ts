/** What is sent instead of a prompt to continue a turn that was cut off. */

export const finishPrompt =
  "Your previous turn was cut off. Finish it now; what it did is done, so check before you repeat any of it.";
