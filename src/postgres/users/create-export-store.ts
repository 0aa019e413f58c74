import type { ExportStore } from '../../users/export-users.ts';
import type { Database } from '../client/database.ts';

// PostgreSQL builds the JSON, so that each row is a line that can be sent. One statement reads one snapshot.

/** Returns SQL that appends a text member to an object, unless the text is null. */
const optional = (name: string, value: string) => `coalesce(',"${name}":' || to_json(${value}), '')`;

/** SQL for the members that follow the e-mail in login methods of both recipes, for a login `l`. */
const COMMON = `case when l.email = any (l.verified_emails) then ',"isVerified":true' else '' end
  || ',"timeJoinedInMSSinceEpoch":' || l.time_joined_ms`;

/** SQL for a password login as JSON, without the closing brace. */
const PASSWORD_METHOD = `'{"recipeId":"emailpassword","email":' || to_json(l.email) || ${COMMON}
  || case when l.password_hash is not null then
      ',"passwordHash":' || to_json(l.password_hash) || ',"hashingAlgorithm":' || to_json(l.hash_algorithm)
        || ${optional('hashingSecretId', 'l.hash_secret_id')}
    when l.no_hash = 'waiting' then ',"legacySignIn":true'
    else ',"password":"unset"' end`;

/** SQL for a third-party login as JSON, without the closing brace. */
const THIRD_PARTY_METHOD = `'{"recipeId":"thirdparty","email":' || to_json(l.email) || ${COMMON}
  || ',"thirdPartyId":' || to_json(l.third_party_id) || ',"thirdPartyUserId":' || to_json(l.third_party_user_id)`;

/** SQL for the beginning of a line, for a user `u`. Metadata is stored as JSON text, and is exported unchanged. */
const USER = (
  externalId: string,
  disabled: string,
) => `'{' || case when ${disabled} then '"disabled":true,' else '' end
  || coalesce('"externalUserId":' || to_json(${externalId}) || ',', '')
  || coalesce('"userMetadata":' || u.metadata || ',', '') || '"loginMethods":['`;

/** Selects the lines of users who have only this login and no external id. */
const sole = (table: string, method: string) => `
  select ${USER('null::text', 'l.disabled')} || ${method} || '}]}'
  from ${table} l left join users u on u.user_id = l.user_id where not l.linked`;

/** Selects the login methods of the other users, with the columns that determine their order. */
const linked = (table: string, recipe: number, method: string, key: string) => `
  select l.user_id, l.recipe_user_id, l.time_joined_ms, l.disabled, ${recipe} as recipe, ${key} as key, ${method} as method
  from ${table} l where l.linked`;

/**
 * Exports all users. The primary login method comes first and is marked; if it was removed, the earliest method comes
 * first. The order does not depend on ids, which another import would assign anew.
 */
const STATEMENT = `copy (
  ${sole('password_logins', PASSWORD_METHOD)}
  union all ${sole('third_party_logins', THIRD_PARTY_METHOD)}
  union all
  select ${USER('coalesce(of_user.alias, m.first_alias)', 'm.disabled')} || m.methods || ']}'
  from (
    select m.user_id,
      string_agg(m.method
        || case when m.place = 1 and m.methods > 1 then ',"isPrimary":true' else '' end
        || case when m.place > 1 then ${optional('externalUserId', 'a.alias')} else '' end || '}', ',' order by m.place) as methods,
      bool_or(m.disabled) as disabled,
      min(a.alias) filter (where m.place = 1) as first_alias
    from (
      select l.*, row_number() over (partition by l.user_id order by
          l.recipe_user_id <> l.user_id, l.time_joined_ms, l.recipe, l.key collate "C") as place,
        count(*) over (partition by l.user_id) as methods
      from (${linked('password_logins', 1, PASSWORD_METHOD, 'l.email')}
        union all ${linked('third_party_logins', 2, THIRD_PARTY_METHOD, "l.third_party_id || ' ' || l.third_party_user_id")}
      ) l
    ) m
    left join user_aliases a on a.user_id = m.user_id and a.recipe_user_id = m.recipe_user_id and a.kind = 'external'
    group by m.user_id
  ) m
  left join users u on u.user_id = m.user_id
  left join user_aliases of_user on of_user.user_id = m.user_id and of_user.recipe_user_id = m.user_id and of_user.kind = 'external'
)`;

/**
 * The format CSV quotes only values that contain the quote, the delimiter or a line break. JSON escapes control
 * characters (`\\u0001`), so with control characters as quote and delimiter no value is quoted, and each row is a
 * line.
 */
const AS_LINES = ` to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`;

/**
 * Creates the store of exports.
 * @param bulkDb lends the connection that an export holds for long, so that single calls never wait for it
 */
export function createExportStore(db: Database, bulkDb: Database): ExportStore {
  return {
    get obstacle() {
      if (db.engine.name === 'postgres') return undefined;
      return 'Exports are not available on distributed tables (docs/citus.md)';
    },
    async begin(exportId, keyName) {
      await db.query('insert into exports (export_id, key_name) values ($1, $2)', [exportId, keyName]);
    },
    read: (signal) => bulkDb.copyOut(STATEMENT + AS_LINES, signal),
    async countWithFactors() {
      const [row] = await db.query<{ count: string }>('select count(*) from users where factors is not null');
      return Number(row?.count);
    },
    async end(exportId, result) {
      await db.query(
        `update exports set ended_at = now(), users = $2::bigint, sha256 = decode($3::text, 'hex') where export_id = $1`,
        [exportId, result?.users ?? null, result?.sha256 ?? null],
      );
    },
  };
}
