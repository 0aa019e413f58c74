import {
  type LoginMethod,
  PROFILE_PARTS,
  type ThirdPartyIdentity,
  type User,
  type UserProfile,
} from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';

/** Tables of login methods, by recipe. */
export const LOGIN_TABLES = { emailpassword: 'password_logins', thirdparty: 'third_party_logins' } as const;

type Id = string;
type Ms = number;

/** Login as SQL statements return it. `linked`: its user may have other logins, or an external id. */
export interface LoginRow {
  user_id: Id;
  recipe_user_id: Id;
  email: string;
  verified: boolean;
  time_joined_ms: string;
  linked: boolean;
  disabled: boolean;
}

/** Login method of a `UserRow`. Only a third-party login has the last two values. */
type MethodRow = [
  recipeUserId: Id,
  email: string,
  verified: boolean,
  joined: Ms,
  disabled: boolean,
  provider?: string,
  subject?: string,
];

/** User with all login methods, as SQL statements return it. */
export interface UserRow {
  user_id: Id;
  time_joined_ms: string | number;
  password_methods: MethodRow[] | null;
  third_party_methods: MethodRow[] | null;
  external_ids: [recipeUserId: Id, externalId: string][] | null;
}

export function toUser(row: UserRow): User {
  const externalIds = new Map(row.external_ids);
  const external = (id: Id) => {
    const externalId = externalIds.get(id);
    return externalId === undefined ? {} : { externalId };
  };
  const methods = [...(row.password_methods ?? []), ...(row.third_party_methods ?? [])];
  const loginMethods = methods.map(
    ([recipeUserId, email, verified, timeJoinedMs, _disabled, id, userId]): LoginMethod => {
      const method = { recipeUserId, ...external(recipeUserId), email, verified, timeJoinedMs };
      return id === undefined || userId === undefined
        ? { recipeId: 'emailpassword', ...method }
        : { recipeId: 'thirdparty', ...method, thirdParty: { id, userId } };
    },
  );
  loginMethods.sort((a, b) => a.timeJoinedMs - b.timeJoinedMs || (a.recipeUserId < b.recipeUserId ? -1 : 1));
  return {
    id: row.user_id,
    ...external(row.user_id),
    timeJoinedMs: Number(row.time_joined_ms),
    ...(methods.some(([, , , , disabled]) => disabled) && { isDisabled: true as const }),
    loginMethods,
  };
}

/**
 * Returns whether a user has logins. A user without logins is just being created or removed (rule 4 of citus/citus.ts).
 */
export const isThere = ({ loginMethods }: User) => loginMethods.length > 0;

interface ProfileColumn {
  name: string;
  part: keyof UserProfile;
}

export const PROFILE_COLUMNS: readonly ProfileColumn[] = Object.entries(PROFILE_PARTS).map(
  ([part, { column }]) => ({ name: column, part: part as keyof UserProfile }),
);

export const PROFILE = PROFILE_COLUMNS.map(({ name }) => name).join(', ');

/** Returns the profile in a row. A column of the row may be missing, or null. */
export const profileOf = (row: Readonly<Record<string, unknown>>): UserProfile =>
  Object.fromEntries(PROFILE_COLUMNS.map(({ name, part }) => [part, row[name] ?? undefined]));

// The statements below read a user and all logins at once, which Citus cannot do.

const METHOD =
  'l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled';

const PARTS = [
  { column: 'password_methods', value: METHOD, table: 'password_logins' },
  {
    column: 'third_party_methods',
    value: `${METHOD}, l.third_party_id, l.third_party_user_id`,
    table: 'third_party_logins',
  },
  {
    column: 'external_ids',
    value: 'l.recipe_user_id, l.alias',
    table: 'user_aliases',
    condition: " and l.kind = 'external'",
  },
];

/** SQL for the columns with the data of user `u` from other tables. */
const PARTS_OF_USER = PARTS.map(
  ({ column, value, table, condition = '' }) =>
    `(select json_agg(json_build_array(${value})) from ${table} l where l.user_id = u.user_id${condition}) as ${column}`,
).join(', ');

/** SQL for a user as one value, or null, so that a statement can read a login and its user at one moment. */
export const wholeUser = (id: string) =>
  `(select row_to_json(whole) from (
        select u.user_id, u.time_joined_ms, ${PARTS_OF_USER} from users u where u.user_id = ${id}) whole)`;

/** @param page statement for the `user_id`, `time_joined_ms` and further columns of users */
export const readPage = <Row extends UserRow>(
  db: Queryable,
  page: string,
  values: readonly unknown[],
  order = '',
): Promise<Row[]> => db.query<Row>(`select u.*, ${PARTS_OF_USER} from (${page}) u ${order}`, values);

export const readUserRows = (db: Queryable, ids: readonly string[]): Promise<UserRow[]> =>
  readPage(db, 'select user_id, time_joined_ms from users where user_id = any ($1::uuid[])', [ids]);

/** Login that is the only one of its user, and therefore describes the whole user. */
interface SoleLogin {
  id: string;
  recipeUserId?: string;
  email: string;
  verified: boolean;
  timeJoinedMs: number;
  disabled?: boolean;
}

export const passwordUser = (login: SoleLogin): User => thirdPartyUser(login, undefined);

/** The login method is written out twice, because spreading an object costs several percent of a single import. */
export function thirdPartyUser(
  { id, recipeUserId = id, email, verified, timeJoinedMs, disabled = false }: SoleLogin,
  thirdParty: ThirdPartyIdentity | undefined,
): User {
  return {
    id,
    ...(disabled && { isDisabled: true as const }),
    timeJoinedMs,
    loginMethods: [
      thirdParty === undefined
        ? { recipeId: 'emailpassword', recipeUserId, email, verified, timeJoinedMs }
        : { recipeId: 'thirdparty', recipeUserId, email, verified, timeJoinedMs, thirdParty },
    ],
  };
}
