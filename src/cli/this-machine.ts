import { isIP } from 'node:net';

/** Names under `.localhost` do not count as this machine: some resolvers look them up on the network. */
export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.+)\]$/, '$1');
  if (name === 'localhost') return true;
  return isIP(name) === 4
    ? name.startsWith('127.')
    : /^(?:::1|::ffff:127\.|::ffff:7f[0-9a-f]{2}:)/.test(name) && isIP(name) === 6;
}
