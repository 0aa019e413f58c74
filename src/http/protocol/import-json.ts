import { type Static, Type } from '@sinclair/typebox';
import {
  type ImportRecord,
  ROLLBACK_COUNTS,
  type RollbackCounts,
} from '../../imports/history/import-history.ts';
import { IMPORT_ID, MATCH_BY, ON_CONFLICT } from '../../imports/import-request.ts';
import { classTotals, HASH_CLASSES, listHashes } from '../../imports/resolve/hash-counts.ts';
import { linesOf } from '../../imports/resolve/outcome.ts';

export const ImportIdField = Type.String({ pattern: IMPORT_ID.source, minLength: 1, maxLength: 64 });

const Count = Type.Integer();
const Time = (description: string) => Type.Integer({ description: `${description}; ms since the epoch` });

export const RollbackJson = Type.Unsafe<RollbackCounts>(
  Type.Object(Object.fromEntries(ROLLBACK_COUNTS.map((name) => [name, Count])), {
    description:
      'Kept: left as it is, as it was used or changed since the import; a hash also where it is gone.',
  }),
);

const HashClass = Type.Unsafe<(typeof HASH_CLASSES)[number]>(Type.String({ enum: [...HASH_CLASSES] }));

const STATUS = ['UNFINISHED', 'FINISHED', 'ROLLBACK_UNFINISHED', 'ROLLED_BACK'] as const;

/** An import in answers. */
export const ImportJson = Type.Object({
  importId: Type.String(),
  apiKeyName: Type.String({ description: 'Of the key it was begun with.' }),
  dryRun: Type.Boolean(),
  onConflict: Type.String({ enum: [...ON_CONFLICT] }),
  matchBy: Type.String({ enum: [...MATCH_BY], description: 'How lines find users who exist.' }),
  source: Type.Optional(Type.String({ description: 'Name of the system that the lines come from.' })),
  deleteMissing: Type.Optional(
    Type.Integer({ description: 'How many users it may remove because no line names them.' }),
  ),
  missing: Type.Optional(
    Type.Object(
      { found: Count, removed: Count, kept: Count },
      {
        description:
          'Users of earlier imports of the source whom no line names; kept: they were active here.',
      },
    ),
  ),
  hashingSecretId: Type.Optional(Type.String({ description: 'As it was sent with the stream.' })),
  startedAt: Time('When it was begun'),
  finishedAt: Type.Optional(Time('When it came to the end of its lines')),
  rolledBackAt: Type.Optional(Time('When its rollback began')),
  expiredAt: Type.Optional(Time('Since when it can be neither resumed nor rolled back')),
  status: Type.Unsafe<(typeof STATUS)[number]>(
    Type.String({
      enum: [...STATUS],
      description:
        '`UNFINISHED`: it runs, or broke off and can be resumed. `ROLLBACK_UNFINISHED`: likewise its rollback.',
    }),
  ),
  running: Type.Boolean({
    description:
      'A request sends its lines right now. Of an instance that was killed it stays true: then `updatedAt` stands still.',
  }),
  updatedAt: Type.Optional(
    Time('When something of it was recorded last, some times a second while it runs (a dry run: once)'),
  ),
  total: Type.Optional(
    Type.Integer({ description: 'How many lines its sender announced, blank ones not counted.' }),
  ),
  lines: Type.Integer({ description: 'Done so far, blank ones not counted.' }),
  created: Count,
  updated: Count,
  skipped: Count,
  failed: Count,
  failuresByCode: Type.Record(Type.String(), Count, {
    description: 'The failed lines by code: which, `GET /bulk-import/imports/{importId}/failures` tells.',
  }),
  algorithms: Type.Record(Type.String(), Count, {
    description: 'Logins written, by algorithm of their hash; `thirdparty` for those without one.',
  }),
  classes: Type.Object(
    { strong: Count, legacy: Count, broken: Count },
    { description: 'Of these, the hashes, by class: how hard they are to guess today.' },
  ),
  hashes: Type.Array(Type.Object({ algorithm: Type.String(), class: HashClass, count: Count }), {
    description: 'The same by algorithm and class.',
  }),
  durationMs: Type.Integer({
    description:
      'How long its runs took so far. A run that was killed is counted until something of it was recorded last.',
  }),
  linesPerSecond: Type.Integer({ description: '0 where the duration is 0.' }),
  rollback: Type.Optional(RollbackJson),
});

export function importJson(record: ImportRecord): Static<typeof ImportJson> {
  const { startedAtMs, finishedAtMs, rolledBackAtMs, expiredAtMs, outcomes, durationMs, rollback } = record;
  const lines = linesOf(outcomes);
  return {
    importId: record.importId,
    apiKeyName: record.keyName,
    dryRun: record.dryRun,
    onConflict: record.onConflict,
    matchBy: record.matchBy,
    ...(record.source !== undefined && { source: record.source }),
    ...(record.deleteMissing !== undefined && { deleteMissing: record.deleteMissing }),
    ...(record.missing && { missing: record.missing }),
    ...(record.hashingSecretId !== undefined && { hashingSecretId: record.hashingSecretId }),
    startedAt: startedAtMs,
    ...(finishedAtMs !== undefined && { finishedAt: finishedAtMs }),
    ...(rolledBackAtMs !== undefined && { rolledBackAt: rolledBackAtMs }),
    ...(expiredAtMs !== undefined && { expiredAt: expiredAtMs }),
    status: statusOf(record),
    running: record.isRunning,
    ...(record.updatedAtMs !== undefined && { updatedAt: record.updatedAtMs }),
    ...(record.total !== undefined && { total: record.total }),
    lines,
    ...outcomes,
    failuresByCode: record.failures,
    algorithms: record.algorithms,
    classes: classTotals(record.hashes),
    hashes: listHashes(record.hashes),
    durationMs,
    linesPerSecond: durationMs > 0 ? Math.round((lines * 1000) / durationMs) : 0,
    ...(rollback && { rollback }),
  };
}

function statusOf(record: ImportRecord): (typeof STATUS)[number] {
  if (record.isRollbackFinished) return 'ROLLED_BACK';
  if (record.rolledBackAtMs !== undefined) return 'ROLLBACK_UNFINISHED';
  return record.finishedAtMs === undefined ? 'UNFINISHED' : 'FINISHED';
}
