import { Readable } from 'node:stream';
import { type Static, Type } from '@sinclair/typebox';
import { v7 as uuidv7 } from 'uuid';
import {
  changesUsers,
  DEFAULT_MATCH_BY,
  DEFAULT_ON_CONFLICT,
  IMPORT_ID,
  type ImportRequest,
  MATCH_BY,
  ON_CONFLICT,
  type OnConflict,
  SOURCE,
} from '../../imports/import-request.ts';
import { assertResumable } from '../../imports/stream/replay.ts';
import { runImport } from '../../imports/stream/run-import.ts';
import type { AppError, ErrorCode } from '../../lib/errors.ts';
import { requireSecret } from '../../passwords/accept-hash.ts';
import { exportUsers } from '../../users/export-users.ts';
import { MAX_CHARACTERS } from '../../users/user.ts';
import { ImportIdField } from '../protocol/import-json.ts';
import { QueryField, queryInvalid, readCount, readMatching, readName, readOneOf } from '../protocol/query.ts';
import { clientGone } from '../server/connections.ts';
import { requireRight } from '../server/route-checks.ts';
import { SenderClock, sendReport, streamedBody } from '../server/streamed.ts';
import { defineRoute, lines } from './define-route.ts';

const ImportQuery = Type.Object({
  dryRun: QueryField(
    '`true`: checks everything and reports the same, but writes nothing.',
    Type.Boolean({ default: false }),
  ),
  onConflict: QueryField(
    'How to treat a user who exists: `update-unchanged` (default; keeps what users or calls have changed here since), `overwrite`, `skip`, `fail`.',
    Type.String({ enum: [...ON_CONFLICT], default: DEFAULT_ON_CONFLICT }),
  ),
  matchBy: QueryField(
    'How a line finds an existing user: `login` (default; the address of a password, or the third-party identity), or `externalId` (the same external id is the same user, also with another address; metadata and verified flags are updated, too).',
    Type.String({ enum: [...MATCH_BY], default: DEFAULT_MATCH_BY }),
  ),
  source: QueryField(
    'Name of the system or installation that the lines come from. With `matchBy=externalId` only users whom imports of the same source created are found.',
    Type.String({ pattern: SOURCE.source, minLength: 1, maxLength: 128 }),
  ),
  trustExternalIds: QueryField(
    '`true`: with `matchBy=externalId`, the external id of a line is enough to find a user. Otherwise an address, a login, the hash or the time of joining must agree as well, or the line fails with `OTHER_PERSON`.',
    Type.Boolean({ default: false }),
  ),
  deleteMissing: QueryField(
    'Maximum number of missing users to remove: users of earlier imports of the same `source` whom no line names. If more are missing, nobody is removed. Only with `matchBy=externalId`, a `source`, and `onConflict` `update-unchanged` (keeps users who have been active here) or `overwrite`. A line `{"externalUserId":"…"}` then shows that a user is not missing.',
    Type.Integer({ minimum: 0, maximum: 999_999_999_999_999 }),
  ),
  hashingSecretId: QueryField(
    'Id in `hashing_secrets` of the secret with which the hashes were made, for lines that name none and whose algorithm takes one.',
    Type.String({ minLength: 1, maxLength: MAX_CHARACTERS.hashingSecretId }),
  ),
  total: QueryField(
    'Number of lines, without blank lines, for displaying the progress. It has no other effect, and may differ when the import is resumed.',
    Type.Integer({ minimum: 0, maximum: 999_999_999_999_999 }),
  ),
  name: QueryField(
    'What people call the import, such as its system and files. Only shown, and may differ when the import is resumed.',
    Type.String({ minLength: 1, maxLength: 256 }),
  ),
  importId: QueryField('Id of the import to resume or to begin.', ImportIdField),
});

/** Errors that can end an answer which has begun, in place of the summary. */
const STREAM_ERRORS: readonly ErrorCode[] = [
  'BODY_TOO_LARGE',
  'IMPORT_EXPIRED',
  'IMPORT_TAKEN_OVER',
  'INTERNAL',
  'OVERLOADED',
  'REQUEST_MALFORMED',
  'REQUEST_TIMEOUT',
  'SHUTTING_DOWN',
  'STORAGE_UNAVAILABLE',
];

export const importStreamRoute = defineRoute({
  tags: ['import'],
  summary: 'Imports users, one per line, and reports the result of each line',
  description:
    'Body and answer are NDJSON, and are sent at the same time: read the answer while you send. The answer has a line for each line, in order, after it was committed, and ends with `{"summary":{…},"importId":"…"}`. If the summary is missing, send the same lines again with the same `importId`, which the header `import-id` also has.',
  query: ImportQuery,
  body: lines('One user per line: the body of a single import, or a user with its login methods.'),
  answer: lines(
    `One result per line, then the summary. If the import cannot be finished, an error in place of the summary: ${STREAM_ERRORS.join(', ')}.`,
  ),
  errors: ['HASHING_SECRET_MISSING', 'IMPORT_EXPIRED', 'IMPORT_OPTIONS_DIFFER', 'IMPORT_ROLLED_BACK'],
  stopMessage: 'The service is stopping: send the stream again with the same importId',
}).handle(async (request, deps, reply) => {
  const { imports, passwords, seal, bulk } = deps;
  // The connection is closed if the import is refused, so that the service need not wait for a long body.
  void reply.header('connection', 'close');
  const query = readImportQuery(request.query, passwords.registry);
  // A dry run requires the right, too. It would otherwise promise what the import then refuses.
  if (query.deleteMissing !== undefined) requireRight(request, 'manage');
  const options = { ...query, keyName: request.apiKeyName ?? '' };
  const broken = new AbortController();
  request.raw.once('malformed', (problem: AppError) => broken.abort(problem));
  const signal = AbortSignal.any([deps.stopping, broken.signal, clientGone(reply)]);
  const clock = new SenderClock(bulk.idleMs);
  const body = streamedBody(request, { clock, signal });
  // The limit comes last, so that a client with an invalid request learns of the mistake first.
  deps.admit(reply);
  await assertResumable(options.importId, { imports, seal });
  const run = await deps.beginner.begin(options, signal);
  const streamDeps = {
    ...deps,
    maxLineBytes: bulk.maxLineBytes,
    meter: deps.streamMeter,
    whileProcessing: clock.whilePaused,
  };
  const report = runImport(streamDeps, options, run, body, signal);
  void reply.removeHeader('connection');
  return sendReport(reply, report, { importId: run.importId }, clock);
});

