import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../src/config/schema.ts';
import { parseOnlyRegistry } from '../../src/hashing/registry.ts';
import type { ReadOptions, SourceFile, SourceRecord, TableHead } from '../../src/sources/containers/table.ts';
import { choosePlan } from '../../src/sources/pipeline/choose-plan.ts';
import { type LoadDeps, loadUsers } from '../../src/sources/pipeline/load-users.ts';
import type { Plan } from '../../src/sources/pipeline/plan.ts';
import { surveyFile } from '../../src/sources/pipeline/survey-file.ts';
import { Tally } from '../../src/sources/pipeline/tally.ts';
import type { Verdict } from '../../src/sources/pipeline/verdict.ts';
import type { Form } from '../../src/sources/source.ts';
import type { UserDecisions } from '../../src/sources/source-user.ts';
import { words } from '../../src/sources/systems/declare.ts';
import { declarationOf } from '../support/docs/system-blocks.ts';
import { fastDirectory } from '../support/scratch.ts';

export const SAMPLES = fileURLToPath(new URL('samples', import.meta.url));

export interface ExpectedUser {
  /** Null if the user is only in another file. Then `hashRow` is the row there. */
  row: number | null;
  hashRow?: number;
  result: 'import' | 'skip' | 'conflict' | 'error';
  reason?: string;
  externalUserId: string | null;
  email: string | null;
  emailVerified: boolean | null;
  timeJoined: number | null;
  password: string | null;
  hash: { family: string; signerKey?: string } | null;
  plainTextPassword?: string;
  thirdParty: { thirdPartyId: string; thirdPartyUserId: string; email?: string; isVerified?: boolean }[];
  metadataHas?: Record<string, unknown>;
  alsoRight?: string[];
  /** Whether the system asked for more than the password. */
  secondFactor?: true;
  /** Members of the line that `--mfa keep` adds. */
  factors?: Record<string, unknown>;
  /** Set if the row has a login although `hash` is null, because nobody signs in with it. */
  hasLogin?: true;
  /** Outcome with `--disabled keep --without-password keep`, where it is not an import. */
  kept?: { result: 'skip' | 'conflict'; reason: string };
}

/** Files that belong together, with the expected outcome of each row. */
export interface Sample {
  system: string;
  files: readonly SourceFile[];
  detect: string;
  /** The system that the operator names, where its tables do not prove it. */
  from?: string | undefined;
  options: Readonly<Record<string, string>>;
  /** What the operator says about how to read the files. */
  read: ReadOptions;
  decisions: Pick<UserDecisions, 'sharedAddress'>;
  hashingSecrets: NonNullable<Config['hashing_secrets']>;
  users: readonly ExpectedUser[];
}

interface Expectations {
  exports: {
    files: string[];
    detect: string;
    from?: string;
    options?: Record<string, string | number> &
      Pick<ReadOptions, 'csv'> &
      Pick<UserDecisions, 'sharedAddress'>;
    hashingSecrets?: Sample['hashingSecrets'];
    users: ExpectedUser[];
  }[];
}

export const fileOf = (path: string): SourceFile => ({ name: path, open: () => createReadStream(path) });

/** Returns the columns that reading the first users of a table reads. */
export function columnsReadOf({ surveys, uses, settings }: Plan, table: TableHead): ReadonlySet<string> {
  const read = new Set<string>();
  const watched = (record: SourceRecord) =>
    new Proxy(record, {
      get(target, name) {
        if (typeof name === 'string') read.add(name);
        return Reflect.get(target, name);
      },
    });
  const tables = surveys.flatMap((survey) => survey.tables);
  const none = { ruled: new Set<string>(), details: () => [], hasDetail: () => false };
  const context = {
    ...none,
    unreadable: () => {},
    drop: () => {},
    nowMs: Date.now(),
    table,
    tables,
    settings,
  };
  for (const record of table.first) uses.get(table)?.form.read(watched(record), context);
  return read;
}

/** Returns the columns of a table of users that its system declares to have no use, and does not read. */
export function unusedColumnsOf(plan: Plan, table: TableHead, form: Form): ReadonlySet<string> {
  const { unused = [] } = declarationOf(form) ?? {};
  const read = columnsReadOf(plan, table);
  const names = typeof unused === 'string' ? words(unused) : unused;
  return new Set(names.filter((name) => !read.has(name)));
}

/** Reads one sample for each set of files. */
export function readSamples(): Sample[] {
  return readdirSync(SAMPLES).flatMap((system) => {
    const text = readFileSync(join(SAMPLES, system, 'expected.json'), 'utf8');
    const { exports }: Expectations = JSON.parse(text);
    return exports.map(
      ({
        files,
        detect,
        from,
        options: { csv, sharedAddress, ...options } = {},
        hashingSecrets = [],
        users,
      }) => ({
        system,
        files: files.map((file) => ({ ...fileOf(join(SAMPLES, system, file)), name: file })),
        detect,
        from,
        options: Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)])),
        read: csv === undefined ? {} : { csv },
        decisions: { sharedAddress },
        hashingSecrets,
        users,
      }),
    );
  });
}

/** Returns the plan that the pipeline makes for these files. */
export async function planOf({
  files,
  from,
  options,
  read = {},
}: Pick<Sample, 'files' | 'from' | 'options'> & { read?: ReadOptions }): Promise<Plan> {
  const surveys = await Promise.all(files.map((file) => surveyFile(file, read)));
  const plan = choosePlan(surveys, { from, settings: options });
  if ('noPlan' in plan) throw new Error(plan.noPlan);
  return plan;
}

/** Returns what loading needs, with the defaults of the command line. */
export const depsOf = (changes: Partial<LoadDeps> = {}): LoadDeps => ({
  registry: parseOnlyRegistry(),
  nowMs: Date.now(),
  disabled: 'skip',
  withoutPassword: 'skip',
  mfa: undefined,
  verifiedByDefault: false,
  providers: {},
  tally: new Tally(),
  tempDirectory: fastDirectory(),
  keepsOriginals: true,
  ...changes,
});

/** Returns the verdict on each row. */
export async function verdictsOf(plan: Plan, changes: Partial<LoadDeps> = {}): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const loaded = await loadUsers(plan, depsOf(changes));
  try {
    for await (const batch of loaded.verdicts()) verdicts.push(...batch);
  } finally {
    loaded.close();
  }
  return verdicts;
}
