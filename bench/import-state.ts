import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended, ImportStage } from './import-stage.ts';

/** Complete users, without generated values: ids and the times at which rows were written. */
const USERS = `select md5(string_agg(line, e'\\n' order by line)) as digest, count(*)::int as count from (
  select jsonb_build_array(u.time_joined_ms, u.metadata,
    (select jsonb_agg(jsonb_build_array(email, password_hash, hash_algorithm, hash_secret_id, hash_class, hash_set_by,
      time_joined_ms, linked, verified_emails) order by email) from password_logins p where p.user_id = u.user_id),
    (select jsonb_agg(jsonb_build_array(third_party_id, third_party_user_id, email, time_joined_ms, linked, verified_emails)
      order by third_party_user_id) from third_party_logins t where t.user_id = u.user_id),
    (select jsonb_agg(case kind when 'external' then alias else kind end order by kind, alias) from user_aliases a where a.user_id = u.user_id)
  )::text as line from users u) lines`;

/** Numbers of rows, of rows that belong to nobody, and the record of the import. */
const COUNTS = `select
  (select count(*) from users)::int as users,
  (select count(*) from password_logins)::int as passwords,
  (select count(*) from third_party_logins)::int as third_parties,
  (select count(*) from user_aliases)::int as aliases,
  (select count(*) from hash_changes)::int as hash_changes,
  (select coalesce(sum(json_array_length(changes)), 0) from import_changes)::int as replaced,
  (select count(*) from (select user_id from password_logins union all select user_id from third_party_logins
    union all select user_id from user_aliases) o where user_id not in (select user_id from users))::int as orphans,
  (select count(*) from users where user_id not in (select user_id from password_logins union all select user_id from third_party_logins))::int as empty,
  (select sum(lines) from import_chunks)::int as chunk_lines,
  (select sum(count) from import_failures)::int as failures,
  (select count(*) from imports)::int as imports`;

/** State that an import leaves. */
export interface ImportState {
  database: object;
  report: string;
  rejects: string;
  record: object;
  said: object;
}

/** Access to the state: the database, and the service. */
export type ImportPlace = Pick<ImportStage, 'query' | 'get'>;

/** Members of the record that differ between runs. */
const OF_A_RUN = ['rolledBackAt', 'startedAt', 'finishedAt', 'updatedAt', 'durationMs', 'linesPerSecond'];

export async function readState(
  stage: ImportPlace,
  directory: string,
  { stdout }: Ended,
): Promise<ImportState> {
  const [users] = await stage.query(USERS);
  const [counts] = await stage.query(COUNTS);
  const said = JSON.parse(stdout);
  const answer = await stage.get(`/bulk-import/imports/${said.importId}`);
  const record = { ...(answer.import as Record<string, unknown>) };
  for (const name of OF_A_RUN) delete record[name];
  for (const name of ['ms', 'resumed', 'url']) delete said[name];
  return {
    database: { ...users, ...counts },
    report: readFileSync(join(directory, 'report.ndjson'), 'utf8'),
    rejects: readFileSync(join(directory, 'rejects.ndjson'), 'utf8'),
    record,
    said,
  };
}

/** Returns the differences from the state after an undisturbed import. */
export function differences(wanted: ImportState, state: ImportState, directory: string): string[] {
  const found: string[] = [];
  for (const name of ['database', 'record', 'said'] as const) {
    const [want, is] = [JSON.stringify(wanted[name]), JSON.stringify(state[name])];
    if (want !== is) found.push(`${name}: ${is} in place of ${want}`);
  }
  for (const name of ['report', 'rejects'] as const) {
    if (wanted[name] === state[name]) continue;
    const [want, is] = [wanted[name].split('\n'), state[name].split('\n')];
    const index = want.findIndex((line, at) => line !== is[at]);
    found.push(
      `${name}: ${is.length} lines of ${want.length}; line ${index + 1}: ${is[index]} in place of ${want[index]}`,
    );
  }
  for (const name of ['report.ndjson.part', 'rejects.ndjson.part'])
    if (existsSync(join(directory, name))) found.push(`${name} is left over`);
  return found;
}
