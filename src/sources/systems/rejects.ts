import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { invalidHash, isGiven, SIGNER_KEY } from '../fields/hashes.ts';
import { flagOf, listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { Source } from '../source.ts';
import {
  HASH_PROBLEMS,
  SKIP_REASONS,
  type SourceIdentity,
  type SourcePassword,
  type SourceUser,
  type UserState,
} from '../source-user.ts';

const MEMBERS = ['reason', 'file', 'row', 'from', 'table', 'original'];

/**
 * Whether a table has rejects. All of the first records must have their members, because a document of another system
 * may have them by chance.
 */
const isRejects = ({ container, first }: TableHead) =>
  container === 'json' && first.length > 0 && first.every(isReject);

const isReject = (record: SourceRecord) => MEMBERS.every((name) => Object.hasOwn(record, name));

/**
 * Rows that an earlier import refused, corrected by the operator. Each contains the user as it was read,
 * whatever the system.
 */
export const rejects: Source = {
  name: 'rejects',
  title: 'rejects of an earlier import',
  settings: SIGNER_KEY,
  isOwnFormat: true,
  forms: [
    {
      name: 'rejects',
      hasPages: true,
      isUsers: isRejects,
      known: 'all',
      read: ({ user }) => userOf(objectOf(user) ?? {}),
      advice: ({ tables }) =>
        tables.filter(isRejects).some(({ first }) => first.some(({ user }) => objectOf(user) === undefined))
          ? [
              {
                level: 'warn',
                text: 'Some rows could not be read, so they contain no user to correct: correct the export itself.',
              },
            ]
          : [],
    },
  ],
};

/**
 * Reads a user that `user-import` wrote into the rejects. Every member is checked, because the operator may edit it.
 */
function userOf(user: JsonObject): SourceUser {
  return {
    externalUserId: textOf(user.externalUserId),
    email: textOf(user.email),
    emailFromName: textOf(user.emailFromName),
    emails: Array.isArray(user.emails) ? user.emails.flatMap((email) => textOf(email) ?? []) : undefined,
    isVerified: flagOf(user.isVerified),
    timeJoinedMs: Number.isSafeInteger(user.timeJoinedMs) ? Number(user.timeJoinedMs) : undefined,
    password: passwordOf(user.password),
    identities: objectsOf(user.identities).flatMap((identity) => identityOf(identity) ?? []),
    loginMethods: Array.isArray(user.loginMethods) ? user.loginMethods : undefined,
    metadata: isJsonObject(user.metadata) ? user.metadata : undefined,
    state: stateOf(user.state),
    lacksRecordIn: textOf(user.lacksRecordIn),
    repeatsRecordIn: textOf(user.repeatsRecordIn),
    hasPhone: flagOf(user.hasPhone),
    hasHiddenPassword: flagOf(user.hasHiddenPassword),
    hasSecondFactor: flagOf(user.hasSecondFactor),
    factors: factorsOf(objectOf(user.factors)),
  };
}

function factorsOf(factors: JsonObject | undefined): SourceUser['factors'] {
  const texts = (list: unknown) => listOf(list).flatMap((one) => textOf(one) ?? []);
  return (
    factors && {
      totpDevices: objectsOf(factors.totpDevices),
      roles: texts(factors.roles),
      phoneNumbers: texts(factors.phoneNumbers),
    }
  );
}

/** Reads the state. An unknown state stays unknown until the operator corrects it. */
function stateOf(value: unknown): SourceUser['state'] {
  if (value === undefined || value === null) return undefined;
  const state = SKIP_REASONS.find((reason): reason is UserState => reason === value);
  return state ?? { column: 'state', word: textOf(objectOf(value)?.word) ?? textOf(value) ?? 'an object' };
}

function passwordOf(value: unknown): SourcePassword | undefined {
  if (!isGiven(value)) return undefined;
  if (!isJsonObject(value)) return invalidHash('password is not an object');
  const encoded = textOf(value.encoded);
  if (encoded !== undefined)
    return {
      encoded,
      algorithm: textOf(value.algorithm),
      ...(Array.isArray(value.families) && { families: value.families.map(String) }),
      algorithmIfUntold: textOf(value.algorithmIfUntold),
    };
  const plainText = textOf(value.plainText);
  if (plainText !== undefined) return { plainText };
  const problem = HASH_PROBLEMS.find((one) => one === value.problem);
  return problem === undefined
    ? invalidHash('password has neither encoded nor plainText')
    : { problem, message: textOf(value.message) ?? 'it was not mended' };
}

function identityOf(record: SourceRecord): SourceIdentity | undefined {
  const provider = textOf(record.provider);
  const userId = textOf(record.userId);
  if (provider === undefined || userId === undefined) return undefined;
  const { email, isVerified, isSso } = record;
  return { provider, userId, email: textOf(email), isVerified: flagOf(isVerified), isSso: flagOf(isSso) };
}
