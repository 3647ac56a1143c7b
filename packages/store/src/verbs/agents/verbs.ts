/** How the verbs of agents run: what they read or write, and how durable it is. */

import type { AgentStore } from "../../contract/agents.ts";
import type { Transactions } from "../transactions.ts";
import { createAgent } from "./create-agent.ts";
import { createClass } from "./create-class.ts";
import { findAgent, listAgents, readAgent } from "./read-agents.ts";
import { listClasses, readClass } from "./read-classes.ts";
import { setAgent } from "./set-agent.ts";
import { setClass } from "./set-class.ts";

export const agentStore = ({ read, write }: Transactions): AgentStore => ({
  createAgent: write(createAgent),
  setAgent: write(setAgent),
  readAgent: read(readAgent),
  findAgent: read(findAgent),
  listAgents: read(listAgents),
  createClass: write(createClass),
  setClass: write(setClass),
  readClass: read(readClass),
  listClasses: read(listClasses),
});
