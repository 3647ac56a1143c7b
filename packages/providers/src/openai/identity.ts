/** What the bridge of the openai provider is. */

export const product = "chat-completions";
export const version = "1.0.0";
