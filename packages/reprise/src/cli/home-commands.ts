/** The definitions of the commands about the home as a whole: backup, restore, migrate, completion. */

import { Argument } from "commander";
import type { Invoke } from "./cli.ts";
import { shells } from "./completion/script.ts";
import type { RepriseCommand } from "./help.ts";
import { targetAddress } from "./input/target-address.ts";

export function defineHomeCommands(program: RepriseCommand, invoke: Invoke): void {
  program
    .command("backup")
    .description("Write a backup of the home to one file, also while it is in use.")
    .argument("<file>", "file to write; it contains your conversations, and only you can read it")
    .examples(
      "reprise backup reprise-2026-03-01.backup",
      "reprise backup /media/usb/reprise.backup",
    )
    .action(invoke(() => import("./commands/backup.ts")));

  program
    .command("restore")
    .description("Restore a backup into the home.")
    .argument("<file>", "backup file")
    .option("--force", "replace what the home has now, and keep a copy of it aside")
    .option("--with-tokens", "keep the backup's tokens valid (default: revoke them)")
    .option("--with-webhooks", "keep the backup's webhooks (default: remove them)")
    .examples(
      "reprise restore reprise-2026-03-01.backup --home ./restored",
      "reprise restore reprise-2026-03-01.backup --force",
    )
    .action(invoke(() => import("./commands/restore.ts")));

  program
    .command("migrate")
    .description("Bring the home's database to the newest schema, or move the home to PostgreSQL.")
    .option(
      "--to <address>",
      "move everything to this empty PostgreSQL database (password: PGPASSWORD, a passfile or REPRISE_STORE)",
      targetAddress,
    )
    .addHelpText(
      "after",
      `
The home is not used while it is moved, and keeps its database until the other one has everything and was
compared with it. A move that was interrupted continues when you run the command again.`,
    )
    .examples(
      "reprise migrate",
      "reprise migrate --to postgres://reprise@db.example.com/reprise",
      "reprise migrate --to postgres://reprise@db.example.com/reprise --json",
    )
    .action(invoke(() => import("./commands/migrate.ts")));

  program
    .command("completion")
    .description("Print a shell completion script.")
    .addArgument(
      new Argument("<shell>", `shell to complete for: ${shells.join(", ")}`).choices(shells),
    )
    .addHelpText(
      "after",
      `
To install it:
  bash  add to ~/.bashrc:                  eval "$(reprise completion bash)"
  zsh   add to ~/.zshrc, after compinit:   eval "$(reprise completion zsh)"
  fish  reprise completion fish > ~/.config/fish/completions/reprise.fish`,
    )
    .examples('eval "$(reprise completion bash)"', "reprise completion fish | source")
    .action(invoke(() => import("./commands/completion.ts")));
}
