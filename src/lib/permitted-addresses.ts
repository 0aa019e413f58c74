import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressKind = 'public' | 'private' | 'loopback';

/** Only these IPv6 addresses are public (https://www.iana.org/assignments/ipv6-address-space). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns the kind of an IP address. Everything that is not certainly public counts as private, such as reserved ranges
 * and those that embed an IPv4 address.
 */
export function kindOf(address: string): AddressKind {
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (range === 'loopback') return 'loopback';
  const isGlobal = parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
  return range === 'unicast' && isGlobal ? 'public' : 'private';
}

/** Returns the host without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

const namesLoopback = (host: string) =>
  host === 'localhost' || (isIP(host) !== 0 && kindOf(host) === 'loopback');

/**
 * Returns whether requests for the URL may be sent to this address. Plain HTTP is permitted on this machine, and in a
 * private network if the options allow it. A name on the Internet must not resolve to a private address.
 */
export function isPermitted(
  url: URL,
  address: string,
  { allowsPrivate }: { allowsPrivate: boolean },
): boolean {
  const kind = kindOf(address);
  if (kind === 'loopback') return allowsPrivate || namesLoopback(hostOf(url));
  if (kind === 'private') return allowsPrivate;
  return url.protocol === 'https:' && !namesLoopback(hostOf(url));
}

/** Returns what is wrong with the text of a URL, or undefined if requests can be sent to such a URL. */
export function formProblem(text: string): string | undefined {
  const wrong = 'must be a URI with a valid host and a port, if any, from 1 to 65535';
  if (!URL.canParse(text)) return wrong;
  const { username, password, port, href } = new URL(text);
  // An empty user, query or fragment leaves no trace in the members of a URL.
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text) || href.includes('#'))
    return 'must have no user, password or fragment';
  return port === '0' ? wrong : undefined;
}

/** Returns why no requests may be sent to this URL, or undefined. A host name is only checked when it is resolved. */
export function urlProblem(url: URL, options: { allowsPrivate: boolean }): string | undefined {
  const host = hostOf(url);
  if (url.protocol !== 'https:' && !namesLoopback(host) && !options.allowsPrivate)
    return 'must begin with https:// (http:// is for this machine, and with legacy_signin_private_addresses for private networks)';
  if (isIP(host) !== 0 && !isPermitted(url, host, options))
    return 'names an address that is not permitted (legacy_signin_private_addresses permits private ones)';
  return undefined;
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * Resolves a host name to permitted addresses only. The socket connects to the address that was checked, so
 * the name cannot resolve to another address in between.
 */
export const permittedLookup =
  (url: URL, options: { allowsPrivate: boolean }, resolve: typeof lookup = lookup) =>
  (hostname: string, lookupOptions: LookupOptions, callback: LookupCallback): void => {
    resolve(hostname, { ...lookupOptions, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const permitted = found.filter(({ address }) => isPermitted(url, address, options));
      const [first] = permitted;
      if (first === undefined) return callback(new Error('the name resolves to no permitted address'), []);
      if (lookupOptions.all === true) callback(null, permitted);
      else callback(null, first.address, first.family);
    });
  };
