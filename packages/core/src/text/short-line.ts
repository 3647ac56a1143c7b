/** Text from outside, such as a command of several kilobytes, as one short line with its beginning and its end. */

const defaultMax = 120;

export function shortLine(text: string, max = defaultMax): string {
  const letters = [...text.replace(/\s+/g, " ").trim()];
  if (letters.length <= max) return letters.join("");
  const tail = Math.floor((max - 1) / 3);
  return `${letters.slice(0, max - 1 - tail).join("")}…${letters.slice(-tail).join("")}`;
}
