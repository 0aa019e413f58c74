import { Type } from '@sinclair/typebox';
import {
  IMPORT_STATUS,
  type ImportRecord,
  ROLLBACK_COUNTS,
  type RollbackCounts,
} from '../../imports/import-history.ts';
import { IMPORT_ID, MATCH_BY, ON_CONFLICT } from '../../imports/import-request.ts';
import { classTotals, HASH_CLASSES, listHashes } from '../../imports/resolve/imported-hashes.ts';
import { linesOf } from '../../imports/resolve/outcome.ts';
import { flag, integer, oneOf, optional, string } from './schema.ts';

export const ImportIdField = Type.String({ pattern: IMPORT_ID.source, minLength: 1, maxLength: 64 });

const Count = Type.Integer();
const time = (what: string) => integer(`${what}; ms since the epoch`);

export const RollbackJson = Type.Unsafe<RollbackCounts>(
  Type.Object(
    {
      ...Object.fromEntries(ROLLBACK_COUNTS.map((name) => [name, Count])),
      keptUserIds: optional(
        Type.Array(Type.String(), {
          description:
            'The first users of whom something was kept, at most 100: the external id, or the id if there is none.',
        }),
      ),
    },
    {
      description:
        '`…Kept`: left unchanged, because it was used or changed since the import. `hashesKept` also counts hashes that no longer exist.',
    },
  ),
);

export const ImportJson = Type.Object({
  importId: Type.String(),
  name: optional(string('What people call the import. Sent with the stream.')),
  apiKeyName: string('Name of the API key that began the import.'),
  dryRun: Type.Boolean(),
  onConflict: oneOf(ON_CONFLICT),
  matchBy: oneOf(MATCH_BY, { description: 'How lines find users who exist.' }),
  source: optional(string('Name of the system from which the lines come.')),
  trustExternalIds: optional(flag('Whether the external id of a line is enough to find a user.')),
  deleteMissing: optional(integer('Maximum number of missing users that the import may remove.')),
  missing: optional(
    Type.Object(
      { found: Count, removed: Count, kept: Count },
      {
        description:
          'Missing users: users of earlier imports of the source whom no line names. `kept`: not removed, because they were active here.',
      },
    ),
  ),
  hashingSecretId: optional(string('Value sent with the stream.')),
  startedAt: time('Time when the import began'),
  finishedAt: optional(time('Time when the import reached the end of its lines')),
  rolledBackAt: optional(time('Time when its rollback began')),
  expiredAt: optional(time('Time from which the import can be neither resumed nor rolled back')),
  status: oneOf(IMPORT_STATUS, {
    description:
      '`UNFINISHED`: the import is running, or was interrupted and can be resumed. `ROLLBACK_UNFINISHED`: its rollback is running, or was interrupted and can be resumed.',
  }),
  running: flag(
    'Whether a request is sending lines. Stays true if the instance was killed; `updatedAt` then no longer changes.',
  ),
  updatedAt: optional(
    time(
      'Time of the last record, which is written several times a second while the import runs (once a second for a dry run)',
    ),
  ),
  total: optional(integer('Number of lines that the sender announced, without blank lines.')),
  lines: integer('Number of lines done so far, without blank lines.'),
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
  hashes: Type.Array(Type.Object({ algorithm: Type.String(), class: oneOf(HASH_CLASSES), count: Count }), {
    description: 'Number of hashes by algorithm and class.',
  }),
  durationMs: integer(
    'Total duration of all runs so far. A run that was killed counts until its last record.',
  ),
  linesPerSecond: integer('0 if the duration is 0.'),
  rollback: optional(RollbackJson),
});

/**
 * Returns the members of an import for an answer. The schema of the answer leaves out those that `ImportJson` does not
 * name.
 */
export function importJson(record: ImportRecord) {
  const { outcomes, durationMs } = record;
  const lines = linesOf(outcomes);
  return {
    ...record,
    ...outcomes,
    apiKeyName: record.keyName,
    trustExternalIds: record.trustExternalIds || undefined,
    startedAt: record.startedAtMs,
    finishedAt: record.finishedAtMs,
    rolledBackAt: record.rolledBackAtMs,
    expiredAt: record.expiredAtMs,
    running: record.isRunning,
    updatedAt: record.updatedAtMs,
    lines,
    failuresByCode: record.failures,
    classes: classTotals(record.hashes),
    hashes: listHashes(record.hashes),
    linesPerSecond: durationMs > 0 ? Math.round((lines * 1000) / durationMs) : 0,
  };
}
