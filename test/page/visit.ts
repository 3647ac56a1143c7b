/** A person with a browser: the server, the page, and all that must not happen while it is looked at. */

import type { Locator, Page } from "playwright-core";
import { afterAll, expect, inject, type TestContext } from "vitest";
import { patience } from "../until.ts";
import { chromiumFor, closeChromium } from "./chromium.ts";
import { Server } from "./server.ts";

afterAll(closeChromium);

export class Visit implements AsyncDisposable {
  readonly server: Server;
  readonly page: Page;
  readonly #faults: string[] = [];
  /** The server is away: failed requests are expected. */
  #away = false;
  #expected: RegExp | null = null;

  private constructor(server: Server, page: Page) {
    this.server = server;
    this.page = page;
    page.on("console", (message) => {
      const isOutage = this.#away && /Failed to load resource|ERR_/.test(message.text());
      const isExpected = this.#expected?.test(message.text());
      if (message.type() === "error" && !isOutage && !isExpected) this.#faults.push(message.text());
    });
    page.on("pageerror", (error) => this.#faults.push(String(error)));
    page.on("request", (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (!/^https?:$/.test(protocol) || hostname !== "127.0.0.1")
        this.#faults.push(`asked ${request.url()}`);
    });
  }

  static async begin(context: TestContext, { width = 1280, height = 860 } = {}): Promise<Visit> {
    const browser = await chromiumFor(context, inject("chromium"));
    const server = await Server.start(inject("page"));
    try {
      const page = await browser.newPage({ viewport: { width, height } });
      page.setDefaultTimeout(patience);
      return new Visit(server, page);
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** As the address is printed at the start: the token is in it once. */
  async enter(path = "/", token = this.server.token): Promise<void> {
    await this.page.goto(`${this.server.url}${path}?token=${token}`);
    await this.see(this.page.getByText("live", { exact: true }));
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.server.url}${path}`);
    await this.see(this.page.getByText("live", { exact: true }));
  }

  async see(what: Locator | string): Promise<void> {
    await (typeof what === "string" ? this.page.getByText(what) : what).first().waitFor();
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  link(name: string): Locator {
    return this.page.getByRole("link", { name });
  }

  /** A fault that the test itself made. */
  forgive(fault: RegExp): void {
    const known = this.#faults.findIndex((each) => fault.test(each));
    expect(known).not.toBe(-1);
    this.#faults.splice(known, 1);
  }

  /** From now on such faults are the test's own, however often the page asks again. */
  expectFaults(fault: RegExp): void {
    this.#expected = fault;
  }

  async killServer(): Promise<void> {
    this.#away = true;
    await this.server.kill();
    await this.see(this.page.getByText("disconnected"));
  }

  async startServer(): Promise<void> {
    await this.server.start();
    await this.see(this.page.getByText("live", { exact: true }));
    this.#away = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
    await this.server[Symbol.asyncDispose]();
    expect(this.#faults).toEqual([]);
  }
}
