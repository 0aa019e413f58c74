import { bareName } from '../fields/tables.ts';

/** Column names that are recognised without a mapping, by field: without punctuation, the most reliable first. */
const NAMES = {
  id: 'id userid uid uuid externalid',
  email: 'email mail useremail emailaddress',
  verified: `emailverified isemailverified emailisverified emailconfirmed isemailconfirmed emailverifiedat emailverifiedon
    emailconfirmedat emailconfirmedon emailauthenticated emailverification mailverified isverified verified isconfirmed
    confirmed verifiedat verifiedon confirmedat confirmedon`,
  createdAt: `createdat createdon created createdate createddate createdtime createtime createdtimestamp creationdate
    creationtime creationtimestamp datecreated timecreated datejoined joinedat joinedon joindate joineddate joined
    timejoined membersince registeredat registeredon registrationdate dateregistered registerdate regdate userregistered
    registration registered signupdate signupat signedupat insertedat`,
  hash: `passwordhash hashedpassword encryptedpassword passworddigest pwhash passhash pwdhash password passwd hash pass pwd
    pw`,
  /** Hash family of the row. No name is recognised, so only the operator can say that a column holds it. */
  algorithm: '',
  provider: 'provider',
  providerUserId: 'provideruserid provideraccountid provideruid',
} as const;

export type Field = keyof typeof NAMES;

/** Whether an earlier version of this tool had a field with this name, so that the message can say what replaced it. */
export const isFormerField = (name: string): boolean =>
  ['disabled', 'deleted', 'active'].includes(name) || name.startsWith('metadata.');

export const FIELDS = Object.keys(NAMES) as Field[];

const ALIASES = new Map(
  FIELDS.map((field) => [field, NAMES[field].split(/\s+/).filter((name) => name !== '')] as const),
);

export const isField = (name: string): name is Field => Object.hasOwn(NAMES, name);

/** Additional field names that `--map` and mapping files accept. They are not guessed from columns. */
const FURTHER_NAMES: Readonly<Record<string, Field>> = {
  externaluserid: 'id',
  isverified: 'verified',
  timejoined: 'createdAt',
};

const FIELD_NAMES: ReadonlyMap<string, Field> = new Map([
  ...FIELDS.map((field) => [bareName(field), field] as const),
  ...[...ALIASES].flatMap(([field, aliases]) => aliases.map((alias) => [alias, field] as const)),
  ...Object.entries(FURTHER_NAMES),
]);

/** Prefix in `--map` for a column of account ids at a provider: `identity.google=google_id`. */
const IDENTITY = 'identity.';

export const providerOf = (name: string): string | undefined =>
  name.startsWith(IDENTITY) && name.length > IDENTITY.length ? name.slice(IDENTITY.length) : undefined;

/** Returns the field with a name or alias, ignoring case and punctuation. */
export const fieldNamed = (name: string): Field | undefined => FIELD_NAMES.get(bareName(name));

/**
 * Guesses from the names of columns which fields of a user they contain.
 * @param taken columns with another use, which are not guessed
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
  for (const [field, aliases] of ALIASES) {
    const alias = aliases.find((name) => byName.has(name));
    const column = alias === undefined ? undefined : byName.get(alias);
    if (column !== undefined) guess.set(field, column);
  }
  // The name of a provider is useless without the account's id at the provider, and vice versa.
  if (!guess.has('provider') || !guess.has('providerUserId')) {
    guess.delete('provider');
    guess.delete('providerUserId');
  }
  return guess;
}
