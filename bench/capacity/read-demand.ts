import { parseArgs } from 'node:util';
import { nearestNames } from '../../src/lib/text/nearest-names.ts';
import { HASHES, type HashName } from './costs.ts';

/** The requested capacity, and the size of the machines. */
export interface Demand {
  /** Final number of users, all of which come by bulk import. */
  users: number;
  /** Sign-ins a second at the peak. Failed sign-ins cost as much as others. */
  signIns: number;
  /** Single imports a second at the peak. */
  singleImports: number;
  /** Shares of the sign-ins by algorithm. Their sum is 1. */
  hashes: Readonly<Partial<Record<HashName, number>>>;
  /** Cores of each node of the service and of Postgres. */
  cores: number;
  /** Memory of each Postgres node. */
  memoryGib: number;
  /** Write rate of the disk of each Postgres node, in MB a second. */
  diskMbs: number;
  /** Maximum duration of the bulk import. */
  importHours: number;
}

export type Asked = { demand: Demand; json: boolean } | { help: true } | { problem: string };

interface NumberFlag {
  help: string;
  from: number;
  to: number;
  whole: boolean;
  /** Default. If undefined, the flag is required. */
  standard?: number;
}

const NUMBERS = {
  users: { help: 'how many there will be', from: 1, to: 1e11, whole: true },
  'sign-ins': { help: 'a second, at the peak', from: 0, to: 1e7, whole: false },
  'single-imports': { help: 'a second, at the peak', from: 0, to: 1e7, whole: false, standard: 0 },
  'cores-per-node': {
    help: 'of nodes of the service and of Postgres',
    from: 1,
    to: 1024,
    whole: true,
    standard: 16,
  },
  'memory-per-node': {
    help: 'of nodes of Postgres, in GiB',
    from: 1,
    to: 65_536,
    whole: false,
    standard: 64,
  },
  'disk-per-node': {
    help: 'what the disk of a node of Postgres writes, in MB a second',
    from: 1,
    to: 1e5,
    whole: false,
    standard: 500,
  },
  'import-hours': {
    help: 'the bulk import must end within',
    from: 0.01,
    to: 10_000,
    whole: false,
    standard: 24,
  },
} satisfies Record<string, NumberFlag>;

type NumberName = keyof typeof NUMBERS;

const NUMBER_NAMES = Object.keys(NUMBERS) as NumberName[];
const HASH_NAMES = Object.keys(HASHES) as HashName[];
const FLAGS = [...NUMBER_NAMES, 'hash', 'json', 'help'] as const;
const TAKES_NOTHING: readonly string[] = ['json', 'help'];

const numberFlag = (name: NumberName): NumberFlag => NUMBERS[name];

export const HELP = `npm run plan -- --users 1e9 --sign-ins 5000

${[
  ...NUMBER_NAMES.map((name) => {
    const { help, standard } = numberFlag(name);
    return [`--${name} N`, `${help} (${standard ?? 'required'})`];
  }),
  [
    '--hash NAME',
    `what passwords are hashed with (bcrypt), or shares: bcrypt=0.7,argon2=0.3; of ${HASH_NAMES.join(', ')}`,
  ],
  ['--json', 'the same as JSON'],
]
  .map(([flag = '', help]) => `  ${flag.padEnd(21)}${help}`)
  .join('\n')}

Numbers may be written 1000000000, 1_000_000_000 or 1e9. What follows is arithmetic from measured costs: docs/capacity.md.
`;

/** Reads the command line. Never throws, whatever it contains. */
export function readDemand(args: readonly string[]): Asked {
  try {
    return demandOf(args);
  } catch (error) {
    if (error instanceof Refused) return { problem: error.message };
    throw error;
  }
}

/** An error with a message for the user. */
class Refused extends Error {}

function demandOf(args: readonly string[]): Asked {
  const given = flagsOf(args);
  if (given.has('help')) return { help: true };
  const number = (name: NumberName): number => {
    const { from, to, whole, standard } = numberFlag(name);
    const text = given.get(name);
    if (text !== undefined) return readNumber(name, text, { from, to, whole });
    if (standard === undefined) throw new Refused(`--${name} is missing: --${name} N.`);
    return standard;
  };
  return {
    demand: {
      users: number('users'),
      signIns: number('sign-ins'),
      singleImports: number('single-imports'),
      hashes: readHashes(given.get('hash') ?? 'bcrypt'),
      cores: number('cores-per-node'),
      memoryGib: number('memory-per-node'),
      diskMbs: number('disk-per-node'),
      importHours: number('import-hours'),
    },
    json: given.has('json'),
  };
}

function flagsOf(args: readonly string[]): Map<string, string> {
  const options = Object.fromEntries(
    FLAGS.map((name) => [name, { type: TAKES_NOTHING.includes(name) ? 'boolean' : 'string' } as const]),
  );
  // Not strict, because the messages of strict mode are for programmers.
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') throw new Refused(`${token.value} belongs to no flag.`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (!FLAGS.some((flag) => flag === name))
      throw new Refused(unknownName(`flag ${rawName}`, name, FLAGS, '--'));
    if (given.has(name)) throw new Refused(`${rawName} is given twice.`);
    const takesNothing = TAKES_NOTHING.includes(name);
    if (takesNothing && value !== undefined) throw new Refused(`${rawName} takes no value.`);
    if (!takesNothing && (value === undefined || value === ''))
      throw new Refused(`${rawName} needs a value.`);
    given.set(name, value ?? '');
  }
  return given;
}

function unknownName(what: string, name: string, known: readonly string[], before = ''): string {
  const [nearest] = nearestNames(known, 0.5)(name);
  return `There is no ${what}.${nearest === undefined ? '' : ` Did you mean ${before}${nearest}?`}`;
}

function readNumber(name: string, text: string, { from, to, whole }: Omit<NumberFlag, 'help'>): number {
  const value = /^\d+(?:_\d+)*(?:\.\d+)?(?:e\d{1,2})?$/i.test(text)
    ? Number(text.replaceAll('_', ''))
    : Number.NaN;
  if (!(value >= from && value <= to) || (whole && !Number.isSafeInteger(value))) {
    const kind = whole ? 'a whole number' : 'a number';
    throw new Refused(`--${name}: expected ${kind} from ${from} to ${to.toLocaleString('en')}, got ${text}.`);
  }
  return value;
}

/** Reads `bcrypt`, or `bcrypt=0.7,argon2=0.3`. Shares are scaled to a sum of 1. */
function readHashes(text: string): Demand['hashes'] {
  const shares = new Map<HashName, number>();
  for (const part of text.split(',')) {
    const [name = '', share = '1', more] = part.split('=');
    const hash = HASH_NAMES.find((one) => one === name);
    if (hash === undefined)
      throw new Refused(`--hash: ${unknownName(`hash called ${name}`, name, HASH_NAMES)}`);
    if (more !== undefined || shares.has(hash))
      throw new Refused(`--hash: expected shares such as bcrypt=0.7,argon2=0.3, got ${text}.`);
    shares.set(hash, readNumber(`hash ${name}`, share, { from: 0, to: 1e9, whole: false }));
  }
  const sum = [...shares.values()].reduce((all, share) => all + share, 0);
  if (sum === 0) throw new Refused('--hash: the shares are all 0.');
  return Object.fromEntries([...shares].map(([name, share]) => [name, share / sum]));
}
