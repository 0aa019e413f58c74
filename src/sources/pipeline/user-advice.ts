import { MAX_LINE_BYTES } from '../../imports/input/read-line.ts';
import type { JsonObject } from '../../lib/json/json-object.ts';
import { didYouMean } from '../../lib/text/nearest-names.ts';
import type { TableHead } from '../containers/table.ts';
import { shownProvider } from '../fields/shown-name.ts';
import { objectOf, textOf } from '../fields/values.ts';
import type { Advice } from '../source.ts';
import type { UserDecisions } from '../source-user.ts';
import { ask } from './advice.ts';
import type { ClaimOptions } from './claims.ts';
import { type Plan, usersOf } from './plan.ts';
import type { Tally } from './tally.ts';

/** JSON members that state the total number of users, and names of objects with such members. */
const TOTALS = [
  'total',
  'totalCount',
  'total_count',
  'totalItems',
  'totalUsers',
  'total_users',
  'totalResults',
];
const HOLDERS = ['pagination', 'meta', 'metadata', 'page', 'results_metadata'];

function statedTotal({ root }: Pick<TableHead, 'root'>): number | undefined {
  const holders = [root, ...HOLDERS.map((name) => objectOf(root[name]))];
  return holders.map(totalIn).find((total) => total !== undefined);
}

function totalIn(holder: JsonObject | undefined): number | undefined {
  const texts = TOTALS.map((name) => textOf(holder?.[name]) ?? '');
  const total = texts.find((text) => /^\d{1,15}$/.test(text));
  return total === undefined ? undefined : Number(total);
}

/**
 * Stops if the number of users differs from the number that the files state or that the operator expects.
 * Otherwise, an incomplete export would not be noticed.
 */
function numberOfUsers(
  plan: Plan,
  tally: Tally,
  rows: number,
  expected: number | undefined,
): string | undefined {
  if (expected !== undefined) {
    if (rows === expected) return undefined;
    return `The files have ${rows} users, and --expect-users says ${expected}. Nothing is imported, because the export may be incomplete. Export again, or correct the number.`;
  }
  const stated = usersOf(plan).flatMap(({ table }) => {
    const total = statedTotal(table);
    return total === undefined ? [] : [{ total, found: tally.records.get(table) ?? 0 }];
  });
  // Either each file has all users whom it states, or the files are pages that state the total of all pages.
  if (stated.every(({ total, found }) => total === found)) return undefined;
  const total = Math.max(...stated.map((one) => one.total));
  const found = stated.reduce((sum, one) => sum + one.found, 0);
  if (total === found) return undefined;
  return `The files state a number of ${total} users, but have ${found}. Nothing is imported, because the export may be incomplete. Export again, name all pages, or say how many users you expect: --expect-users ${rows}.`;
}

const SECOND_FACTORS = [
  '--mfa password-only: import them; they sign in with their password only.',
  '--mfa skip: leave them out.',
  '--mfa keep: import them, and keep their TOTP devices for the next system, encrypted (factors_secret of the service), as far as the export has them readable, with the roles and phone numbers of all users. Here, too, they sign in with their password only.',
];

/**
 * Asks about the number of users, and about second factors of users to be imported.
 * @param rows number of users in the files
 */
export function questionsOnUsers(
  plan: Plan,
  { mfa, expectUsers }: Pick<UserDecisions, 'mfa'> & { expectUsers: number | undefined },
  { tally, rows }: { tally: Tally; rows: number },
): Advice[] {
  const number = numberOfUsers(plan, tally, rows, expectUsers);
  const users = tally.secondFactors.get('users') ?? 0;
  const asks = users > 0 && (mfa === undefined || mfa === 'none');
  const question = `Users who have, or must set up, a second factor in the old system: ${users}. This service does not ask for it, so import needs your decision:`;
  return [
    ...(number === undefined ? [] : [{ level: 'stop' as const, text: number }]),
    ...(asks ? [ask('SECOND_FACTORS', '--mfa', [question, ...SECOND_FACTORS])] : []),
  ];
}

function noRows({ surveys }: Pick<Plan, 'surveys'>): string {
  const none = 'There are no rows of users.';
  if (surveys.some(({ moment }) => moment !== undefined))
    return `${none} If the old system has users, name the database and the schema that have them.`;
  if (!surveys.some(({ container }) => container === 'sql'))
    return `${none} If the old system has users, export again with them.`;
  return `${none} If the old system has users, export again with the data: a dump without --schema-only (pg_dump), without --no-data (mysqldump), with .dump instead of .schema (sqlite3).`;
}

/** Share of the rows from which users without a password are worth a warning. */
const MANY_WITHOUT_PASSWORD = 0.1;

const WITHOUT_PASSWORD =
  '--without-password keep imports them without a password, which they set by a reset; with --without-password legacy, the service asks the old system at their first sign-in (docs/moving-in.md).';

