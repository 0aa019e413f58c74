import { readdirSync, readFileSync } from 'node:fs';
import { Decoys } from '../src/hashing/decoys.ts';
import { FAMILIES, OWN_SETTINGS } from '../src/hashing/families.ts';
import type { Family } from '../src/hashing/family.ts';
import { KdfGate } from '../src/hashing/kdf-gate.ts';
import { newHashMaker } from '../src/hashing/new-hash.ts';
import { Passwords } from '../src/hashing/passwords.ts';
import { buildRegistry } from '../src/hashing/registry.ts';
import type { HashingSecret } from '../src/hashing/secrets.ts';
import { acceptHash } from '../src/passwords/accept-hash.ts';
import { verifyPasswordHash } from '../src/passwords/verify-password-hash.ts';
import { HASHES } from './fixtures.ts';
import type { Row } from './report.ts';

interface Vector {
  hash: string;
  password?: string;
  expect: boolean | 'reject';
  /** If present, refusing the hash is a correct result as well. */
  acceptable?: unknown[];
  params?: { signerKey?: string; secret?: string; secretHex?: string };
}

interface Sample {
  family: Family;
  hash: string;
  password: string;
  secret: Buffer | undefined;
}

const FOLDER = new URL('../test/hashing/vectors/', import.meta.url);
const settings = Object.fromEntries(OWN_SETTINGS.map(([name, setting]) => [name, setting.default]));

function passwordsWith(secrets: readonly HashingSecret[]): Passwords {
  const registry = buildRegistry({ memoryBudgetBytes: 1024 ** 3, maxMs: 2000 }, secrets);
  const maker = newHashMaker({ algorithm: 'argon2', settings }, registry);
  const gate = new KdfGate({ concurrency: 1, memoryBytes: 1024 ** 3, queueLimit: 1 });
  return new Passwords({ registry, gate, decoys: new Decoys(maker.example, 'any'), maker, wrapMaker: maker });
}

/**
 * Returns hashes of every family that match their password. Passwords that are not text cannot be sent and
 * are left out.
 */
function samples(): Sample[] {
  const files = new Set(readdirSync(FOLDER));
  return FAMILIES.flatMap((family) => {
    const file = `${family.name.replaceAll('_', '-')}.json`;
    if (!files.has(file)) return [];
    const vectors: Vector[] = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
    return vectors.flatMap(({ hash, password, expect, acceptable, params = {} }) => {
      if (expect !== true || acceptable !== undefined || password === undefined) return [];
      const { signerKey, secret, secretHex } = params;
      const bytes =
        (signerKey && Buffer.from(signerKey, 'base64')) ||
        (secretHex && Buffer.from(secretHex, 'hex')) ||
        (secret && Buffer.from(secret, 'utf8')) ||
        undefined;
      return [{ family, hash, password, secret: bytes }];
    });
  });
}

/** Returns the names of the matching families, in order. */
async function named({ family, hash, password, secret }: Sample): Promise<string[]> {
  const passwords = passwordsWith(
    secret === undefined ? [] : [{ id: undefined, algorithm: family.name, bytes: secret }],
  );
  try {
    const { matches = [] } = await verifyPasswordHash({ passwords }, { passwordHash: hash, password });
    return matches.map((one) => one.algorithm);
  } catch {
    return [];
  }
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

function rateRow(what: string, hits: number, all: number, aim: number): Row {
  const ratio = hits / all;
  const sign = aim === 1 ? '=' : '≥';
  return {
    what,
    measured: percent(ratio),
    limit: `${all} hashes`,
    ratio,
    aim: `${sign} ${aim.toFixed(2)}`,
    met: ratio >= aim,
  };
}

/**
 * Identifies every hash of the test vectors by its password, without naming its algorithm. Needs no service.
 * Reports how often the right family comes first, and how often it is named at all. Also measures a bad line
 * of an import beside a good one.
 */
export async function benchIdentify(): Promise<Row[]> {
  const all = samples();
  const found = { first: 0, among: 0, secretless: 0 };
  const misses = new Map<string, number>();
  for (const sample of all) {
    const names = await named(sample);
    const { name, secret } = sample.family;
    if (names[0] === name) found.first += 1;
    else {
      const miss = `${name}: ${names.join(', ') || 'none'}`;
      misses.set(miss, (misses.get(miss) ?? 0) + 1);
    }
    if (secret !== undefined) continue;
    found.secretless += 1;
    if (names.includes(name)) found.among += 1;
  }
  for (const [miss, times] of misses) console.log(`identify, not first: ${miss} (${times})`);
  return [
    rateRow('right family named first', found.first, all.length, 0.95),
    rateRow('right family among the named, without a secret', found.among, found.secretless, 1),
    ...badLines(),
  ];
}

/**
 * Lines without an algorithm that are refused, by the reason. Each line has different text, as hostile lines
 * would.
 */
const BAD_LINES: Record<string, (line: number) => [string, string?]> = {
  'fits nothing': (line) => [`hunter${line}`],
  'unknown scheme': (line) => [`{SCHEME${line}}abc`],
  'fits many families': (line) => [line.toString(16).padStart(32, '0')],
  'fits many salted families': (line) => [`${line.toString(16).padStart(32, '0')}:salt`],
  'unknown algorithm': (line) => ['any', `sha${line}-crypt`],
};

/**
 * A good line takes at least 25 µs, which is 40,000 lines a second. A bad one may take a few times that, if
 * it is bounded.
 */
const AIM_US = 100;

function badLines(): Row[] {
  const { registry } = passwordsWith([]);
  const good = microseconds(() => acceptHash(registry, HASHES.argon2));
  return Object.entries(BAD_LINES).map(([what, make]) => {
    const bad = microseconds((line) => {
      try {
        acceptHash(registry, ...make(line));
      } catch {}
    });
    return {
      what: `refusal of a hash that ${what}`,
      measured: `${bad.toFixed(1)} µs`,
      limit: `good line: ${good.toFixed(1)} µs`,
      ratio: bad / AIM_US,
      aim: `≤ ${AIM_US} µs`,
      met: bad <= AIM_US,
    };
  });
}

const LINES = 20_000;

function microseconds(run: (line: number) => void): number {
  for (let line = 0; line < LINES; line += 1) run(line);
  const start = performance.now();
  for (let line = 0; line < LINES; line += 1) run(line);
  return ((performance.now() - start) * 1000) / LINES;
}
