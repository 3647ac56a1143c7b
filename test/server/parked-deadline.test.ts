/** A deadline that cannot be settled in the background is shown, with a server and without. */

import { expect, test } from "vitest";
import { parkDeadline } from "./parked-deadline.ts";
import { ServedShell } from "./served-shell.ts";

test("status and doctor name it, and the inbox has it until it is settled", async () => {
  const shell = ServedShell.open();
  const item = await parkDeadline(shell.home, shell.folder, "r1");
  const look = async () => {
    const [status, doctor, inbox] = [
      await shell.run(["status"]),
      await shell.run(["doctor", "--json"]),
      await shell.run(["inbox"]),
    ];
    expect(status.stdout).toContain(
      "Inbox   1 item: reprise inbox\n        1 deadline passed and could not be settled: reprise doctor\n",
    );
    expect(doctor.code).toBe(1);
    expect(JSON.parse(doctor.stdout).findings).toContainEqual({
      subject: `inbox item ${item.slice(0, 8)}`,
      state: "problem",
      text: expect.stringMatching(
        /^The deadline of "Ship it\?" passed at 2\S+Z and could not be settled\.$/,
      ),
      hint: expect.stringContaining("reprise cancel r1"),
    });
    expect(inbox.stdout).toMatch(new RegExp(`${item.slice(0, 8)} .* passed `));
  };
  await look();
  await shell.up();
  await look();
  expect((await shell.run(["cancel", "r1"])).code).toBe(0);
  expect((await shell.run(["status"])).stdout).not.toContain("deadline passed");
});
