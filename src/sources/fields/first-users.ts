import type { TableHead } from '../containers/table.ts';
import type { Advice, Form, Settings } from '../source.ts';
import type { HashProblem, SourceUser } from '../source-user.ts';
import { knownThirdPartyId } from './providers.ts';

/** What the first records of tables of users say, for the advice on an export. */
export interface FirstUsers {
  users: readonly SourceUser[];
  withHash: number;
  hasProblem(problem: HashProblem): boolean;
}

/** Reads the first records of the tables that hold users of the form. Other tables are not joined. */
export function firstUsers(
  form: Pick<Form, 'isUsers' | 'read'>,
  { tables, settings }: { tables: readonly TableHead[]; settings: Settings },
): FirstUsers {
  const users = tables
    .filter((table) => form.isUsers(table, settings))
    .flatMap((table) => {
      const context = {
        table,
        settings,
        nowMs: 0,
        details: () => [],
        hasDetail: () => false,
        drop: () => undefined,
      };
      return table.first.flatMap((record) => form.read(record, context) ?? []);
    });
  const passwords = users.flatMap(({ password }) => password ?? []);
  return {
    users,
    withHash: passwords.filter((password) => 'encoded' in password).length,
    hasProblem: (wanted) =>
      passwords.some((password) => 'problem' in password && password.problem === wanted),
  };
}

const PER_APP = new Set(['facebook', 'apple', 'active-directory']);

/** Said where identities are of providers that give each app, team or tenant other ids of the same person. */
export function idsPerApp(providers: readonly (string | undefined)[]): Advice[] {
  const isPerApp = providers.some((provider) => PER_APP.has(knownThirdPartyId(provider ?? '') ?? ''));
  return isPerApp ? [IDS_PER_APP] : [];
}

const IDS_PER_APP: Advice = {
  level: 'note',
  text: 'Ids at Facebook are per app, at Apple per team, and Microsoft has several kinds. They stay right only if you keep the same app registered at the provider.',
};

/** The providers of these users. */
export const providersOf = ({ users }: FirstUsers): string[] =>
  users.flatMap(({ identities = [] }) => identities.map(({ provider }) => provider));
