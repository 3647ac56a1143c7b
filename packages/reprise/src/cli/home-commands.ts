/** The definitions of the commands about the home as a whole: backup, restore, completion. */

import { Argument } from "commander";
import { shells } from "./completion/script.ts";
import type { RepriseCommand } from "./help.ts";
import type { Invoke } from "./invocation.ts";

export function defineHomeCommands(program: RepriseCommand, invoke: Invoke): void {
  program
    .command("backup")
    .description("Write all that is needed to continue the sessions into one file, while in use.")
    .argument("<file>", "the file to make; it holds conversations and is readable by you alone")
    .examples(
      "reprise backup reprise-2026-03-01.backup",
      "reprise backup /media/usb/reprise.backup",
    )
    .action(invoke(() => import("./commands/backup.ts")));

  program
    .command("restore")
    .description("Put the sessions of a backup into the home.")
    .argument("<file>", "a file that backup has written")
    .option("--force", "replace the sessions that the home has; they are kept aside")
    .option("--with-tokens", "keep the tokens of the backup valid; otherwise they are revoked")
    .option("--with-webhooks", "keep the webhooks of the backup; otherwise they are removed")
    .examples(
      "reprise restore reprise-2026-03-01.backup --home ./restored",
      "reprise restore reprise-2026-03-01.backup --force",
    )
    .action(invoke(() => import("./commands/restore.ts")));

  program
    .command("completion")
    .description("Print what makes the shell complete commands, options, keys and agents.")
    .addArgument(new Argument("<shell>", `your shell: ${shells.join(", ")}`).choices(shells))
    .addHelpText(
      "after",
      `
To install it:
  bash  put this line into ~/.bashrc:    eval "$(reprise completion bash)"
  zsh   put this line into ~/.zshrc, after compinit:
                                         eval "$(reprise completion zsh)"
  fish  reprise completion fish > ~/.config/fish/completions/reprise.fish`,
    )
    .examples('eval "$(reprise completion bash)"', "reprise completion fish | source")
    .action(invoke(() => import("./commands/completion.ts")));
}
