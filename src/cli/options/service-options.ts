import { readFileSync, statSync } from 'node:fs';
import type { CommandContext } from '../command.ts';
import { Stopped } from '../stopped.ts';
import { isThisMachine } from '../this-machine.ts';

const DEFAULT_URL = 'http://localhost:3567';
/** Others may read the file. */
const OF_OTHERS = 0o077;

/** Where the service is, and the key to it. */
export interface ServiceAddress {
  /** Without a slash at the end. */
  url: string;
  apiKey: string;
  /** What is sent crosses a network as it is. */
  isUnprotected: boolean;
}

/** What a command has from which the addresses are read, and where it warns. */
type AddressContext = Pick<CommandContext, 'flags' | 'io' | 'terminal'>;

/**
 * Returns the first address that is given: any instance knows the same.
 * @param sent what is sent there beside the key
 * @throws {Stopped}
 */
export function readServiceAddress(context: AddressContext, sent?: string): ServiceAddress {
  const [first] = parseAddresses(context);
  warnOfNetwork(context, [first], sent);
  return first;
}

/** Returns all addresses that are given, apart by commas. @throws {Stopped} */
export function readServiceAddresses(
  context: AddressContext,
  sent?: string,
): [ServiceAddress, ...ServiceAddress[]] {
  const all = parseAddresses(context);
  const open = all.find(({ isUnprotected }) => isUnprotected);
  const other = all.find(({ url }) => url.startsWith('https:'));
  if (open !== undefined && other !== undefined)
    throw new Stopped(
      `--url: ${other.url} is https and ${open.url} is not: the key would be protected at the one and not at the other.`,
    );
  warnOfNetwork(context, all, sent);
  return all;
}

/** The one place where commands say that something crosses a network as it is. */
function warnOfNetwork(
  { terminal }: AddressContext,
  addresses: readonly ServiceAddress[],
  sent: string | undefined,
): void {
  const open = addresses.filter(({ isUnprotected }) => isUnprotected);
  if (open.length === 0) return;
  const what = sent === undefined ? 'the api key crosses' : `the api key and ${sent} cross`;
  const hosts = open.map(({ url }) => new URL(url).host).join(', ');
  terminal.warn(
    `${hosts} is not this machine and --url is not https: ${what} the network as ${sent === undefined ? 'it is' : 'they are'}.`,
  );
}

function parseAddresses({
  flags,
  io: { env },
  terminal,
}: AddressContext): [ServiceAddress, ...ServiceAddress[]] {
  const [first = '', ...others] = (flags.text('url') ?? (env.USER_IMPORT_URL || DEFAULT_URL)).split(',');
  const urls = [readUrl(first), ...others.map(readUrl)] as const;
  const keyFile = flags.text('api-key-file');
  const apiKey = readKey(keyFile, env.USER_IMPORT_API_KEY);
  if (keyFile !== undefined && isReadByOthers(keyFile))
    terminal.warn(`${keyFile} can be read by other users of this machine: chmod 600 ${keyFile}`);
  const addressOf = (url: URL): ServiceAddress => ({
    url: url.href.replace(/\/+$/, ''),
    apiKey,
    isUnprotected: url.protocol === 'http:' && !isThisMachine(url.hostname),
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

/** Pipes and devices have modes that mean nothing. */
function isReadByOthers(path: string): boolean {
  const stats = statSync(path);
  return stats.isFile() && (stats.mode & OF_OTHERS) !== 0 && process.platform !== 'win32';
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Stopped(`--api-key-file: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
