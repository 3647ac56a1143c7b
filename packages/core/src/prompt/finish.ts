/** The prompt of a turn that continues one that was cut off. */

export const finishPrompt =
  "Your previous turn was cut off. Finish it now. What it already did has taken effect: check before you repeat any of it.";