/** Says how users whose password the export does not have can come in. Nobody is counted if the operator has said it. */
function adviceOnMissingPasswords({ withoutPassword }: Tally, rows: number): Advice[] {
  const skipped = withoutPassword.get('skipped') ?? 0;
  const social = withoutPassword.get('social') ?? 0;
  if (skipped + social === 0) return [];
  const counts = [
    ...(skipped > 0
      ? [
          `Users with an address, and neither a password nor a social login to import, who are skipped: ${skipped}.`,
        ]
      : []),
    ...(social > 0
      ? [
          `Users with social logins whose password is not in the export, and who are imported without it: ${social}.`,
        ]
      : []),
  ];
  const isMany = skipped + social >= rows * MANY_WITHOUT_PASSWORD;
  return [{ level: isMany ? 'warn' : 'note', text: [...counts, WITHOUT_PASSWORD].join(' ') }];
}

const PROVIDER = 'provider.';

const IDS_PER_APP =
  'Ids at Facebook are per app, at Apple per team, and Microsoft has several kinds. They stay right only if you keep the same app registered at the provider.';

/** Returns what the operator should know about the users, after all rows were read. */
export function adviceOnRows(
  tally: Tally,
  { mfa, providers: mapped = {} }: Pick<UserDecisions, 'mfa'> & Partial<Pick<ClaimOptions, 'providers'>>,
  { plan, rows }: { plan: Pick<Plan, 'surveys'>; rows: number },
): Advice[] {
  const advice: Advice[] = adviceOnMissingPasswords(tally, rows);
  const warn = (text: string) => advice.push({ level: 'warn', text });
  const note = (text: string) => advice.push({ level: 'note', text });
  // Users of realms that were not chosen do not count as rows, so zero rows do not mean that there are no users.
  if (rows === 0 && tally.realms.size === 0) warn(noRows(plan));
  const users = tally.secondFactors.get('users') ?? 0;
  if (mfa === 'keep' && users > 0) {
    const kept = tally.secondFactors.get('kept') ?? 0;
    const lost = users - kept;
    warn(
      `Second factors are stored, but not asked for: users sign in with their password only. Users whose TOTP devices are kept: ${kept}.${lost > 0 ? ` Users whose second factor cannot be kept, because the export has no TOTP secret, or an encrypted one, or because they have yet to set one up: ${lost}. They have to set it up again.` : ''}`,
    );
  }
  for (const name of Object.keys(mapped)) {
    if (rows === 0 || [...tally.mappedProviders.values()].some((names) => names.has(name))) continue;
    const near = didYouMean([...tally.unmappedProviders.keys()], name, PROVIDER);
    warn(`--set ${PROVIDER}${shownProvider(name)}: nobody has an account at a provider of this name.${near}`);
  }
  for (const [id, names] of tally.mappedProviders)
    if (names.size > 1 && [...names].some((name) => Object.hasOwn(mapped, name)))
      warn(
        `Accounts at several providers are imported as ${shownProvider(id)}: ${[...names].map(shownProvider).join(', ')}. If these are different servers, one id may stand for two people, and one of them would sign in as the other: give each provider an id of its own.`,
      );
  if (['facebook', 'apple', 'active-directory'].some((provider) => tally.providers.has(provider)))
    note(IDS_PER_APP);
  // A system that requires verified addresses refused these users, but after the import their password is sufficient.
  // If no address is verified, there is no warning, because the system then most likely never required it.
  const unverified = tally.addresses.get('unverified') ?? 0;
  const waiting = tally.facts.get('waiting, unverified') ?? 0;
  if (waiting > 0 && (tally.facts.has('waiting, verified') || tally.addresses.has('verified')))
    warn(
      `Users who wait for a first sign-in without a verified address, while others have one: ${waiting}. Let the old system's answer decide about them: the scripts in docs/moving-in.md answer that they are unknown, because anybody can sign up with the address of somebody else.`,
    );
  const forced = tally.facts.get('must change the password') ?? 0;
  if (forced > 0)
    warn(
      `Users whom the old system would make choose another password: ${forced}. Here they sign in with the present one. To prevent it, take them out of the export, and let them set a password by a reset.`,
    );
  const disabled = tally.facts.get('disabled') ?? 0;
  if (disabled > 0) note(`Users who are imported as disabled, and cannot sign in: ${disabled}.`);
  if (unverified > 0 && tally.addresses.has('verified'))
    warn(
      `Users without a verified address, while others have one: ${unverified}. They are imported as not verified, and can sign in here with their password. If the old system refused them, let your app ask for verification before it opens a session (SuperTokens: EmailVerification in mode REQUIRED), or take them out of the export.`,
    );
  if (tally.completeHashes.size > 0)
    note(
      `Hashes that show their family keep it, and --hash is not applied to them: ${[...tally.completeHashes].map(([name, number]) => `${name} ${number}`).join(', ')}. If the template is right for them, take them apart in --query, and use the parts in the template.`,
    );
  if (tally.longLines.size > 0) {
    const tooLong = [...tally.longLines.values()].reduce((sum, number) => sum + number, 0);
    const members = [...tally.longLines].map(([name, number]) => `${name} ${number}`).join(', ');
    warn(
      `Users whose lines are longer than ${MAX_LINE_BYTES} bytes, which a service refuses as it is configured by default: ${tooLong}. The largest member of each: ${members}. Raise bulk_import_max_line_bytes of the service, or leave that column out.`,
    );
  }
  return advice;
}
