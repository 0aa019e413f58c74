import { readFileSync } from 'node:fs';

/** Returns the flags that a command passes to node for the service. */
export function nodeFlags(command: string): string[] {
  const [, flags] = /\bnode((?: --\S+)*) dist\/main\.js\b/.exec(command) ?? [];
  if (flags === undefined) throw new Error(`this starts no service: ${command}`);
  return flags.split(' ').filter((flag) => flag !== '');
}

/** Returns the command of `npm start`. */
export function startScript(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return manifest.scripts.start;
}

/** Returns the arguments of node that start a compiled service as `npm start` does. */
export const startArguments = (entry: string): string[] => [...nodeFlags(startScript()), entry];
