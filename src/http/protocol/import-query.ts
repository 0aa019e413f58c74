import { type Static, Type } from '@sinclair/typebox';
import { v7 as uuidv7 } from 'uuid';
import {
  DEFAULT_ON_CONFLICT,
  IMPORT_ID,
  type ImportRequest,
  ON_CONFLICT,
  type OnConflict,
} from '../../imports/import-request.ts';
import { AppError } from '../../lib/errors.ts';
import { requireSecret } from '../../passwords/accept-hash.ts';
import { MAX_CHARACTERS } from '../../users/max-characters.ts';
import { ImportIdField } from './import-json.ts';
import { QueryField, readCount } from './query.ts';

export const ImportQuery = Type.Object({
  dryRun: QueryField(
    '`true`: checks everything and reports the same, but writes nothing.',
    Type.Boolean({ default: false }),
  ),
  onConflict: QueryField(
    'What becomes of a login that exists: `update-unchanged` (default; replaces a hash that an import wrote), `overwrite`, `skip`, `fail`.',
    Type.String({ enum: [...ON_CONFLICT], default: DEFAULT_ON_CONFLICT }),
  ),
  hashingSecretId: QueryField(
    'Which of the configured `hashing_secrets` the hashes were made with, where their line does not name one and their algorithm takes one.',
    Type.String({ minLength: 1, maxLength: MAX_CHARACTERS.hashingSecretId }),
  ),
  total: QueryField(
    'How many lines there are, blank ones not counted, so that those who watch see how far it is. Nothing else follows from it; a resumed import may say something else.',
    Type.Integer({ minimum: 0, maximum: 999_999_999_999_999 }),
  ),
  importId: QueryField('Resumes this import, or begins one of this name.', ImportIdField),
});

/** @throws {AppError} QUERY_INVALID; HASHING_SECRET_MISSING: millions of lines would be refused for it, one by one */
export function readImportQuery(
  query: Static<typeof ImportQuery>,
  registry: Parameters<typeof requireSecret>[0],
): Omit<ImportRequest, 'keyName'> {
  requireSecret(registry, query.hashingSecretId);
  return {
    importId: readImportId(query.importId),
    dryRun: readBoolean('dryRun', query.dryRun),
    onConflict: readOnConflict(query.onConflict),
    ...(query.hashingSecretId !== undefined && { hashingSecretId: query.hashingSecretId }),
    ...(query.total !== undefined && { total: readCount('total', query.total) }),
  };
}

function readImportId(value: string = uuidv7()): string {
  if (IMPORT_ID.test(value)) return value;
  throw new AppError(
    'QUERY_INVALID',
    "Field name 'importId' is invalid in query: expected 1 to 64 of A-Z a-z 0-9 . _ -, and not . or ..",
  );
}

function readBoolean(name: string, value = 'false'): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new AppError('QUERY_INVALID', `Field name '${name}' is invalid in query: expected true or false`);
}

function readOnConflict(value: string = DEFAULT_ON_CONFLICT): OnConflict {
  const found = ON_CONFLICT.find((one) => one === value);
  if (found !== undefined) return found;
  throw new AppError(
    'QUERY_INVALID',
    `Field name 'onConflict' is invalid in query: expected one of ${ON_CONFLICT.join(', ')}`,
  );
}
