import { createHash } from 'node:crypto';
import type { Pipeline } from '../../src/cli/pipeline.ts';
import {
  BadRecord,
  type ContainerName,
  FileProblem,
  type SourceFile,
  type SourceRecord,
  type TableHead,
} from '../../src/sources/containers/table.ts';
import { loadUsers } from '../../src/sources/pipeline/load-users.ts';
import type { Plan, Survey } from '../../src/sources/pipeline/plan.ts';
import { queryFiles } from '../../src/sources/pipeline/query-files.ts';
import type { Advice, Form, Source } from '../../src/sources/source.ts';
import type { SourceUser } from '../../src/sources/source-user.ts';

/** A line of a toy file. */
interface ToyRecord {
  id?: string;
  email?: string;
  hash?: string;
  algorithm?: string;
  plain?: string;
  state?: SourceUser['state'];
  google?: string;
  saml?: string;
  roles?: boolean;
  bannedUntil?: number;
}

const FORM: Form = {
  name: 'toy-ndjson',
  isUsers: () => true,
  known: 'all',
  read(record, { drop, nowMs, settings }) {
    const { id, email, hash, algorithm, plain, state, google, saml, roles, bannedUntil } =
      record as ToyRecord;
    if (roles) drop('roles');
    const domain = settings.emailDomain;
    return {
      externalUserId: id,
      email:
        email === undefined || domain === undefined || email.includes('@') ? email : `${email}@${domain}`,
      timeJoinedMs: 1_600_000_000_000,
      state: bannedUntil !== undefined && bannedUntil > nowMs ? 'DISABLED' : state,
      ...(hash !== undefined && { password: { encoded: hash, algorithm } }),
      ...(plain !== undefined && { password: { plainText: plain } }),
      identities: [
        ...(google === undefined ? [] : [{ provider: 'google.com', userId: google }]),
        ...(saml === undefined ? [] : [{ provider: 'corp', userId: saml, isSso: true }]),
      ],
    };
  },
};

const SOURCE: Source = {
  name: 'toy',
  title: 'Toy exports',
  forms: [FORM],
  settings: { emailDomain: 'x', map: 'x', hash: 'x' },
};

/** Parses a whole file of JSON lines. For small files only. */
async function linesOf(file: SourceFile): Promise<string[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return Buffer.concat(chunks)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function recordOf(line: string) {
  try {
    return JSON.parse(line) as SourceRecord;
  } catch {
    return new BadRecord('JSON_INVALID', 'the line is not JSON');
  }
}

const BATCH = 100;

/**
 * Returns a pipeline with one made-up system, whose files are lines of `ToyRecord`. Everything after the
 * survey is the real code.
 */
export const toyPipeline = (advice: readonly Advice[] = []): Pipeline => ({
  async surveyFile(file, options): Promise<Survey> {
    const text = (await linesOf(file)).join('\n');
    if (text.startsWith('BROKEN')) throw new FileProblem('FILE_UNKNOWN', 'The file is of no known kind.');
    const table: TableHead = {
      container: 'json' as ContainerName,
      name: options.jsonPath ?? '',
      columns: new Set(['id', 'email', 'hash']),
      first: [],
      root: {},
    };
    return {
      name: file.name,
      container: 'json',
      tables: [table],
      digest: createHash('sha256').update(text).digest('hex'),
      ...(file.sizeBytes !== undefined && { sizeBytes: file.sizeBytes }),
      async *read() {
        const lines = await linesOf(file);
        for (let at = 0; at < lines.length; at += BATCH) {
          yield { table, firstRow: at + 1, records: lines.slice(at, at + BATCH).map(recordOf) };
        }
      },
    };
  },
  choosePlan(surveys, { from, settings }) {
    if (from !== undefined && from !== SOURCE.name)
      return { noPlan: `--from ${from}: there is no such system.` };
    const uses = surveys.map(() => new Map([['', { form: FORM, as: 'users' as const }]]));
    const plan: Plan = { source: SOURCE, forms: [FORM], surveys, uses, settings, advice };
    return plan;
  },
  loadUsers,
  queryFiles,
});
