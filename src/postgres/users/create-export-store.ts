import type { ExportStore } from '../../users/export-users.ts';
import type { Database } from '../client/database.ts';

// Postgres writes the JSON: each row of the answer is a line as it is sent. One statement reads one snapshot.

/** Appends a member with text to an object, unless the text is null. */
const optional = (name: string, value: string) => `coalesce(',"${name}":' || to_json(${value}), '')`;

/** Members that login methods of both recipes have after their e-mail, for a login `l`. */
const COMMON = `case when l.email = any (l.verified_emails) then ',"isVerified":true' else '' end
  || ',"timeJoinedInMSSinceEpoch":' || l.time_joined_ms`;

/** A password login, without its closing brace. */
const PASSWORD_METHOD = `'{"recipeId":"emailpassword","email":' || to_json(l.email) || ${COMMON}
  || case when l.password_hash is not null then
      ',"passwordHash":' || to_json(l.password_hash) || ',"hashingAlgorithm":' || to_json(l.hash_algorithm)
        || ${optional('hashingSecretId', 'l.hash_secret_id')}
    when l.no_hash = 'waiting' then ',"legacySignIn":true'
    else ',"password":"unset"' end`;

/** A third-party login, without its closing brace. */
const THIRD_PARTY_METHOD = `'{"recipeId":"thirdparty","email":' || to_json(l.email) || ${COMMON}
  || ',"thirdPartyId":' || to_json(l.third_party_id) || ',"thirdPartyUserId":' || to_json(l.third_party_user_id)`;

/** The beginning of a line, for a user `u`. Metadata is JSON text that goes out as it came. */
const USER = (
  externalId: string,
  disabled: string,
) => `'{' || case when ${disabled} then '"disabled":true,' else '' end
  || coalesce('"externalUserId":' || to_json(${externalId}) || ',', '')
  || coalesce('"userMetadata":' || u.metadata || ',', '') || '"loginMethods":['`;

/** Users whose login is all there is to say of them: no other login, no external id. */
const sole = (table: string, method: string) => `
  select ${USER('null::text', 'l.disabled')} || ${method} || '}]}'
  from ${table} l left join users u on u.user_id = l.user_id where not l.linked`;

/** Login methods of the other users, with what decides on their order. */
const linked = (table: string, recipe: number, method: string, key: string) => `
  select l.user_id, l.recipe_user_id, l.time_joined_ms, l.disabled, ${recipe} as recipe, ${key} as key, ${method} as method
  from ${table} l where l.linked`;

/**
 * The primary login method comes first and is marked. If it was removed, the first one that joined takes its place. The
 * order depends on nothing that another import would choose anew, such as ids.
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
 * The format CSV quotes only values that contain its quote, its delimiter or a line break. With control characters as quote
 * and delimiter these are none, because JSON writes control characters as \\u escapes: the rows are the lines.
 */
const AS_LINES = ` to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`;

/**
 * @param bulkDb lends the connection that an export holds for a long time, so that single calls never wait for it
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
