/** What every program needs of the environment that the tests run in. All else is the test's own. */

const { PATH = "", TMPDIR, NODE_COMPILE_CACHE } = process.env;

export const inherited: { readonly PATH: string } & Readonly<Record<string, string>> = {
  PATH,
  ...(TMPDIR && { TMPDIR }),
  // Without it each program that a test starts compiles its TypeScript again.
  ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
};
