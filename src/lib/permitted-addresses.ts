import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';

export type AddressKind = 'public' | 'private' | 'loopback';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Private IPv4 ranges, from https://www.iana.org/assignments/iana-ipv4-special-registry */
const PRIVATE = new BlockList();
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(address, bits, 'ipv4');

/** Public IPv6 addresses. RESERVED_IPV6 has the ranges that are reserved, or embed an IPv4 address. */
const PUBLIC_IPV6 = new BlockList();
PUBLIC_IPV6.addSubnet('2000::', 3, 'ipv6');
const RESERVED_IPV6 = new BlockList();
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  RESERVED_IPV6.addSubnet(address, bits, 'ipv6');

export function kindOf(address: string): AddressKind {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return kindOf(mapped);
  const isIpv4 = isIP(address) === 4;
  const family = isIpv4 ? 'ipv4' : 'ipv6';
  if (LOOPBACK.check(address, family)) return 'loopback';
  if (isIpv4) return PRIVATE.check(address, 'ipv4') ? 'private' : 'public';
  return PUBLIC_IPV6.check(address, 'ipv6') && !RESERVED_IPV6.check(address, 'ipv6') ? 'public' : 'private';
}

/** Returns the host without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

const namesLoopback = (host: string) =>
  host === 'localhost' || (isIP(host) !== 0 && kindOf(host) === 'loopback');

/**
 * Plain HTTP is permitted on this machine, and in a private network if the options allow it. A name on the
 * Internet must not resolve to a private address.
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

/** Returns why this text names no place that requests can be sent to. */
export function formProblem(text: string): string | undefined {
  const wrong = 'must be a URI with a valid host and a port, if any, from 1 to 65535';
  if (!URL.canParse(text)) return wrong;
  const { username, password, port, href } = new URL(text);
  // An empty user, query or fragment leaves no trace in the members of a URL.
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text) || href.includes('#'))
    return 'must have no user, password or fragment';
  return port === '0' ? wrong : undefined;
}

/** Returns why no requests may be sent to this URL. A host name is only checked when it is resolved. */
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
