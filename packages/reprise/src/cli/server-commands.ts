/** The definitions of the commands about the server of a home: start, stop, access and webhooks. */

import { eventTypes } from "@reprise/core/api/event-types";
import { roles } from "@reprise/core/api/role";
import { Argument, Option } from "commander";
import type { Invoke } from "./cli.ts";
import type { RepriseCommand } from "./help.ts";
import { listing } from "./input/collection.ts";
import { duration } from "./input/duration.ts";
import { portNumber } from "./input/port.ts";
import { storeAddress } from "./input/store-address.ts";
import { nonEmpty } from "./input/turn.ts";
import { webAddress } from "./input/web-address.ts";
import { wholeNumber } from "./input/whole-number.ts";

const levels = ["debug", "info", "warn", "error"];

export function defineServerCommands(program: RepriseCommand, invoke: Invoke): void {
  program
    .command("status")
    .description("Show the server, the link to its page, and what runs or waits.")
    .examples("reprise status", "reprise status --json")
    .action(invoke(() => import("./commands/status.ts")));

  program
    .command("up")
    .alias("start")
    .description("Start the server: the API, the page, timers, queued turns and webhooks.")
    .option("--detach", "run it in the background and return once it answers")
    .option("--port <port>", "port to listen on (default: 7777, else any free port)", portNumber)
    .option(
      "--host <address>",
      "address to listen on (default: 127.0.0.1, this machine only)",
      nonEmpty("--host"),
    )
    .option(
      "--public-url <url>",
      "address that browsers use, behind a proxy (default: the setting publicUrl)",
      webAddress,
    )
    .option(
      "--store <address>",
      "keep the sessions of a new home in this PostgreSQL database (default: REPRISE_STORE, else the home)",
      storeAddress,
    )
    .addOption(
      new Option("--log-level <level>", `log level: ${levels.join(", ")} (default: info)`).choices(
        levels,
      ),
    )
    .option(
      "--log-file <file>",
      "write the log to this file; a new one is started at 10 MiB and on SIGHUP",
      nonEmpty("--log-file"),
    )
    .addOption(
      new Option(
        "--print-service <manager>",
        "print a service definition for systemd or launchd",
      ).choices(["systemd", "launchd"]),
    )
    .examples(
      "reprise up",
      "reprise up --detach",
      "reprise up --port 8080 --log-level warn",
      "reprise up --store postgres://reprise@db.example.com/reprise",
      "reprise up --print-service systemd > ~/.config/systemd/user/reprise.service",
    )
    .action(invoke(() => import("./commands/up.ts")));

  program
    .command("down")
    .alias("stop")
    .description("Stop the server. Its agents keep working, and the next server adopts them.")
    .examples("reprise down")
    .action(invoke(() => import("./commands/down.ts")));

  defineTokenCommands(program, invoke);
  definePassphraseCommands(program, invoke);
  defineWebhookCommands(program, invoke);
}

function defineTokenCommands(program: RepriseCommand, invoke: Invoke): void {
  const token = program
    .command("token")
    .alias("tokens")
    .description("Work with access tokens: create, list, rotate, revoke.")
    .helpCommand(false);
  token
    .command("create")
    .description("Create a token. It is shown only once.")
    .argument("<name>", "name of its owner, recorded with everything done with it")
    .addOption(
      new Option(
        "--role <role>",
        "viewer can look, approver can also answer the inbox, operator can do everything",
      )
        .choices(roles)
        .makeOptionMandatory(),
    )
    .option(
      "--expires <time>",
      "how long it is valid, as in 12h or 30d (default: forever)",
      duration,
    )
    .examples(
      "reprise token create ana --role approver",
      "reprise token create ci --role operator --expires 30d",
    )
    .action(invoke(() => import("./commands/token-create.ts")));
  token
    .command("list")
    .alias("ls")
    .description("List tokens with their roles, when they were last used and when they expire.")
    .examples("reprise token list", "reprise token list --json")
    .action(invoke(() => import("./commands/token-list.ts")));
  token
    .command("rotate")
    .description("Replace a token by a new one with the same name and role. It is shown only once.")
    .argument("<name>", "name of its owner")
    .option(
      "--grace <time>",
      "how long the earlier one stays valid, as in 30m or 1h (default: not at all)",
      duration,
    )
    .option(
      "--expires <time>",
      "how long the new one is valid, as in 12h or 30d (default: as long as the earlier one was)",
      duration,
    )
    .examples("reprise token rotate ci", "reprise token rotate ci --grace 1h")
    .action(invoke(() => import("./commands/token-rotate.ts")));
  token
    .command("revoke")
    .description("Revoke a token.")
    .argument("<name>", "name of its owner")
    .examples("reprise token revoke ana")
    .action(invoke(() => import("./commands/token-revoke.ts")));
}

