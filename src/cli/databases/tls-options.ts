import { CliError, readTextFile } from '../cli-error.ts';
import { isThisMachine } from '../options/service-options.ts';
import type { DatabaseAddress } from './database.ts';

export interface TlsOptions {
  rejectUnauthorized: boolean;
  /** Whether the certificate must be issued for the host in the database's URI. */
  checksHost: boolean;
  ca?: string;
  cert?: string;
  key?: string;
}

export interface TlsPlan {
  /** Undefined to connect without TLS. */
  tls: TlsOptions | undefined;
  /** Whether a connection without TLS is made if the server has no TLS. */
  fallsBack: boolean;
  /** Whether the server is certain: its certificate is verified, or the connection uses a local socket. */
  isVerified: boolean;
}

/** TLS settings from environment variables such as PGSSLMODE. They apply if the URI lacks the option. */
export interface TlsDefaults {
  mode?: string | undefined;
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

/** TLS modes (`sslmode`) of libpq, from the weakest to the strongest. */
const STRENGTH = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof STRENGTH)[number];

/** TLS modes in the spelling of libpq and of MySQL's clients, without hyphens and underscores. */
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

/** Value of sslrootcert that stands for the CAs that Node.js trusts. libpq uses the same word. */
const SYSTEM = 'system';
/** Unknown options whose names match are rejected: ignoring them would give less security than requested. */
const SECURITY = /ssl|tls|cert|verif|requireauth|channelbinding|gssencmode/;
const KNOWN = new Set([
  ...['sslmode', 'ssl', 'sslrootcert', 'sslca', 'sslcert', 'sslkey', 'channelbinding'],
  // libpq options without effect in this tool: compression is never used, the host name is always sent.
  ...['sslcompression', 'sslsni'],
]);
const HARMLESS = new Set(['gssencmode=disable', 'gssencmode=prefer', 'sslnegotiation=postgres']);
const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;

export const SOCKET: TlsPlan = { tls: undefined, fallsBack: false, isVerified: true };

/**
 * Connects as planned. If TLS is only preferred, it connects without TLS afterwards, as libpq and MySQL's clients do.
 * @param isOfTls whether an error may be due to TLS
 */
export async function connectAsPlanned<Session>(
  { tls, fallsBack }: TlsPlan,
  connect: (tls: TlsOptions | undefined) => Promise<Session>,
  isOfTls: (error: unknown) => boolean,
): Promise<Session> {
  try {
    return await connect(tls);
  } catch (error) {
    if (!fallsBack || !isOfTls(error)) throw error;
    return connect(undefined);
  }
}

/**
 * By default TLS is used if the server supports it, as in psql and mysql. If a CA is given, the certificate
 * is verified in every mode, `system` also verifies the host name, and there is no fallback without TLS.
 * @throws {CliError} for unknown or contradictory options
 */
export function tlsPlan({ name, options }: DatabaseAddress, defaults: TlsDefaults = {}): TlsPlan {
  const stray = [...options].find(
    ([option, value]) => SECURITY.test(option) && !KNOWN.has(option) && !HARMLESS.has(`${option}=${value}`),
  )?.[0];
  if (stray !== undefined)
    throw new CliError(
      `${name}: its option ${stray} is unknown. Leave it out, or use sslmode, sslrootcert, sslcert and sslkey instead.`,
    );
  const given = ['sslmode', 'ssl'].flatMap((option) => options.get(option) ?? []);
  const asked = (given.length > 0 ? given : [defaults.mode].flatMap((mode) => mode || [])).map((text) =>
    readMode(name, text),
  );
  const [uriCa, other] = ['sslrootcert', 'sslca'].flatMap((option) => options.get(option) ?? []);
  if (other !== undefined && other !== uriCa)
    throw new CliError(`${name}: sslrootcert and ssl-ca name different files.`);
  const mode = strongest(asked);
  // Options in the URI override the environment.
  const ca = uriCa ?? (given.length > 0 && mode === 'disable' ? undefined : defaults.ca || undefined);
  if (mode === 'disable') {
    if (ca === undefined) return { tls: undefined, fallsBack: false, isVerified: false };
    throw new CliError(`${name}: sslmode=disable and a CA contradict each other. Leave one of them out.`);
  }
  const isWeak = mode !== undefined && mode !== 'verify-full';
  if (ca === SYSTEM && isWeak)
    throw new CliError(`${name}: sslrootcert=system needs sslmode=verify-full, which is the default here.`);
  if (ca === undefined && mode === 'verify-ca')
    throw new CliError(
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
  return { tls, fallsBack: !isVerified && (mode === undefined || mode === 'prefer'), isVerified };
}

export function unverifiedWarning(plan: TlsPlan, host: string, how: string): string | undefined {
  if (plan.isVerified || isThisMachine(host)) return undefined;
  const what = plan.tls === undefined || plan.fallsBack ? 'may not be encrypted, and is' : 'is';
  return `The connection to ${host} ${what} not verified: an attacker in the network can read and change what is imported. Add ${how}`;
}

function readMode(name: string, text: string): Mode {
  const key = text.toLowerCase().replace(/[-_]/g, '');
  const mode = Object.hasOwn(MODES, key) ? MODES[key] : undefined;
  if (mode === undefined)
    throw new CliError(`${name}: sslmode is disable, prefer, require, verify-ca or verify-full.`);
  return mode;
}

const strongest = (modes: readonly Mode[]): Mode | undefined =>
  modes.toSorted((one, other) => STRENGTH.indexOf(other) - STRENGTH.indexOf(one))[0];

/** A file without certificates is rejected, because Node.js would then trust all public authorities. */
function readCa(name: string, path: string): string {
  const text = readText(name, path);
  if (!CERTIFICATE.test(text)) throw new CliError(`${name}: the file ${path} holds no certificate.`);
  return text;
}

const readText = (name: string, path: string) =>
  readTextFile(path, `${name}: the file ${path} of its TLS options`);
