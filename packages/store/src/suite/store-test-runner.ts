/** What the store suite needs of a test runner; vitest has all of it. */

export interface StoreTestRunner {
  describe(name: string, body: () => void): unknown;
  /** With `test.each`, as in vitest. */
  test(name: string, body: () => Promise<void>): unknown;
  /** With the matchers of vitest. */
  expect(actual: unknown): unknown;
  /** Called within a test; the function runs when the test has ended. */
  onTestFinished(cleanup: () => Promise<void>): unknown;
}
