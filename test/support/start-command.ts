import { readFileSync } from 'node:fs';

/** Program that starts the service: from `npm start`, in the image, and where the package is installed. */
export const LAUNCHER = new URL('../../bin/user-import-core', import.meta.url).pathname;

export function nodeFlags(): string[] {
  const [, flags] = /\bnode((?: --\S+)*) "\$root\/dist\/main\.js"/.exec(readFileSync(LAUNCHER, 'utf8')) ?? [];
  if (flags === undefined) throw new Error(`${LAUNCHER} starts no service`);
  return flags.split(' ').filter((flag) => flag !== '');
}

/** Returns the arguments of node that start a compiled service as the launcher does. */
export const startArguments = (entry: string): string[] => [...nodeFlags(), entry];
