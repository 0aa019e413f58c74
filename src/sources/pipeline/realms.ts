import type { SourceRecord } from '../containers/table.ts';
import { ALL_REALMS, NO_REALM } from '../fields/realms.ts';
import { shownCell } from '../fields/shown-name.ts';
import type { Advice, Form, FormRealms, ReadContext, Realm, Settings } from '../source.ts';
import { listCounts } from './list-counts.ts';
import type { Plan } from './plan.ts';

/** Maximum number of realms to count, because a file may have any number of them. */
const MAX_REALMS = 1000;
const OTHERS = 'others';

/** Number of users in each realm (tenant, organisation, site) of the export, by name. */
export type RealmCounts = Map<string, number>;

export function countRealm(counts: RealmCounts, realm: string, { realm: wanted }: Settings): void {
  const isKept = counts.has(realm) || counts.size < MAX_REALMS || realm === wanted;
  const name = isKept ? realm : OTHERS;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

export const isWantedRealm = (realm: Realm, { realm: wanted }: Settings): boolean =>
  wanted === undefined || wanted === ALL_REALMS || realm === undefined || realm === wanted;

export function realmReader(
  { realms }: Pick<Form, 'realms'>,
  context: Pick<ReadContext, 'table' | 'details'>,
): ((record: SourceRecord) => Realm) | undefined {
  const realm = realms?.of(context);
  return typeof realm === 'string' ? () => realm : realm;
}

/**
 * Stops if the export has several realms and the operator has chosen none, or if no user belongs to the
 * chosen realm. Warns if all realms of the system usually have the same people.
 */
export function adviceOnRealms({ forms, settings }: Plan, counts: RealmCounts): Advice | undefined {
  const { realm: wanted } = settings;
  const isSettled = wanted === undefined ? counts.size < 2 : wanted === ALL_REALMS || counts.has(wanted);
  if (isSettled) return undefined;
  const [{ title, place, areOneSet = false } = WITHOUT_REALMS] = forms.flatMap((form) => form.realms ?? []);
  const names = [...counts].map(([name, count]) => [shownRealm(name), count] as const);
  const list = `${listCounts(names, title)}.`;
  if (wanted === undefined) {
    const several = `The export has users of several ${title} (${place}): ${list}`;
    if (areOneSet)
      return {
        level: 'warn',
        text: [
          several,
          `Users of all ${title} are imported, except those who share an address (--shared-address). To import one of the ${title} only: ${example(counts)}.`,
        ].join('\n'),
      };
    const lines = [
      several,
      'An address may belong to a different person in each of them, so nobody is imported.',
      `Choose one: ${example(counts)}. To import all of them as one set of users: --set "realm=${ALL_REALMS}". That is safe only if an address belongs to the same person in each of them.`,
    ];
    return {
      level: 'stop',
      text: lines.join('\n'),
      question: { code: 'SEVERAL_REALMS', flag: '--set realm' },
    };
  }
  const isNamed = [...counts.keys()].some((name) => name !== NO_REALM);
  const known = isNamed
    ? `There are: ${list} Choose one: ${example(counts)}.`
    : 'The files name it for no user: leave the setting out.';
  return {
    level: 'stop',
    text: `--set realm=${shownRealm(wanted)}: no user belongs to it (${title}: ${place}). ${known}`,
  };
}

/** Words for an export that does not say which realm a user belongs to. */
const WITHOUT_REALMS: Pick<FormRealms, 'title' | 'place' | 'areOneSet'> = {
  title: 'realms',
  place: 'not in exports of this form',
};

/** Shown in full, because many systems use UUIDs as ids of realms. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function shownRealm(name: string): string {
  if (name === NO_REALM) return '(none)';
  return UUID.test(name) ? name : shownCell(name);
}

/** Names of realms that shells leave unchanged within double quotes. */
const QUOTABLE = /^[^"$`\\!%]+$/;

/** Example for a message: the realm with the most users whose name can be shown and typed. */
function example(counts: RealmCounts): string {
  const [found] = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name)
    .filter((name) => name !== OTHERS && shownRealm(name) === name && QUOTABLE.test(name));
  if (found === undefined) return '--set realm=NAME';
  return /^[\w.:-]+$/.test(found) ? `--set realm=${found}` : `--set "realm=${found}"`;
}
