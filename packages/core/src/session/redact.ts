/** Removes credentials from everything that is stored or shown. */

const credentialName = /_KEY$|APIKEY|_TOKEN$|SECRET|PASSWORD|PASSWD/i;
/** These variables name the location of a credential, not the credential. */
const placeName = /_(FILE|PATH|DIR)$/i;

/** Shorter values are ordinary words; hiding them would garble the text. */
const shortestSecret = 8;

/** The values of all variables whose names look like credentials. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const secrets = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value.trim().length < shortestSecret) continue;
    if (credentialName.test(name) && !placeName.test(name)) secrets.add(value.trim());
  }
  return [...secrets];
}

export function redact(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  const pattern = patterns.get(secrets) ?? patternOf(secrets);
  patterns.set(secrets, pattern);
  return text.replace(pattern, "[redacted]");
}

/** Every event is redacted, so the pattern of a list is built only once. */
const patterns = new WeakMap<readonly string[], RegExp>();

/** Plain and JSON-escaped; longest first, because one secret may be a prefix of another. */
function patternOf(secrets: readonly string[]): RegExp {
  const forms = secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .sort((a, b) => b.length - a.length);
  return new RegExp(forms.map((form) => RegExp.escape(form)).join("|"), "g");
}

/** Whether an id contains a credential. */
export function isCredential(id: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => id.includes(secret));
}