function definePassphraseCommands(program: RepriseCommand, invoke: Invoke): void {
  const passphrase = program
    .command("passphrase")
    .alias("passphrases")
    .description("Work with the passphrases that gates can ask for: set, list, remove.")
    .helpCommand(false);
  passphrase
    .command("set")
    .description("Set or replace a passphrase. Only a salted hash is stored.")
    .argument("<name>", "name that workflows refer to")
    .option(
      "--passphrase-stdin",
      "read the current passphrase, if there is one, and the new one as lines",
    )
    .examples(
      "reprise passphrase set release",
      "reprise passphrase set release --passphrase-stdin < new-passphrase",
    )
    .action(invoke(() => import("./commands/passphrase-set.ts")));
  passphrase
    .command("list")
    .alias("ls")
    .description("List passphrases by name, and when each was set.")
    .examples("reprise passphrase list", "reprise passphrase list --json")
    .action(invoke(() => import("./commands/passphrase-list.ts")));
  passphrase
    .command("remove")
    .alias("rm")
    .description("Remove a passphrase. Gates that ask for it can no longer be answered.")
    .argument("<name>", "name of the passphrase")
    .option("--passphrase-stdin", "read it from standard input")
    .examples("reprise passphrase remove release")
    .action(invoke(() => import("./commands/passphrase-remove.ts")));
}

function defineWebhookCommands(program: RepriseCommand, invoke: Invoke): void {
  const webhook = program
    .command("webhook")
    .alias("webhooks")
    .description("Work with webhooks: add, list, remove, deliveries, replay.")
    .helpCommand(false);
  webhook
    .command("add")
    .description("Send signed events to a URL, or with --incoming accept signed answers.")
    .addArgument(new Argument("[url]", "where to send events"))
    .option(
      "--event <types>",
      "event types, separated by commas; gate.* means a whole group and * all events",
      listing,
    )
    .option("--incoming", "accept answers to inbox items, signed with the secret")
    .option(
      "--secret-file <path>",
      "file with the secret (default: generated and shown once)",
      nonEmpty("--secret-file"),
    )
    .addHelpText(
      "after",
      () => `\nEvent types:\n${eventTypes.map((type) => `  ${type}`).join("\n")}`,
    )
    .examples(
      "reprise webhook add https://example.org/hook --event run.ended,gate.opened",
      "reprise webhook add --incoming --secret-file ./chat.secret",
    )
    .action(invoke(() => import("./commands/webhook-add.ts")));
  webhook
    .command("list")
    .alias("ls")
    .description("List webhooks.")
    .examples("reprise webhook list", "reprise webhook list --json")
    .action(invoke(() => import("./commands/webhook-list.ts")));
  webhook
    .command("remove")
    .alias("rm")
    .description("Remove a webhook and its pending deliveries.")
    .argument("<webhook>", "id of the webhook, or the start of it")
    .examples("reprise webhook remove k3v9m2xq")
    .action(invoke(() => import("./commands/webhook-remove.ts")));
  webhook
    .command("deliveries")
    .description("List deliveries, newest first, and how they went.")
    .argument("[webhook]", "only of this webhook: its id, or the start of it")
    .option("--limit <count>", "maximum to list (default: 50)", wholeNumber)
    .examples("reprise webhook deliveries", "reprise webhook deliveries k3v9m2xq --json")
    .action(invoke(() => import("./commands/webhook-deliveries.ts")));
  webhook
    .command("replay")
    .description("Deliver an event again, now or when the server starts.")
    .argument("<delivery>", "id of the delivery, as deliveries shows it")
    .examples("reprise webhook replay 6h2k9d1wq0xn3v8yt5rm")
    .action(invoke(() => import("./commands/webhook-replay.ts")));
}
