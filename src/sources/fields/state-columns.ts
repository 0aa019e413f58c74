import { bareName, oncePerName } from './column-names.ts';

/** How a column tells who may sign in. */
export interface StateColumn {
  /** As the file names it. */
  name: string;
  /** `active`: yes lets in. `disabled` and `deleted`: yes keeps out. */
  kind: 'active' | 'disabled' | 'deleted';
  /** What a time in it means: since then, or until then. Left out: the column holds flags or words, and its name says nothing of times. */
  time?: 'since' | 'until';
  /** A column like `status`, which was not named by the operator: a 0 or 1 in it may be the number of any state. */
  isGuessedStatus?: true;
  /** A column `state` beside `country`: it may be a part of an address, so that words that are not understood say nothing. */
  mayBeAddress?: true;
}

const WHOSE =
  '(?:is|was)?(?:user|usr|account|acct|login|signin|member|customer|player|client|row|record)*(?:is|was)?';
const SINCE = '(?:at|on|date|time|datetime|timestamp|ts|since)';
const UNTIL = '(?:until|till|upto)';
const SUFFIX = `(?:(?<since>${SINCE})|(?<until>${UNTIL})|flag|yn)?`;
const NAMES: readonly [kind: StateColumn['kind'], name: RegExp][] = [
  [
    'deleted',
    new RegExp(
      `^(?:date)?${WHOSE}(?:soft)?(?:deleted?|deletion|del|removed|trashed|erased|purged|discarded)${SUFFIX}$`,
    ),
  ],
  [
    'disabled',
    new RegExp(
      `^(?:date)?${WHOSE}(?:disabled?|deactivated|inactivated|inactive|notactive|ban|banned|block|blocked|suspended|archived|frozen|revoked|locked|lockedout|blacklisted|blocklisted|terminated|closed|cancell?ed|rejected|prohibit(?:ed)?(?:login)?|spam|pending)${SUFFIX}$`,
    ),
  ],
  ['disabled', new RegExp(`^${WHOSE}expired$`)],
  ['disabled', /^(?:ban|suspension|block)(?<until>until|till|ends?|endsat|endat|expires|expiresat|expiry)$/],
  ['active', new RegExp(`^${WHOSE}(?:active|activated|enabled|approved)${SUFFIX}$`)],
  ['active', /^(?:can(?:login|signin)|allow(?:login|signin)|(?:login|signin)allowed)$/],
  // Of Spring Security.
  ['active', /^(?:is)?(?:account|credentials)non(?:locked|expired)$/],
];
const STATUS = new RegExp(
  `^${WHOSE}(?:(?:approval|registration|membership|activation)status|status|state)(?:code|id|name|text)?$`,
);
const OF_ADDRESS = /^state(?:code|id|name)?$/;
const ADDRESS =
  /^(?:city|town|zip|zipcode|postcode|postalcode|country|countrycode|street|address|address(?:line)?1)$/;

/**
 * Returns how a column of this name tells who may sign in, or undefined if the name does not say that it does. Columns like `status`
 * count: their words must be understood, or nobody with such a word is let in.
 */
export const stateColumnNamed = oncePerName((name): StateColumn | undefined => {
  const text = bareName(name);
  for (const [kind, expression] of NAMES) {
    const match = expression.exec(text);
    if (match === null) continue;
    const time = match.groups?.since ? 'since' : match.groups?.until ? 'until' : undefined;
    return { name, kind, ...(time && { time }) };
  }
  return STATUS.test(text) ? { name, kind: 'active', isGuessedStatus: true } : undefined;
});

/** How a column that the operator named tells it. */
export function stateColumnOf(name: string, kind: StateColumn['kind']): StateColumn {
  const named = stateColumnNamed(name);
  return { name, kind, ...(named?.time && { time: named.time }) };
}

/** The columns of a table that tell by their names who may sign in. `state` is none beside `city` or `zip`. */
export function stateColumnsAmong(columns: Iterable<string>): StateColumn[] {
  const names = [...columns];
  const hasAddress = names.some((name) => ADDRESS.test(bareName(name)));
  return names.flatMap((name) => {
    const column = stateColumnNamed(name);
    if (column === undefined) return [];
    return hasAddress && OF_ADDRESS.test(bareName(name))
      ? { ...column, mayBeAddress: true as const }
      : column;
  });
}