const IMPORT_ID_RULE = '1 to 64 of A-Z a-z 0-9 . _ -, and not . or ..';
const SOURCE_RULE = '1 to 128 printable ASCII characters without spaces';

/**
 * @throws {AppError} QUERY_INVALID; HASHING_SECRET_MISSING, because otherwise each of millions of lines would
 * fail
 */
function readImportQuery(
  query: Static<typeof ImportQuery>,
  registry: Parameters<typeof requireSecret>[0],
): Omit<ImportRequest, 'keyName'> {
  requireSecret(registry, query.hashingSecretId);
  const onConflict = readOneOf('onConflict', ON_CONFLICT, query.onConflict ?? DEFAULT_ON_CONFLICT);
  return {
    importId: readMatching('importId', query.importId ?? uuidv7(), IMPORT_ID, IMPORT_ID_RULE),
    dryRun: readBoolean('dryRun', query.dryRun),
    onConflict,
    matchBy: readOneOf('matchBy', MATCH_BY, query.matchBy ?? DEFAULT_MATCH_BY),
    ...(query.source !== undefined && { source: readMatching('source', query.source, SOURCE, SOURCE_RULE) }),
    ...(readTrust(query) && { trustExternalIds: true }),
    ...(query.deleteMissing !== undefined && { deleteMissing: readDeleteMissing(query, onConflict) }),
    ...(query.hashingSecretId !== undefined && { hashingSecretId: query.hashingSecretId }),
    ...(query.total !== undefined && { total: readCount('total', query.total) }),
    ...(query.name !== undefined && { name: readName('name', query.name) }),
  };
}

const readBoolean = (name: string, value = 'false'): boolean =>
  readMatching(name, value, /^(?:true|false)$/, 'true or false') === 'true';

function readTrust({ trustExternalIds, matchBy }: Static<typeof ImportQuery>): boolean {
  const isTrusted = readBoolean('trustExternalIds', trustExternalIds);
  if (!isTrusted || matchBy === 'externalId') return isTrusted;
  throw queryInvalid('trustExternalIds', 'it needs matchBy=externalId');
}

function readDeleteMissing(
  { deleteMissing = '', matchBy, source }: Static<typeof ImportQuery>,
  onConflict: OnConflict,
): number {
  const isApt = matchBy === 'externalId' && source !== undefined && changesUsers(onConflict);
  if (isApt) return readCount('deleteMissing', deleteMissing);
  throw queryInvalid(
    'deleteMissing',
    'it needs matchBy=externalId, a source, and onConflict update-unchanged or overwrite',
  );
}

const FACTORS = ['keep', 'omit'] as const;

export const exportStreamRoute = defineRoute({
  tags: ['export'],
  summary: 'Exports all users with their hashes, one per line, in the form of an import stream',
  description:
    'The users as of one moment, in no particular order. The last line is `{"export":{"users":…,"sha256":"…"}}`, with the number and the SHA-256 of the other lines. If it is missing, the export is incomplete. An import stream skips this line. TOTP devices, roles and phone numbers are decrypted, unless `factors=omit` leaves them out.',
  query: Type.Object({
    factors: QueryField(
      'Whether TOTP devices, roles and phone numbers are exported.',
      Type.String({ enum: [...FACTORS], default: 'keep' }),
    ),
  }),
  answer: lines(
    'One user per line, then the number and digest of these lines. If the export cannot be finished, an error in place of the last line: FACTORS_SECRET_MISSING, INTERNAL, REQUEST_TIMEOUT, SHUTTING_DOWN, STORAGE_UNAVAILABLE.',
  ),
  errors: ['EXPORT_UNAVAILABLE', 'FACTORS_SECRET_MISSING'],
  stopMessage: 'The service is stopping: start the export again',
}).handle(async (request, { exports, vault, bulk, stopping }, reply) => {
  // The answer to a HEAD request has no lines, so no users are read for it.
  if (request.method === 'HEAD')
    return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from([]));
  const factors = readOneOf('factors', FACTORS, request.query.factors ?? 'keep');
  const running = await exportUsers(exports, {
    keyName: request.apiKeyName ?? '',
    signal: AbortSignal.any([stopping, clientGone(reply)]),
    maxMinutes: bulk.exportMinutes,
    vault: factors === 'omit' ? undefined : vault,
  });
  request.log.info({ exportId: running.exportId, apiKeyName: request.apiKeyName }, 'an export began');
  return sendReport(reply, running.lines, { exportId: running.exportId });
});
