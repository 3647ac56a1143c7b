import { cancelledBy } from "@reprise/core/session/cancel-reason";
import { expect, test } from "vitest";
import { testCli } from "./test-surroundings.ts";
import { cancellable } from "./turn-run.ts";

test("the first signal cancels, the second ends at once, and then the listeners are removed", async () => {
  const cli = testCli({ columns: 80 });
  await cancellable(cli, async ({ signal, exitCode }) => {
    expect(exitCode()).toBeNull();
    cli.send("SIGINT");
    expect(signal.aborted).toBe(true);
    expect(exitCode()).toBe(130);
    expect(cli.exits).toEqual([]);
    expect(cli.stderrText()).toContain("press Ctrl-C again");
    cli.send("SIGINT");
    expect(cli.exits).toEqual([130]);
  });
  cli.send("SIGTERM");
  expect(cli.exits).toEqual([130]);
});

test("S16: SIGTERM has its own exit code, and is recorded as what cancelled", async () => {
  const cli = testCli();
  const code = await cancellable(cli, async ({ signal, exitCode }) => {
    cli.send("SIGTERM");
    expect(cancelledBy(signal)).toBe("SIGTERM");
    return exitCode();
  });
  expect(code).toBe(143);
});

test("when another program has the terminal, Ctrl-C is ignored and SIGTERM is not", async () => {
  const cli = testCli({ columns: 80 });
  await cancellable(cli, async ({ signal, exitCode, handOver }) => {
    handOver();
    cli.send("SIGINT");
    cli.send("SIGINT");
    expect({ aborted: signal.aborted, code: exitCode() }).toEqual({ aborted: false, code: null });
    cli.send("SIGTERM");
    expect({ aborted: signal.aborted, code: exitCode() }).toEqual({ aborted: true, code: 143 });
  });
  expect(cli.exits).toEqual([]);
  expect(cli.stderrText()).toBe("");
});
