/** The definitions of the commands about the server of a home: its life, who is let in, and webhooks. */

import { roles } from "@reprise/core/api/role";
import { Argument, Option } from "commander";
import type { RepriseCommand } from "./help.ts";
import { listing } from "./input/collection.ts";
import { portNumber } from "./input/port.ts";
import { webAddress } from "./input/web-address.ts";
import { wholeNumber } from "./input/whole-number.ts";
import type { Invoke } from "./invocation.ts";

const levels = ["debug", "info", "warn", "error"];

export function defineServerCommands(program: RepriseCommand, invoke: Invoke): void {
  program
    .command("up")
    .description(
      "Serve the home: the API, the page, runs that nobody carries, timers, queued turns, webhooks.",
    )
    .option("--detach", "go on in the background, once it answers")
    .option("--port <port>", "port to listen on (default: 7777, or any that is free)", portNumber)
    .option("--host <address>", "address to listen on (default: 127.0.0.1, this machine alone)")
    .option(
      "--public-url <url>",
      "address under which a proxy shows it to browsers (default: the setting publicUrl)",
      webAddress,
    )
    .addOption(
      new Option(
        "--log-level <level>",
        `least that is logged: ${levels.join(", ")} (default: info)`,
      ).choices(levels),
    )
    .addOption(
      new Option("--print-service <manager>", "print a service of it: systemd, launchd").choices([
        "systemd",
        "launchd",
      ]),
    )
    .examples(
      "reprise up",
      "reprise up --detach",
      "reprise up --port 8080 --log-level warn",
      "reprise up --print-service systemd > ~/.config/systemd/user/reprise.service",
    )
    .action(invoke(() => import("./commands/up.ts")));

  program
    .command("down")
    .description("Stop the server of the home; its agents work on, and the next one adopts them.")
    .examples("reprise down")
    .action(invoke(() => import("./commands/down.ts")));

  program
    .command("status")
    .description("Show whether a server runs, where and since when, what runs, and what waits.")
    .examples("reprise status", "reprise status --json")
    .action(invoke(() => import("./commands/status.ts")));

  defineTokenCommands(program, invoke);
  definePassphraseCommands(program, invoke);
  defineWebhookCommands(program, invoke);
}

function defineTokenCommands(program: RepriseCommand, invoke: Invoke): void {
  const token = program.command("token").description("Further tokens, which let others in.");
  token
    .command("create")
    .description("Make a token for somebody; it is shown this once.")
    .argument("<name>", "whose it is; what is done with it carries this name")
    .addOption(
      new Option(
        "--role <role>",
        "viewer looks, approver also answers what waits, operator does everything",
      )
        .choices(roles)
        .makeOptionMandatory(),
    )
    .examples(
      "reprise token create ana --role approver",
      "reprise token create grafana --role viewer",
    )
    .action(invoke(() => import("./commands/token-create.ts")));
  token
    .command("list")
    .description("List the tokens: whose, what they allow, and when they were last used.")
    .examples("reprise token list", "reprise token list --json")
    .action(invoke(() => import("./commands/token-list.ts")));
  token
    .command("revoke")
    .description("Let whoever has the token in no more.")
    .argument("<name>", "whose it is")
    .examples("reprise token revoke ana")
    .action(invoke(() => import("./commands/token-revoke.ts")));
}

function definePassphraseCommands(program: RepriseCommand, invoke: Invoke): void {
  const passphrase = program
    .command("passphrase")
    .description("Passphrases that gates ask for before they take an answer.");
  passphrase
    .command("set")
    .description("Set a passphrase, or replace it; only a salted hash is kept.")
    .argument("<name>", "what gates call it")
    .option("--passphrase-stdin", "read the present one, if there is one, and the new one as lines")
    .examples(
      "reprise passphrase set release",
      "reprise passphrase set release --passphrase-stdin < new-passphrase",
    )
    .action(invoke(() => import("./commands/passphrase-set.ts")));
  passphrase
    .command("list")
    .description("List the names of the passphrases, and when each was set.")
    .examples("reprise passphrase list", "reprise passphrase list --json")
    .action(invoke(() => import("./commands/passphrase-list.ts")));
  passphrase
    .command("remove")
    .description("Remove a passphrase; gates that ask for it cannot be answered any more.")
    .argument("<name>", "its name")
    .option("--passphrase-stdin", "read it from standard input")
    .examples("reprise passphrase remove release")
    .action(invoke(() => import("./commands/passphrase-remove.ts")));
}

function defineWebhookCommands(program: RepriseCommand, invoke: Invoke): void {
  const webhook = program
    .command("webhook")
    .description("Tell others what happens, and let them answer what waits.");
  webhook
    .command("add")
    .description(
      "Send events to an address, or with --incoming take answers; signed with a secret.",
    )
    .addArgument(new Argument("[url]", "where events are sent"))
    .option(
      "--event <types>",
      "types of events, with commas between them; gate.* and * take several",
      listing,
    )
    .option("--incoming", "take answers to inbox items from whoever has the secret")
    .option("--secret-file <path>", "file with the secret (default: one is made, and shown once)")
    .examples(
      "reprise webhook add https://example.org/hook --event run.ended,gate.opened",
      "reprise webhook add --incoming --secret-file ./chat.secret",
    )
    .action(invoke(() => import("./commands/webhook-add.ts")));
  webhook
    .command("list")
    .description("List the webhooks.")
    .examples("reprise webhook list", "reprise webhook list --json")
    .action(invoke(() => import("./commands/webhook-list.ts")));
  webhook
    .command("remove")
    .description("Remove a webhook, and what it had still to be told.")
    .argument("<webhook>", "its id, or the beginning of it")
    .examples("reprise webhook remove k3v9m2xq")
    .action(invoke(() => import("./commands/webhook-remove.ts")));
  webhook
    .command("deliveries")
    .description("List what webhooks were told, the newest first, and how it went.")
    .argument("[webhook]", "only of this one: its id, or the beginning of it")
    .option("--limit <count>", "at most so many (default: 50)", wholeNumber)
    .examples("reprise webhook deliveries", "reprise webhook deliveries k3v9m2xq --json")
    .action(invoke(() => import("./commands/webhook-deliveries.ts")));
  webhook
    .command("replay")
    .description("Deliver something once more; the server does it at once, or when it is started.")
    .argument("<delivery>", "its id, as deliveries shows it")
    .examples("reprise webhook replay 6h2k9d1wq0xn3v8yt5rm")
    .action(invoke(() => import("./commands/webhook-replay.ts")));
}
