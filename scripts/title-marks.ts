/** The marks with which a test's title begins: conformance cells and ids of findings, as in `W1 C25/claude: …`. */

const titleStart = /^((?:C\d\d\/[a-z]+|[A-Z]\d+[a-z]?)(?: (?:C\d\d\/[a-z]+|[A-Z]\d+[a-z]?))*):/;

export function titleMarks(title: string): string[] {
  return titleStart.exec(title)?.[1]?.split(" ") ?? [];
}
