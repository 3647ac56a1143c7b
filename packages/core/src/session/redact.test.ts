import { describe, expect, test } from "vitest";
import { isCredential, redact, secretsOf } from "./redact.ts";

describe("variables that hold a credential", () => {
  test.each([
    "OPENAI_API_KEY",
    "FAKE_KEY",
    "GITHUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "MY_SECRET_THING",
    "DB_PASSWORD",
    "PGPASSWORD",
    "openai_api_key",
  ])("%s", (name) => {
    expect(secretsOf({ [name]: "sk-12345678" })).toEqual(["sk-12345678"]);
  });

  test.each(["HOME", "PATH", "MAX_OUTPUT_TOKENS", "KEYBOARD_LAYOUT", "SECRET_FILE", "TOKEN_PATH"])(
    "not %s",
    (name) => {
      expect(secretsOf({ [name]: "sk-12345678" })).toEqual([]);
    },
  );

  test("not a short value, nor one that is not there, and each once", () => {
    expect(secretsOf({ A_TOKEN: "short", B_TOKEN: undefined, C_TOKEN: "" })).toEqual([]);
    expect(secretsOf({ A_TOKEN: "longer-one", B_TOKEN: " longer-one\n" })).toEqual(["longer-one"]);
  });
});

test("secrets are taken out wherever they stand", () => {
  expect(redact("a sk-12345678 b sk-12345678", ["sk-12345678"])).toBe("a [redacted] b [redacted]");
  expect(redact("nothing here", ["sk-12345678"])).toBe("nothing here");
  expect(redact("nothing known", [])).toBe("nothing known");
});

test("a secret that begins another does not leave its end behind", () => {
  expect(redact("sk-12345678-long", ["sk-12345678", "sk-12345678-long"])).toBe("[redacted]");
});

test("a secret is not a pattern, and is found inside JSON too", () => {
  expect(redact("sk.12345+ sk-123455", ["sk.12345+"])).toBe("[redacted] sk-123455");
  const secret = 'quote"and\\slash';
  expect(redact(JSON.stringify({ secret }), [secret])).toBe('{"secret":"[redacted]"}');
});

test("an id that is or carries a credential is one", () => {
  const secrets = ["sk-12345678"];
  expect(isCredential("sk-12345678", secrets)).toBe(true);
  expect(isCredential("session-sk-12345678", secrets)).toBe(true);
  expect(isCredential("01a1ddf1-cfc9-7c53-bac8-de4e7dd04c0b", secrets)).toBe(false);
});
