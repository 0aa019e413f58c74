import { statSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { shellWord } from '../../lib/text/shell-word.ts';
import { CliError, readTextFile } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';

const DEFAULT_URL = 'http://localhost:3567';
const ACCESS_BY_OTHERS = 0o077;

export interface ServiceAddress {
  url: string;
  apiKey: string;
  /** Whether requests to the service, with the API key, cross a network unencrypted. */
  isUnprotected: boolean;
}

/**
 * Returns address and API key of the service, and warns if other users or the network could read the key.
 * @throws {CliError} if the address or the key is invalid
 */
export function readServiceAddress({
  flags,
  io: { env },
  terminal,
}: Pick<CommandContext, 'flags' | 'io' | 'terminal'>): ServiceAddress {
  const given = flags.text('url');
  const url = readUrl(
    given ?? (env.USER_IMPORT_URL || DEFAULT_URL),
    given === undefined ? 'USER_IMPORT_URL' : '--url',
  );
  const keyFile = flags.text('api-key-file');
  const apiKey = readKey(keyFile, env.USER_IMPORT_API_KEY);
  if (keyFile !== undefined && isReadByOthers(keyFile))
    terminal.warn(`${keyFile} can be read by other users of this machine: chmod 600 ${shellWord(keyFile)}`);
  const isUnprotected = url.protocol === 'http:' && !isThisMachine(url.hostname);
  if (isUnprotected)
    terminal.warn(
      `${url.host} is not this machine and --url is not https: the api key and all data cross the network as they are.`,
    );
  return { url: url.href.replace(/\/+$/, ''), apiKey, isUnprotected };
}

/** @param from flag or environment variable that the URL was given by, for messages */
function readUrl(text: string, from: string): URL {
  if (text.includes(','))
    throw new CliError(`${from}: one address. For several instances, that of the balancer in front of them.`);
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw new CliError(`${from}: expected a URL such as https://users.example.com`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new CliError(`${from}: expected http:// or https:// and a host`);
  if (url.username !== '' || url.password !== '')
    throw new CliError(
      `${from}: remove the user and password before the @, because other processes can read them.`,
    );
  if (url.search !== '' || url.hash !== '') throw new CliError(`${from}: leave out what follows ? or #.`);
  return url;
}

function readKey(path: string | undefined, fromEnvironment: string | undefined): string {
  const key = (path === undefined ? fromEnvironment : readTextFile(path, `--api-key-file: ${path}`))?.trim();
  if (!key)
    throw new CliError(
      'The API key is missing: set USER_IMPORT_API_KEY, or name a file that holds it with --api-key-file.',
    );
  // The key is sent in an HTTP header, which cannot hold other characters. The message does not show the key.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new CliError(
      `${path ?? 'USER_IMPORT_API_KEY'} is not an API key: it contains characters that keys never have. It must be the key alone, in one line.`,
    );
  return key;
}

/**
 * Returns whether other users may read the file. Modes of pipes and devices do not count, because they do not protect
 * the key.
 */
function isReadByOthers(path: string): boolean {
  const stats = statSync(path);
  return stats.isFile() && (stats.mode & ACCESS_BY_OTHERS) !== 0 && process.platform !== 'win32';
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Returns whether the host is certainly this machine. Names under `.localhost` do not count, because some resolvers
 * look them up on the network.
 */
export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.+)\]$/, '$1');
  const version = isIP(name);
  return name === 'localhost' || (version !== 0 && LOOPBACK.check(name, version === 4 ? 'ipv4' : 'ipv6'));
}
