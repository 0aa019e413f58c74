import { type Static, Type } from '@sinclair/typebox';
import {
  IMPORT_STATUS,
  type ImportRecord,
  type ImportStatus,
  ROLLBACK_COUNTS,
  type RollbackCounts,
} from '../../imports/import-history.ts';
import { IMPORT_ID, MATCH_BY, ON_CONFLICT } from '../../imports/import-request.ts';
import { classTotals, HASH_CLASSES, listHashes } from '../../imports/resolve/imported-hashes.ts';
import { linesOf } from '../../imports/resolve/outcome.ts';

export const ImportIdField = Type.String({ pattern: IMPORT_ID.source, minLength: 1, maxLength: 64 });

const Count = Type.Integer();
const Time = (description: string) => Type.Integer({ description: `${description}; ms since the epoch` });

export const RollbackJson = Type.Unsafe<RollbackCounts>(
  Type.Object(Object.fromEntries(ROLLBACK_COUNTS.map((name) => [name, Count])), {
    description:
      '`…Kept`: left unchanged, because it was used or changed since the import. `hashesKept` also counts hashes that no longer exist.',
  }),
);

const HashClass = Type.Unsafe<(typeof HASH_CLASSES)[number]>(Type.String({ enum: [...HASH_CLASSES] }));

export const ImportJson = Type.Object({
  importId: Type.String(),
  name: Type.Optional(Type.String({ description: 'What people call the import. Sent with the stream.' })),
  apiKeyName: Type.String({ description: 'Name of the API key that began the import.' }),
  dryRun: Type.Boolean(),
  onConflict: Type.String({ enum: [...ON_CONFLICT] }),
  matchBy: Type.String({ enum: [...MATCH_BY], description: 'How lines find users who exist.' }),
  source: Type.Optional(Type.String({ description: 'Name of the system from which the lines come.' })),
  trustExternalIds: Type.Optional(
    Type.Boolean({ description: 'Whether the external id of a line is enough to find a user.' }),
  ),
  deleteMissing: Type.Optional(
    Type.Integer({ description: 'Maximum number of missing users that the import may remove.' }),
  ),
  missing: Type.Optional(
    Type.Object(
      { found: Count, removed: Count, kept: Count },
      {
        description:
          'Missing users: users of earlier imports of the source whom no line names. `kept`: not removed, because they were active here.',
      },
    ),
  ),
  hashingSecretId: Type.Optional(Type.String({ description: 'Value sent with the stream.' })),
  startedAt: Time('Time when the import began'),
  finishedAt: Type.Optional(Time('Time when the import reached the end of its lines')),
  rolledBackAt: Type.Optional(Time('Time when its rollback began')),
  expiredAt: Type.Optional(Time('Time from which the import can be neither resumed nor rolled back')),
  status: Type.Unsafe<ImportStatus>(
    Type.String({
      enum: [...IMPORT_STATUS],
      description:
        '`UNFINISHED`: the import is running, or was interrupted and can be resumed. `ROLLBACK_UNFINISHED`: its rollback is running, or was interrupted and can be resumed.',
    }),
  ),
  running: Type.Boolean({
    description:
      'Whether a request is sending lines. Stays true if the instance was killed; `updatedAt` then no longer changes.',
  }),
  updatedAt: Type.Optional(
    Time(
      'Time of the last record, which is written several times a second while the import runs (once a second for a dry run)',
    ),
  ),
  total: Type.Optional(
    Type.Integer({ description: 'Number of lines that the sender announced, without blank lines.' }),
  ),
  lines: Type.Integer({ description: 'Number of lines done so far, without blank lines.' }),
  created: Count,
  updated: Count,
  skipped: Count,
  failed: Count,
  failuresByCode: Type.Record(Type.String(), Count, {
    description:
      'Number of failed lines by error code. `GET /bulk-import/imports/{importId}/failures` lists the lines.',
  }),
  algorithms: Type.Record(Type.String(), Count, {
    description:
      'Number of logins written, by algorithm of their hash; `thirdparty` for logins without a hash.',
  }),
  classes: Type.Object(
    { strong: Count, legacy: Count, broken: Count },
    { description: 'Number of hashes among these logins, by class: how hard they are to guess today.' },
  ),
  hashes: Type.Array(Type.Object({ algorithm: Type.String(), class: HashClass, count: Count }), {
    description: 'Number of hashes by algorithm and class.',
  }),
  durationMs: Type.Integer({
    description: 'Total duration of all runs so far. A run that was killed counts until its last record.',
  }),
  linesPerSecond: Type.Integer({ description: '0 if the duration is 0.' }),
  rollback: Type.Optional(RollbackJson),
});

export function importJson(record: ImportRecord): Static<typeof ImportJson> {
  const { startedAtMs, finishedAtMs, rolledBackAtMs, expiredAtMs, outcomes, durationMs, rollback } = record;
  const lines = linesOf(outcomes);
  return {
    importId: record.importId,
    ...(record.name !== undefined && { name: record.name }),
    apiKeyName: record.keyName,
    dryRun: record.dryRun,
    onConflict: record.onConflict,
    matchBy: record.matchBy,
    ...(record.source !== undefined && { source: record.source }),
    ...(record.trustExternalIds && { trustExternalIds: true }),
    ...(record.deleteMissing !== undefined && { deleteMissing: record.deleteMissing }),
    ...(record.missing && { missing: record.missing }),
    ...(record.hashingSecretId !== undefined && { hashingSecretId: record.hashingSecretId }),
    startedAt: startedAtMs,
    ...(finishedAtMs !== undefined && { finishedAt: finishedAtMs }),
    ...(rolledBackAtMs !== undefined && { rolledBackAt: rolledBackAtMs }),
    ...(expiredAtMs !== undefined && { expiredAt: expiredAtMs }),
    status: record.status,
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
