/**
 * Providers from outside: values that a program passes to `openReprise`, and modules that `providers` in the user's
 * own settings names. A project folder cannot name one, because its code would run in this process.
 */

import { existsSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { dirname, isAbsolute, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { NotFoundError, RepriseError, UsageError } from "@reprise/core/errors/errors";
import type { ResolvedSettings } from "@reprise/core/settings/settings";
import { providerProblem } from "@reprise/providers/define-provider";
import type { Provider } from "@reprise/providers/provider";
import { builtInProviders, ProviderRegistry } from "@reprise/providers/registry";
import { type ConfigSources, configFile, readSettings } from "./config.ts";
import { withOwnErrors } from "./outside-errors.ts";

/**
 * All providers of this process: those of Reprise, those of the user's settings, and those of the caller. One of the
 * settings that cannot be loaded is kept as broken, so that commands that do not need it still work.
 */
export async function loadProviders(
  settings: Pick<ResolvedSettings, "values" | "list">,
  sources: Pick<ConfigSources, "env" | "cwd">,
  given: readonly Provider[] = [],
): Promise<ProviderRegistry> {
  const file = configFile("user", sources);
  // A provider that the program passes replaces one of the same name in the settings.
  const isGiven = ({ manifest }: Provider) =>
    given.some((provider) => provider?.manifest?.name === manifest.name);
  let loaded = new ProviderRegistry(given.map(withOwnErrors));
  for (const module of settings.values.providers) {
    const origin = settings.list().find(({ name }) => name === "providers")?.origin ?? file;
    const { broken } = loaded;
    const added = loaded.providers.slice(builtInProviders.length);
    try {
      const provider = await loadProvider(module, { file, origin });
      if (!isGiven(provider))
        loaded = new ProviderRegistry([...added, withOwnErrors(provider)], broken);
    } catch (error) {
      if (!(error instanceof RepriseError)) throw error;
      loaded = new ProviderRegistry(added, [...broken, { module, error }]);
    }
  }
  return loaded;
}

/** The providers for a command that opens no home. */
export async function readProviders(
  sources: Pick<ConfigSources, "env" | "cwd">,
): Promise<ProviderRegistry> {
  return loadProviders(await readSettings({ flags: {}, ...sources }), sources);
}

interface Named {
  /** The user's settings file: paths are relative to it, and packages are looked for beside it. */
  readonly file: string;
  /** Where the setting was found. */
  readonly origin: string;
}

async function loadProvider(specifier: string, named: Named): Promise<Provider> {
  const path = modulePath(specifier, named);
  const module = await importModule(path, specifier, named);
  const provider = module.default ?? module.provider;
  const problem = providerProblem(provider);
  if (problem === null) return provider as Provider;
  throw new UsageError(
    "bad-provider",
    `The provider module "${specifier}" (${named.origin}) cannot be used. ${problem}`,
    "Export a provider that defineProvider returns as the default export.",
  );
}

function modulePath(specifier: string, { file, origin }: Named): string {
  if (isAbsolute(specifier)) return specifier;
  if (specifier.startsWith(".")) {
    if (origin === file) return resolve(dirname(file), specifier);
    throw new UsageError(
      "bad-setting",
      `The provider module "${specifier}" (${origin}) is a relative path.`,
      `Give an absolute path, or name it in ${file}.`,
    );
  }
  const path = packageFrom(file, specifier) ?? packageFrom(import.meta.filename, specifier);
  if (path !== null) return path;
  throw new NotFoundError(
    "no-provider-module",
    `The provider package "${specifier}" (${origin}) is not installed.`,
    `Install it with "npm install --prefix ${dirname(file)} ${specifier}", or remove it from the setting providers.`,
  );
}

/** The main module of a package as `base` would import it; null when it is not installed there. */
function packageFrom(base: string, specifier: string): string | null {
  try {
    return createRequire(base).resolve(specifier);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") return null;
  }
  // A package that can only be imported, not required.
  const parentURL = pathToFileURL(base).href;
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      next(name, name === specifier ? { ...context, parentURL } : context),
  });
  try {
    return fileURLToPath(import.meta.resolve(specifier));
  } catch {
    return null;
  } finally {
    hooks.deregister();
  }
}

async function importModule(
  path: string,
  specifier: string,
  { origin }: Named,
): Promise<Readonly<Record<string, unknown>>> {
  if (!existsSync(path))
    throw new NotFoundError(
      "no-provider-module",
      `There is no provider module "${specifier}" (${origin}): ${path} does not exist.`,
      "Correct the setting providers, or remove it from there.",
    );
  try {
    return await import(/* @vite-ignore */ pathToFileURL(path).href);
  } catch (error) {
    const [message] = String((error as Error).message).split("\n", 1);
    throw new UsageError(
      "bad-provider",
      `The provider module "${specifier}" (${origin}) cannot be loaded: ${message}`,
      "Correct the module, or remove it from the setting providers.",
      { cause: error },
    );
  }
}
