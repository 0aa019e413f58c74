import { readFileSync } from 'node:fs';
import { Stopped } from '../stopped.ts';
import type { Flags } from './read-arguments.ts';

const DEFAULT_URL = 'http://localhost:3567';
/** Hosts that are this machine: what is sent there crosses no network. */
const LOCAL = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Where the service is, and the key to it. */
export interface ServiceAddress {
  /** Without a slash at the end. */
  url: string;
  apiKey: string;
  /** Hashes would cross a network as they are. */
  isUnprotected: boolean;
}

/** The first that is given: any instance knows the same. @throws {Stopped} */
export const readServiceAddress = (flags: Flags, env: NodeJS.ProcessEnv): ServiceAddress =>
  readServiceAddresses(flags, env)[0];

/** All that are given, apart by commas. @throws {Stopped} */
export function readServiceAddresses(
  flags: Flags,
  env: NodeJS.ProcessEnv,
): [ServiceAddress, ...ServiceAddress[]] {
  const [first = '', ...others] = (flags.text('url') ?? (env.USER_IMPORT_URL || DEFAULT_URL)).split(',');
  const urls = [readUrl(first), ...others.map(readUrl)] as const;
  const apiKey = readKey(flags.text('api-key-file'), env.USER_IMPORT_API_KEY);
  const addressOf = (url: URL): ServiceAddress => ({
    url: url.href.replace(/\/+$/, ''),
    apiKey,
    isUnprotected: url.protocol === 'http:' && !LOCAL.test(url.hostname),
  });
  const [one, ...more] = urls;
  return [addressOf(one), ...more.map(addressOf)];
}

function readUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw new Stopped('--url: expected a URL such as https://users.example.com');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Stopped('--url: expected http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw new Stopped('--url: leave out what stands before the @: every process can read arguments.');
  if (url.search !== '' || url.hash !== '') throw new Stopped('--url: leave out what follows ? or #.');
  return url;
}

function readKey(path: string | undefined, fromEnvironment: string | undefined): string {
  const key = (path === undefined ? fromEnvironment : readKeyFile(path))?.trim();
  if (!key)
    throw new Stopped(
      'The api key is missing: set USER_IMPORT_API_KEY, or name a file that holds it with --api-key-file.',
    );
  // A header cannot hold others. The key itself is not shown.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Stopped('The api key has characters that none has: is it the right file?');
  return key;
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Stopped(`--api-key-file: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
