import { readFileSync } from 'node:fs';

/** The flags that a command line gives to node before the service's entry. */
export function nodeFlags(command: string): string[] {
  const [, flags] = /\bnode((?: --\S+)*) dist\/main\.js\b/.exec(command) ?? [];
  if (flags === undefined) throw new Error(`this starts no service: ${command}`);
  return flags.split(' ').filter((flag) => flag !== '');
}

/** What `npm start` runs. */
export function startScript(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return manifest.scripts.start;
}

/** The arguments of node that start a compiled service as `npm start` does. */
export const startArguments = (entry: string): string[] => [...nodeFlags(startScript()), entry];
