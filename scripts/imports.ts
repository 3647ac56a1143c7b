/** The imports of a source file: static and dynamic ones, those of types alone, and what it exports from elsewhere. */

import { parseSync, Visitor } from "rolldown/utils";

export interface Import {
  readonly specifier: string;
  readonly line: number;
}

export function parsed(file: string, source: string) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
  return program;
}

export function lineOf(source: string, node: { readonly start: number }): number {
  return source.slice(0, node.start).split("\n").length;
}

export function importsOf(file: string, source: string): Import[] {
  const imports: Import[] = [];
  const add = (specifier: string, node: { start: number }) => {
    imports.push({ specifier, line: lineOf(source, node) });
  };
  const imported = (node: { start: number; source: { value: string } | null }) => {
    if (node.source) add(node.source.value, node);
  };
  new Visitor({
    ImportDeclaration: imported,
    ExportNamedDeclaration: imported,
    ExportAllDeclaration: imported,
    ImportExpression(node) {
      if (node.source.type === "Literal") add(String(node.source.value), node);
    },
    TSImportType(node) {
      add(node.source.value, node);
    },
  }).visit(parsed(file, source));
  return imports;
}

/** Tests beside the code, their helpers, and the suites that are shared between implementations. */
export function isTest(file: string): boolean {
  return /\.test\.tsx?$|\/suite\/|\/test-[^/]+\.ts$/.test(file);
}
