import { isPostgresText, stripControlAndSpace } from '../../lib/text/characters.ts';
import { normalizeEmail } from '../../users/email.ts';
import { isLongerThan, MAX_CHARACTERS } from '../../users/user.ts';
import { isBlank, type RawLine } from './line-splitter.ts';
import type { ParsedDisabling } from './parsed-user.ts';

/** Returns the external ids in a line, even if the line cannot be imported. Undefined for a blank line. */
export function externalIdsIn(line: RawLine): string[] | undefined {
  if (isBlank(line)) return undefined;
  return writtenIdsIn(parsed(line.text))
    .map(stripControlAndSpace)
    .filter((id) => id !== '' && isPostgresText(id));
}

/**
 * Returns whether the only member of a line is `externalUserId`. Such a line only states that a user is not missing,
 * and imports nobody.
 */
export function isMention({ text }: RawLine): boolean {
  const members = parsed(text);
  return members !== NOTHING && Object.keys(members).every((key) => key === 'externalUserId');
}

const DISABLING_MEMBERS = new Set(['externalUserId', 'disabled', 'email', 'timeJoinedInMSSinceEpoch']);

/**
 * Reads `{"externalUserId":"…","disabled":true}`, which disables a user and creates nobody. The address and
 * the time of joining show that the line is about the same person as the id.
 */
export function readDisabling({ text }: RawLine): ParsedDisabling | undefined {
  const members = parsed(text);
  const { externalUserId, disabled, email, timeJoinedInMSSinceEpoch: timeJoinedMs } = members;
  if (disabled !== true || !Object.keys(members).every((key) => DISABLING_MEMBERS.has(key))) return undefined;
  if (typeof externalUserId !== 'string' || isLongerThan(externalUserId, MAX_CHARACTERS.externalId))
    return undefined;
  if (externalUserId === '' || !isPostgresText(externalUserId) || hasInexactId(members)) return undefined;
  return {
    ...{ disables: true, externalId: externalUserId },
    // An invalid address or time becomes undefined, so that it agrees with no stored user.
    email: typeof email === 'string' ? normalizeEmail(email) : undefined,
    timeJoinedMs: typeof timeJoinedMs === 'number' ? timeJoinedMs : undefined,
  };
}

/**
 * Matches lines whose external ids may have blanks or control characters at their ends. In JSON, a control character or
 * a quote within a string needs a backslash, so that most lines need not be parsed.
 */
const MAY_BE_INEXACT = /\\|"externalUserId"\s*:\s*"(?: |[^"]* ")/;

/** Returns whether an external id of a line has blanks or control characters at its ends, which would be stripped. */
export const namesInexactly = ({ text }: RawLine): boolean =>
  text !== undefined && MAY_BE_INEXACT.test(text) && hasInexactId(parsed(text));

const hasInexactId = (value: Members): boolean =>
  writtenIdsIn(value).some((id) => stripControlAndSpace(id) !== id);

/** Returns the external ids of a user and of its logins, as they are written. */
function writtenIdsIn(value: Members): string[] {
  const methods = Array.isArray(value.loginMethods) ? value.loginMethods : [];
  return [value, ...methods].flatMap((one) => {
    const id = typeof one === 'object' && one !== null ? (one as Members).externalUserId : undefined;
    return typeof id === 'string' ? id : [];
  });
}

type Members = Record<string, unknown>;

function parsed(text: string | undefined): Members {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : NOTHING;
  } catch {
    return NOTHING;
  }
}

const NOTHING: Members = {};
