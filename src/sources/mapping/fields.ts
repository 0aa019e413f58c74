import { bareName } from '../fields/column-names.ts';

/**
 * What columns are taken for, and the names of columns that are taken for it where the operator says nothing: lower case, without
 * punctuation, the surest first.
 */
const ALIASES = {
  id: ['id', 'userid', 'uid', 'uuid', 'externalid'],
  email: ['email', 'mail', 'useremail', 'emailaddress'],
  verified: [
    ...['emailverified', 'isemailverified', 'emailisverified', 'emailconfirmed', 'isemailconfirmed'],
    ...['emailverifiedat', 'emailverifiedon', 'emailconfirmedat', 'emailconfirmedon', 'emailauthenticated'],
    ...['emailverification', 'mailverified', 'isverified', 'verified', 'isconfirmed', 'confirmed'],
    ...['verifiedat', 'verifiedon', 'confirmedat', 'confirmedon'],
  ],
  createdAt: [
    ...['createdat', 'createdon', 'created', 'createdate', 'createddate', 'createdtime', 'createtime'],
    ...[
      'createdtimestamp',
      'creationdate',
      'creationtime',
      'creationtimestamp',
      'datecreated',
      'timecreated',
    ],
    ...[
      'datejoined',
      'joinedat',
      'joinedon',
      'joindate',
      'joineddate',
      'joined',
      'timejoined',
      'membersince',
    ],
    ...['registeredat', 'registeredon', 'registrationdate', 'dateregistered', 'registerdate', 'regdate'],
    ...['userregistered', 'registration', 'registered', 'signupdate', 'signupat', 'signedupat', 'insertedat'],
  ],
  hash: [
    'passwordhash',
    'hashedpassword',
    'encryptedpassword',
    'passworddigest',
    'pwhash',
    'passhash',
    'pwdhash',
    'password',
    'hash',
    'pass',
  ],
  provider: ['provider'],
  providerUserId: ['provideruserid', 'provideraccountid', 'provideruid'],
  // Several columns may tell these: see `STATE_FIELDS`.
  disabled: [],
  deleted: [],
  active: [],
} as const satisfies Record<string, readonly string[]>;

export type Field = keyof typeof ALIASES;

/** Fields that tell who may sign in. By their names columns are taken for them as well (fields/state-columns.ts). */
const STATE_FIELDS = ['disabled', 'deleted', 'active'] as const satisfies readonly Field[];

export const isStateField = (name: string): name is (typeof STATE_FIELDS)[number] =>
  STATE_FIELDS.some((field) => field === name);

export const FIELDS = Object.keys(ALIASES) as Field[];

export const isField = (name: string): name is Field => Object.hasOwn(ALIASES, name);

/** How the command line and mapping files may call the fields, besides the names of columns that are guessed. */
const FURTHER_NAMES: Readonly<Record<string, Field>> = {
  externaluserid: 'id',
  isverified: 'verified',
  timejoined: 'createdAt',
};

const FIELD_NAMES: ReadonlyMap<string, Field> = new Map([
  ...FIELDS.map((field) => [bareName(field), field] as const),
  ...FIELDS.flatMap((field) => ALIASES[field].map((alias) => [alias, field] as const)),
  ...Object.entries(FURTHER_NAMES),
]);

/** Before the name of a provider: a column with the ids of accounts there, `identity.google=google_id`. */
const IDENTITY = 'identity.';

/** The provider that a field of the operator's stands for. */
export const providerOf = (name: string): string | undefined =>
  name.startsWith(IDENTITY) && name.length > IDENTITY.length ? name.slice(IDENTITY.length) : undefined;

/** Before the name that a column gets in the metadata: `metadata.name=Full name`. */
const METADATA = 'metadata.';

/** The name in the metadata that a field of the operator's stands for. */
export const metadataNameOf = (name: string): string | undefined =>
  name.startsWith(METADATA) && name.length > METADATA.length ? name.slice(METADATA.length) : undefined;

/** The field of this name, in any case and with any punctuation. */
export const fieldNamed = (name: string): Field | undefined => FIELD_NAMES.get(bareName(name));

/**
 * What the columns are by their names.
 * @param taken columns that are something else already
 */
export function guessColumns(
  columns: Iterable<string>,
  taken: ReadonlySet<string> = new Set(),
): ReadonlyMap<Field, string> {
  const byName = new Map<string, string>();
  for (const column of columns) {
    const name = bareName(column);
    if (!taken.has(column) && !byName.has(name)) byName.set(name, column);
  }
  const guess = new Map<Field, string>();
  for (const field of FIELDS) {
    const alias = ALIASES[field].find((name) => byName.has(name));
    const column = alias === undefined ? undefined : byName.get(alias);
    if (column !== undefined) guess.set(field, column);
  }
  // One says nothing without the other.
  if (!guess.has('provider') || !guess.has('providerUserId')) {
    guess.delete('provider');
    guess.delete('providerUserId');
  }
  return guess;
}
