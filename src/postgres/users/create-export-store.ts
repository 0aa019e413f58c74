import type { ExportStore, OpenFactors } from '../../users/export-users.ts';
import { PROFILE_PARTS } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { copySnapshot } from '../client/copy-snapshot.ts';
import type { Database } from '../client/database.ts';

// PostgreSQL builds the JSON of an export, so that each row is a line that can be sent.

// The pieces of SQL below are lists of arguments of concat(). It leaves out nulls, and copies each argument
// once, while `||` copies the whole line for each of them. Each argument costs time in every row, so
// neighbouring literals are one argument.

/** JSON text before and after a login method. It is constant, and must not contain apostrophes. */
interface Frame {
  before: string;
  after: string;
}

/** Returns SQL for a text member of a JSON object. The result is null if the text is null. */
const member = (name: string, value: string) => `',"${name}":' || to_json(${value})`;

const common = (
  recipe: string,
  before: string,
) => `'${before}{"recipeId":"${recipe}","email":', to_json(l.email),
  case when l.email = any (l.verified_emails) then ',"isVerified":true,"timeJoinedInMSSinceEpoch":'
    else ',"timeJoinedInMSSinceEpoch":' end, l.time_joined_ms`;

/** JSON of a password login without its closing brace, as members may follow. Names of algorithms need no escapes. */
const passwordMethod = ({ before, after }: Frame) => `${common('emailpassword', before)},
  ${member('passwordHash', 'l.password_hash')},
  case when l.password_hash is not null then ',"hashingAlgorithm":"' || l.hash_algorithm || '"' end,
  case when l.password_hash is not null then ${member('hashingSecretId', 'l.hash_secret_id')} end,
  case when l.password_hash is not null then '${after}'
    when l.no_hash = 'waiting' then ',"legacySignIn":true${after}'
    else ',"password":"unset"${after}' end`;

const thirdPartyMethod = ({ before, after }: Frame) => `${common('thirdparty', before)},
  ',"thirdPartyId":', to_json(l.third_party_id), ',"thirdPartyUserId":', to_json(l.third_party_user_id), '${after}'`;

/**
 * SQL for the encrypted factors of a user, which precede the export line. Ids and factors never contain the `{` with
 * which the line begins.
 */
const FACTORS = `case when u.factors is not null then u.user_id || encode(u.factors, 'hex') end`;
const USER_ID_CHARACTERS = 36;
const LINE_BEGIN = '{'.charCodeAt(0);

const PROFILE_MEMBERS = Object.values(PROFILE_PARTS)
  .map(({ member, column }) => `'"${member}":' || u.${column} || ','`)
  .join(', ');

/** SQL for the beginning of a user's export line, which ends before the member `loginMethods`. */
const user = (externalId: string, disabled: string) => `${FACTORS},
  case when ${disabled} then '{"disabled":true,' else '{' end,
  '"externalUserId":' || to_json(${externalId}) || ',',
  ${PROFILE_MEMBERS}`;

const METHODS_BEGIN = '"loginMethods":[';
/** JSON around a login method that is its user's only one. */
const SOLE: Frame = { before: METHODS_BEGIN, after: '}]}' };
/** JSON around a login method to which others are joined. */
const ONE_OF_SEVERAL: Frame = { before: '', after: '' };

type IsInPart = (userId: string) => string;

/**
 * Users with a login that is not their primary one. The query is materialized, because its result is needed four times.
 */
const otherLogins = (isInPart: IsInPart) =>
  `others as materialized (${['password_logins', 'third_party_logins']
    .map(
      (table) =>
        `select o.user_id from ${table} o where o.linked and o.recipe_user_id <> o.user_id and ${isInPart('o.user_id')}`,
    )
    .join(' union all ')})`;

/**
 * Selects the lines of users who have only this login. Nearly all users do, so their lines need no sorting. The
 * condition on the part of the users is repeated for each table, because PostgreSQL derives conditions on joined tables
 * only from equalities.
 */
const sole = (table: string, method: string, isInPart: IsInPart) => `
  select concat(${user('a.alias', 'l.disabled')}, ${method})
  from ${table} l
  left join users u on u.user_id = l.user_id and ${isInPart('u.user_id')}
  left join user_aliases a on a.user_id = l.user_id and a.recipe_user_id = l.user_id and a.kind = 'external'
    and ${isInPart('a.user_id')}
  where (not l.linked or l.recipe_user_id = l.user_id) and ${isInPart('l.user_id')}
    and not exists (select from others o where o.user_id = l.user_id)`;

/** Selects the login methods of all other users, with the columns that determine their order. */
const linked = (table: string, recipe: number, method: string, key: string) => `
  select l.user_id, l.recipe_user_id, l.time_joined_ms, l.disabled, ${recipe} as recipe, ${key} as key, concat(${method}) as method
  from ${table} l where l.linked and l.user_id in (select user_id from others)`;

