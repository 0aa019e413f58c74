import { readFileSync } from 'node:fs';
import { Stopped } from '../stopped.ts';
import type { DatabaseAddress } from './database-address.ts';

export interface TlsOptions {
  rejectUnauthorized: boolean;
  /** Must the certificate be of this host? */
  checksHost: boolean;
  ca?: string;
  cert?: string;
  key?: string;
}

/** In the words of libpq; those of MySQL's clients beside them. */
const MODES: Readonly<Record<string, string>> = {
  disable: 'disable',
  disabled: 'disable',
  false: 'disable',
  '0': 'disable',
  allow: 'prefer',
  prefer: 'prefer',
  preferred: 'prefer',
  require: 'require',
  required: 'require',
  noverify: 'require',
  true: 'require',
  '1': 'require',
  verifyca: 'verify-ca',
  verifyfull: 'verify-full',
  verifyidentity: 'verify-full',
};

/**
 * How to encrypt, as psql and mysql understand it: by default where the server can, and the certificate is looked at only by
 * `verify-ca` and `verify-full`, or where a CA is given.
 * @throws {Stopped}
 */
export function tlsAttempts(
  { name, options }: DatabaseAddress,
  env: NodeJS.ProcessEnv,
): (TlsOptions | undefined)[] {
  const asked = options.get('sslmode') ?? options.get('ssl') ?? env.PGSSLMODE ?? 'prefer';
  const mode = MODES[asked.toLowerCase().replace(/[-_]/g, '')];
  if (mode === undefined)
    throw new Stopped(`${name}: sslmode is disable, prefer, require, verify-ca or verify-full.`);
  if (mode === 'disable') return [undefined];
  const ca = options.get('sslrootcert') ?? options.get('sslca') ?? env.PGSSLROOTCERT;
  const cert = options.get('sslcert');
  const key = options.get('sslkey');
  const isVerified = mode.startsWith('verify') || (mode === 'require' && ca !== undefined && ca !== 'system');
  const tls: TlsOptions = {
    rejectUnauthorized: isVerified,
    checksHost: mode === 'verify-full',
    ...(ca !== undefined && ca !== 'system' && { ca: textOf(name, ca) }),
    ...(cert !== undefined && { cert: textOf(name, cert) }),
    ...(key !== undefined && { key: textOf(name, key) }),
  };
  return mode === 'prefer' ? [tls, undefined] : [tls];
}

function textOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Stopped(`${name}: the file ${path} of its TLS options cannot be read (${code}).`);
  }
}
