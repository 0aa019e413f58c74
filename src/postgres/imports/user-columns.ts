import type {
  NewAlias,
  NewPasswordLogin,
  NewRows,
  NewThirdPartyLogin,
  NewUser,
} from '../../imports/resolve/write-set.ts';
import { PROFILE_COLUMNS } from '../users/profile-columns.ts';
import { COPY_NULL, copyArray, copyBytes, copyText } from './copy-text.ts';

/** Columns by name, each with a function that returns its value in the text format of COPY. */
type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

/** A field without an entry is a type error, so that no imported value is lost silently. */
type Fields<Row> = { readonly [Field in keyof Row]-?: Columns<Row> };

/** Marks a field that COPY does not write: the default of the column is right, or there is no column. */
const NOT_WRITTEN = {};

/** Ids, times and names of algorithms contain no character that COPY would interpret. */
const LOGIN_FIELDS = {
  userId: { user_id: (login: NewPasswordLogin | NewThirdPartyLogin) => login.userId },
  recipeUserId: { recipe_user_id: (login: NewPasswordLogin | NewThirdPartyLogin) => login.recipeUserId },
  email: { email: (login: NewPasswordLogin | NewThirdPartyLogin) => copyText(login.email) },
  timeJoinedMs: {
    time_joined_ms: (login: NewPasswordLogin | NewThirdPartyLogin) => String(login.timeJoinedMs),
  },
  hasMore: { linked: (login: NewPasswordLogin | NewThirdPartyLogin) => (login.hasMore ? 't' : 'f') },
  verifiedEmails: {
    verified_emails: (login: NewPasswordLogin | NewThirdPartyLogin) => copyArray(login.verifiedEmails),
  },
  disabled: { disabled: (login: NewPasswordLogin | NewThirdPartyLogin) => (login.disabled ? 't' : 'f') },
  // Nobody has disabled or enabled a new user yet.
  state: NOT_WRITTEN,
  inCore: NOT_WRITTEN,
  // Logins of dry runs are never written to the tables of logins.
  isDryRun: NOT_WRITTEN,
};

const PASSWORD_LOGIN: Fields<NewPasswordLogin> = {
  ...LOGIN_FIELDS,
  hash: {
    password_hash: ({ hash }) => copyText(hash?.encoded),
    hash_algorithm: ({ hash }) => hash?.algorithm ?? COPY_NULL,
    hash_secret_id: ({ hash }) => copyText(hash?.secretId),
    hash_class: ({ hash }) => hash?.strength ?? COPY_NULL,
  },
  noHash: { no_hash: ({ noHash }) => noHash ?? COPY_NULL },
  // `hash_set_by` keeps its default `import`, because an import has set the hash of a new user.
  hashSetBy: NOT_WRITTEN,
  importedFingerprint: NOT_WRITTEN,
  isEmailChanged: NOT_WRITTEN,
};

const THIRD_PARTY_LOGIN: Fields<NewThirdPartyLogin> = {
  ...LOGIN_FIELDS,
  identity: {
    third_party_id: ({ identity }) => copyText(identity.id),
    third_party_user_id: ({ identity }) => copyText(identity.userId),
  },
  // COPY reads the text `now` as the start of the transaction, which becomes the time of the sign-in.
  hasSignedIn: { last_sign_in_at: ({ hasSignedIn }) => copyText(hasSignedIn ? 'now' : undefined) },
};

const ALIAS: Fields<NewAlias> = {
  alias: { alias: ({ alias }) => copyText(alias) },
  kind: { kind: ({ kind }) => kind },
  userId: { user_id: ({ userId }) => userId },
  recipeUserId: { recipe_user_id: ({ recipeUserId }) => recipeUserId },
};

const USER: Fields<NewUser> = {
  userId: { user_id: ({ userId }) => userId },
  timeJoinedMs: { time_joined_ms: ({ timeJoinedMs }) => String(timeJoinedMs) },
  profile: Object.fromEntries(
    PROFILE_COLUMNS.map(({ name, part }) => [name, ({ profile }) => copyText(profile[part])]),
  ),
  factors: { factors: ({ factors }) => copyBytes(factors) },
};

export interface CopyTarget<Row> {
  table: string;
  columns: readonly string[];
  statement: string;
  /** Returns a row in the text format of COPY, with its line break. */
  encode(row: Row): string;
}

function target<Row>(table: string, fields: Fields<Row>): CopyTarget<Row> {
  const columns = Object.values<Columns<Row>>(fields).flatMap((one) => Object.entries(one));
  const names = columns.map(([name]) => name);
  const [first = () => '', ...others] = columns.map(([, encode]) => encode);
  return {
    table,
    columns: names,
    statement: `copy ${table} (${names.join(', ')}) from stdin`,
    encode(row) {
      let text = first(row);
      for (let index = 0; index < others.length; index += 1) text += `\t${others[index]?.(row)}`;
      return `${text}\n`;
    },
  };
}

export const COPY_TARGETS: { readonly [Name in keyof NewRows]: CopyTarget<NewRows[Name][number]> } = {
  passwordLogins: target('password_logins', PASSWORD_LOGIN),
  thirdPartyLogins: target('third_party_logins', THIRD_PARTY_LOGIN),
  aliases: target('user_aliases', ALIAS),
  users: target('users', USER),
};
