import { writeFile } from 'node:fs/promises';
import { type Admin, send, startCompiled } from './bulk-support.ts';
import { API_KEY, HASHES } from './fixtures.ts';
import { median, perSecond, type Row } from './report.ts';

const ROUNDS = 3;
const AIM = 0.6;

/**
 * The change that an import of existing users makes to their hashes, as one statement. psql has no
 * parameters, so `$1` is replaced by its value.
 */
const BARE_UPDATE = `
  with kept as (
    insert into replaced_hashes (import_id, email, recipe_user_id, password_hash, hash_algorithm, hash_set_at, hash_set_by)
    select 'bare', old.email, old.recipe_user_id, old.password_hash, old.hash_algorithm, old.hash_set_at, old.hash_set_by
    from incoming join password_logins old using (email)
  ), changed as (
    update password_logins login set
      password_hash = incoming.password_hash, hash_algorithm = incoming.hash_algorithm,
      hash_set_at = now(), hash_set_by = 'import'
    from incoming where login.email = incoming.email returning login.recipe_user_id, login.hash_algorithm
  )
  insert into hash_changes (recipe_user_id, changed_by, import_id, hash_algorithm)
  select recipe_user_id, 'import', 'bare', hash_algorithm from changed`;

/** The rollback of that import, in the same form. */
const BARE_ROLLBACK = `
  with old as (
    delete from replaced_hashes where import_id = 'bare' returning *
  ), restored as (
    update password_logins login set
      password_hash = old.password_hash, hash_algorithm = old.hash_algorithm,
      hash_set_at = old.hash_set_at, hash_set_by = old.hash_set_by
    from old where login.email = old.email and login.recipe_user_id = old.recipe_user_id and login.hash_set_at = old.written_at
    returning login.recipe_user_id, login.hash_algorithm
  )
  insert into hash_changes (recipe_user_id, changed_by, import_id, hash_algorithm)
  select recipe_user_id, 'rollback', 'bare', hash_algorithm from restored`;

/**
 * Measures a dry run beside the import itself, and an import of existing users and its rollback beside the
 * bare statements in psql.
 */
export async function benchChanges(
  admin: Admin,
  { sample, users }: { sample: string; users: number },
): Promise<Row[]> {
  // Password logins only, so that two bare statements suffice.
  const passwords = `${sample}.passwords`;
  await writeFile(passwords, passwordLines(users));
  const rates: Record<'dryRun' | 'create' | 'update' | 'rollback' | 'bareUpdate' | 'bareRollback', number[]> =
    {
      dryRun: [],
      create: [],
      update: [],
      rollback: [],
      bareUpdate: [],
      bareRollback: [],
    };
  for (let round = 1; round <= ROUNDS; round += 1) {
    await admin.create('bulk_changes');
    const dry = await startCompiled(admin.uri('bulk_changes'));
    const dryRun = await send(dry.url, sample, '?dryRun=true');
    rates.dryRun.push(users / dryRun.seconds);
    await dry.stop();
    const service = await startCompiled(admin.uri('bulk_changes'));
    rates.create.push(users / (await send(service.url, sample)).seconds);
    await service.stop();

    await admin.create('bulk_changes');
    const filled = await startCompiled(admin.uri('bulk_changes'));
    await send(filled.url, passwords);
    await filled.stop();

    await admin.create('bulk_bare', 'bulk_changes');
    const hashes =
      'create unlogged table incoming as select email, password_hash, hash_algorithm from password_logins';
    // Joins are planned with statistics, which Postgres collects only some time after a table was loaded.
    await admin.timed('bulk_bare', hashes, 'analyze incoming', 'checkpoint');
    rates.bareUpdate.push(users / (await admin.timed('bulk_bare', BARE_UPDATE)));
    await admin.timed('bulk_bare', 'checkpoint');
    rates.bareRollback.push(users / (await admin.timed('bulk_bare', BARE_ROLLBACK)));
    await admin.drop('bulk_bare');

    await admin.timed('bulk_changes', 'checkpoint');
    const again = await startCompiled(admin.uri('bulk_changes'));
    const updated = await send(again.url, passwords, '?importId=update');
    if (updated.summary.updated !== users) throw new Error('not all users were updated');
    rates.update.push(users / updated.seconds);
    await admin.timed('bulk_changes', 'checkpoint');
    rates.rollback.push(users / (await rollBack(again.url, 'update', users)));
    await again.stop();
    const shown = Object.entries(rates).map(([name, all]) => `${name} ${perSecond(all.at(-1) ?? 0)}`);
    console.log(`changes, round ${round}: ${shown.join(', ')}`);
  }
  const row = (what: string, measured: keyof typeof rates, limit: keyof typeof rates, named: string): Row => {
    const ratio = median(rates[measured]) / median(rates[limit]);
    return {
      what,
      measured: perSecond(median(rates[measured])),
      limit: `${named}: ${perSecond(median(rates[limit]))}`,
      ratio,
      aim: `≥ ${AIM.toFixed(2)}`,
      met: ratio >= AIM,
    };
  };
  return [
    row('dry run of new users', 'dryRun', 'create', 'the import'),
    row('import of users that exist', 'update', 'bareUpdate', 'bare statement'),
    row('its rollback', 'rollback', 'bareRollback', 'bare statement'),
  ];
}

/** Rolls back an import of known users. Returns its duration in seconds. */
export async function rollBack(url: string, importId: string, users: number): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${url}/bulk-import/imports/${importId}/rollback`, {
    method: 'POST',
    headers: { 'api-key': API_KEY },
    signal: AbortSignal.timeout(600_000),
  });
  const answer = (await response.json()) as { rollback?: { hashesRestored: number } };
  if (answer.rollback?.hashesRestored !== users)
    throw new Error(`the rollback said: ${JSON.stringify(answer)}`);
  return (performance.now() - start) / 1000;
}

/**
 * Yields lines of users with a password only, some hundred in each piece.
 * @param step 100 yields every hundredth line
 */
export function* passwordLines(users: number, step = 1): Generator<string> {
  const lines = 1000;
  for (let first = 0; first < users; first += lines) {
    let text = '';
    for (let user = first; user < Math.min(users, first + lines); user += step) {
      text += `{"email":"user-${user}@example.com","passwordHash":"${HASHES.bcrypt}"}\n`;
    }
    yield text;
  }
}
