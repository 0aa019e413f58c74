import { readFileSync } from 'node:fs';
import { Stopped } from '../stopped.ts';
import { isThisMachine } from '../this-machine.ts';
import type { DatabaseAddress } from './database-address.ts';

export interface TlsOptions {
  rejectUnauthorized: boolean;
  /** Must the certificate be of this host? */
  checksHost: boolean;
  ca?: string;
  cert?: string;
  key?: string;
}

/** How to connect, and what that is worth. */
export interface TlsPlan {
  /** To be tried in this order; undefined: without TLS. */
  attempts: readonly (TlsOptions | undefined)[];
  /**
   * Whether nobody but the server named can be at the other end: its certificate is verified, or it is a
   * socket.
   */
  isVerified: boolean;
}

/** What the environment says where the URI does not. */
export interface TlsDefaults {
  mode?: string | undefined;
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

/** From the weakest to the strongest, in the words of libpq. */
const STRENGTH = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof STRENGTH)[number];

/** In the words of libpq; those of MySQL's clients beside them. */
const MODES: Readonly<Record<string, Mode>> = {
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

/** Name of the CAs that Node.js trusts, as in libpq. */
const SYSTEM = 'system';
/**
 * Options about the security of a connection. Those that are not known are refused: ignored, they would
 * promise what is not done.
 */
const SECURITY = /ssl|tls|cert|verif|requireauth|channelbinding|gssencmode/;
const KNOWN = new Set([
  ...['sslmode', 'ssl', 'sslrootcert', 'sslca', 'sslcert', 'sslkey', 'channelbinding'],
  // Without a meaning here: there is no compression, and the name of the host is always sent.
  ...['sslcompression', 'sslsni'],
]);
const HARMLESS = new Set(['gssencmode=disable', 'gssencmode=prefer', 'sslnegotiation=postgres']);
const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;

/** A connection that leaves no machine: it needs no TLS. */
export const SOCKET: TlsPlan = { attempts: [undefined], isVerified: true };

/**
 * Returns how to encrypt. By default TLS is used where the server has it, as psql and mysql do. A CA that is
 * named verifies the
 * certificate in every mode, and `system` the name of the host as well; then there is no falling back to a
 * connection without TLS.
 * @throws {Stopped} for options that are not known or contradict each other
 */
export function tlsPlan({ name, options }: DatabaseAddress, defaults: TlsDefaults = {}): TlsPlan {
  const stray = [...options].find(
    ([option, value]) => SECURITY.test(option) && !KNOWN.has(option) && !HARMLESS.has(`${option}=${value}`),
  )?.[0];
  if (stray !== undefined)
    throw new Stopped(
      `${name}: its option ${stray} is not known here. Leave it out, or say it with sslmode, sslrootcert, sslcert and sslkey.`,
    );
  const given = ['sslmode', 'ssl'].flatMap((option) => options.get(option) ?? []);
  const asked = (given.length > 0 ? given : [defaults.mode].flatMap((mode) => mode || [])).map((text) =>
    readMode(name, text),
  );
  const [uriCa, other] = ['sslrootcert', 'sslca'].flatMap((option) => options.get(option) ?? []);
  if (other !== undefined && other !== uriCa)
    throw new Stopped(`${name}: sslrootcert and ssl-ca name different files.`);
  const mode = strongest(asked);
  // The URI decides against the environment.
  const ca = uriCa ?? (given.length > 0 && mode === 'disable' ? undefined : defaults.ca || undefined);
  if (mode === 'disable') {
    if (ca === undefined) return { attempts: [undefined], isVerified: false };
    throw new Stopped(`${name}: sslmode=disable and a CA contradict each other. Leave one of them out.`);
  }
  const isWeak = mode !== undefined && mode !== 'verify-full';
  if (ca === SYSTEM && isWeak)
    throw new Stopped(`${name}: sslrootcert=system needs sslmode=verify-full, which it is without sslmode.`);
  if (ca === undefined && mode === 'verify-ca')
    throw new Stopped(
      `${name}: verify-ca needs a CA: name it with sslrootcert=ca.pem (MySQL: ssl-ca=ca.pem). For a certificate of a public authority, use verify-full.`,
    );
  const isVerified = ca !== undefined || mode === 'verify-full';
  const cert = options.get('sslcert') ?? (defaults.cert || undefined);
  const key = options.get('sslkey') ?? (defaults.key || undefined);
  const tls: TlsOptions = {
    rejectUnauthorized: isVerified,
    checksHost: mode === 'verify-full' || ca === SYSTEM,
    ...(ca !== undefined && ca !== SYSTEM && { ca: readCa(name, ca) }),
    ...(cert !== undefined && { cert: readText(name, cert) }),
    ...(key !== undefined && { key: readText(name, key) }),
  };
  const falls = !isVerified && (mode === undefined || mode === 'prefer');
  return { attempts: falls ? [tls, undefined] : [tls], isVerified };
}

/**
 * Returns what to warn of before connecting. Undefined where the other end is verified, or is this machine.
 */
export function unverifiedWarning(plan: TlsPlan, host: string, how: string): string | undefined {
  if (plan.isVerified || isThisMachine(host)) return undefined;
  const what = plan.attempts.includes(undefined) ? 'may not be encrypted, and is' : 'is';
  return `The connection to ${host} ${what} not verified: whoever answers in its place can read and change what is imported. Add ${how}`;
}

function readMode(name: string, text: string): Mode {
  const key = text.toLowerCase().replace(/[-_]/g, '');
  const mode = Object.hasOwn(MODES, key) ? MODES[key] : undefined;
  if (mode === undefined)
    throw new Stopped(`${name}: sslmode is disable, prefer, require, verify-ca or verify-full.`);
  return mode;
}

const strongest = (modes: readonly Mode[]): Mode | undefined =>
  modes.toSorted((one, other) => STRENGTH.indexOf(other) - STRENGTH.indexOf(one))[0];

/** An empty file would stand for all public authorities. */
function readCa(name: string, path: string): string {
  const text = readText(name, path);
  if (!CERTIFICATE.test(text)) throw new Stopped(`${name}: the file ${path} holds no certificate.`);
  return text;
}

function readText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Stopped(`${name}: the file ${path} of its TLS options cannot be read (${code}).`);
  }
}
