import type { TableHead } from '../containers/table.ts';
import type { Form, Settings } from '../source.ts';
import type { HashProblem, SourceUser } from '../source-user.ts';

/** The first users of an export, from which advice for the operator is made. */
export interface FirstUsers {
  users: readonly SourceUser[];
  withHash: number;
  hasProblem(problem: HashProblem): boolean;
}

export function firstUsers(
  form: Pick<Form, 'isUsers' | 'read'>,
  { tables, settings }: { tables: readonly TableHead[]; settings: Settings },
): FirstUsers {
  const users = tables
    .filter((table) => form.isUsers(table, settings))
    .flatMap((table) => {
      const context = {
        table,
        tables,
        settings,
        nowMs: 0,
        ruled: new Set<string>(),
        details: () => [],
        hasDetail: () => false,
        unreadable: () => {},
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
