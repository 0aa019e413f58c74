import { posix } from 'node:path';

export interface Import {
  /** The file with the import, e.g. `users/sign-in.ts`. */
  from: string;
  /** The imported module: a file of src, or a package. */
  to: string;
  typesOnly: boolean;
}

const STATEMENT =
  /^(?:import|export)\s(?:([^;'"]*?)\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

export function importsOf(from: string, text: string): Import[] {
  return [...text.matchAll(STATEMENT)].map(([, names, stated, dynamic]) => {
    const target = stated ?? dynamic ?? '';
    const listed = /^\{([^}]*)\}$/.exec(names?.trim() ?? '')?.[1]?.split(',') ?? [];
    const named = listed.map((name) => name.trim()).filter((name) => name !== '');
    const typesOnly =
      names?.startsWith('type ') === true ||
      (named.length > 0 && named.every((name) => name.startsWith('type ')));
    const to = target.startsWith('.') ? posix.join(posix.dirname(from), target) : target;
    return { from, to, typesOnly };
  });
}

/** Returns a cycle of files that import each other, including imports of types, or undefined. */
export function findCycle(imports: readonly Pick<Import, 'from' | 'to'>[]): string[] | undefined {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of targets.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
