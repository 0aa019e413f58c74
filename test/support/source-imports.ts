import { posix } from 'node:path';

export interface Import {
  /** The file it stands in, e.g. `users/sign-in.ts`. */
  from: string;
  /** What it names: a file of src, or a package. */
  to: string;
  typesOnly: boolean;
}

const STATEMENT =
  /^(?:import|export)\s(?:([^;'"]*?)\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** The import statements of a file, and what it passes on from others. */
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

/** A round of files that import each other, types included; undefined where there is none. */
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