/**
 * Exports a part of the users. The primary login method comes first and is marked; if it was removed, the
 * earliest method comes first. The order does not depend on ids, because another import would assign other
 * ids.
 */
const statement = (isInPart: IsInPart) => `copy (
  with ${otherLogins(isInPart)}
  ${sole('password_logins', passwordMethod(SOLE), isInPart)}
  union all ${sole('third_party_logins', thirdPartyMethod(SOLE), isInPart)}
  union all
  select concat(${user('coalesce(of_user.alias, m.first_alias)', 'm.disabled')}, '${METHODS_BEGIN}', m.methods, ']}')
  from (
    select m.user_id,
      string_agg(concat(m.method,
        case when m.place = 1 and m.methods > 1 then ',"isPrimary":true' end,
        case when m.place > 1 then ${member('externalUserId', 'a.alias')} end, '}'), ',' order by m.place) as methods,
      bool_or(m.disabled) as disabled,
      min(a.alias) filter (where m.place = 1) as first_alias
    from (
      select l.*, row_number() over (partition by l.user_id order by
          l.recipe_user_id <> l.user_id, l.time_joined_ms, l.recipe, l.key collate "C") as place,
        count(*) over (partition by l.user_id) as methods
      from (${linked('password_logins', 1, passwordMethod(ONE_OF_SEVERAL), 'l.email')}
        union all ${linked('third_party_logins', 2, thirdPartyMethod(ONE_OF_SEVERAL), "l.third_party_id || ' ' || l.third_party_user_id")}
      ) l
    ) m
    left join user_aliases a on a.user_id = m.user_id and a.recipe_user_id = m.recipe_user_id and a.kind = 'external'
    group by m.user_id
  ) m
  left join users u on u.user_id = m.user_id
  left join user_aliases of_user on of_user.user_id = m.user_id and of_user.recipe_user_id = m.user_id and of_user.kind = 'external'
) to stdout (format binary)`;

/**
 * Selects a user id near the middle of all: the exact middle in a small table, and that of a sample of 100 blocks in a
 * large one. Both halves take the same time even if the ids were given in the order of the rows, as they are in an
 * import, and each half reads neighbouring rows.
 */
const MIDDLE_USER = `select percentile_disc(0.5) within group (order by user_id) as id
  from users tablesample system (least(100, 100 * 100.0 * current_setting('block_size')::int
    / greatest(pg_relation_size('users'), 1)))`;

async function partsOf(db: Queryable): Promise<string[]> {
  const [middle] = await db.query<{ id: string | null }>(MIDDLE_USER);
  if (!middle?.id) return [statement(() => 'true')];
  return ['<', '>='].map((operator) => statement((userId) => `${userId} ${operator} '${middle.id}'`));
}

/** A row of the export may begin with encrypted factors. Decrypts them, and adds them to the row's JSON as members. */
const withFactors =
  (open: OpenFactors) =>
  (row: Buffer): Buffer => {
    if (row[0] === LINE_BEGIN) return row;
    const begin = row.indexOf(LINE_BEGIN);
    const userId = row.toString('latin1', 0, USER_ID_CHARACTERS);
    const sealed = Buffer.from(row.toString('latin1', USER_ID_CHARACTERS, begin), 'hex');
    const members = open(userId, sealed);
    if (members === '') return row.subarray(begin);
    return Buffer.concat([Buffer.from(`{${members},`), row.subarray(begin + 1)]);
  };

/** @param bulkDb connections for long work, so that calls about single users never wait for them */
export function createExportStore(db: Database, bulkDb: Database): ExportStore {
  return {
    get obstacle() {
      if (db.engine.name === 'postgres') return undefined;
      return 'Exports are not available on distributed tables (docs/citus.md)';
    },
    async begin(exportId, keyName) {
      await db.query('insert into exports (export_id, key_name) values ($1, $2)', [exportId, keyName]);
    },
    async countFactorsByKey() {
      // Bytes 3 to 10 of encrypted factors are the id of the encryption key (src/users/factor-vault.ts).
      const rows = await db.query<{ key_id: Buffer; users: string }>(
        `select substring(factors from 3 for 8) as key_id, count(*) as users from users
         where factors is not null group by 1`,
      );
      return rows.map(({ key_id, users }) => ({ keyId: key_id, users: Number(users) }));
    },
    read: (signal, open) => copySnapshot(bulkDb, { partsOf, rewrite: withFactors(open), signal }),
    async end(exportId, result) {
      await db.query(
        `update exports set ended_at = now(), users = $2::bigint, sha256 = decode($3::text, 'hex') where export_id = $1`,
        [exportId, result?.users ?? null, result?.sha256 ?? null],
      );
    },
  };
}
