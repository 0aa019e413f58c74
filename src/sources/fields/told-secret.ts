import { oncePerName } from './column-names.ts';
import { secretTold } from './secret-words.ts';

const ASSIGNS = /[:=：＝]/;
const NEXT_ASSIGN = /[:=：＝]/g;
/** Maximum characters of a label before a secret: people do not write longer ones. */
const MAX_LABEL = 64;
/** Maximum colons and equals signs that are looked at, to limit the time for long texts. */
const MAX_ASSIGNS = 500;

/** Text between a label and its colon or equals sign: `password (wifi):`, `password is:`, `"password":`. */
const BEHIND_LABEL = /(?:\s(?:is|was|ist|war|est|es|era))?(?:\s*\([^()]*\))?["'`*)\]\s]*$/;
const BETWEEN_WORDS = /[^\p{L}\p{M}\d_$.-]+/u;
/** The value after the sign of a label. `:=` and `=>` are signs, too. */
const VALUE = /[=>]{0,2}\s{0,3}["'`*([]{0,3}([^\s"'`*,;()[\]]+)/uy;

/** Words that people write in place of a password, or about what happened to it. */
const PLAIN = new Set(
  `any ask been call can changed could created default deleted disabled done empty enabled encrypted expired false first
  for forgot forgotten given has hashed hidden if internal invalid last later lost missing must n/a need needs never new
  nil none not null off old only optional pending please protected provided random redacted removed required reset reused
  same see sent set should still strong tbd temporary the their they true unchanged undefined unknown unset updated use
  user valid via was weak when will wrong yes you your ja nein nicht kein siehe oui non aucun sí não нет есть да`.split(
    /\s+/,
  ),
);
const MASKED = /^[*•.xX#_?<>{}|/\\-]+$/;
const DATE = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d{2})/;
/** Parameters by which picture URLs of Firebase and Facebook carry a token. These URLs are no secrets. */
const OF_PICTURES = /[?&](?:alt=media&token|hash)$/;

const MIN_PASSWORD = 3;
const MIN_TOKEN = 6;
/** Minimum length of a token without digits: such a text is too long to be a word. */
const MIN_WORDLESS = 16;

const toldBy = oncePerName(secretTold);

/**
 * Whether a free text names a secret followed by its value: `password=hunter2`, `try token=3f9ac1`. A text
 * about a password does not count: `password reset on 2021-03-01`.
 */
export function tellsSecret(text: string): boolean {
  if (!ASSIGNS.test(text)) return false;
  let found = 0;
  for (const { index } of text.matchAll(NEXT_ASSIGN)) {
    if (isAssigned(text, index)) return true;
    found += 1;
    if (found === MAX_ASSIGNS) return false;
  }
  return false;
}

function isAssigned(text: string, sign: number): boolean {
  if (text.startsWith('://', sign) || isTime(text, sign)) return false;
  const before = text.slice(Math.max(0, sign - MAX_LABEL), sign);
  const told = toldBy(before.replace(BEHIND_LABEL, '').split(BETWEEN_WORDS).slice(-3).join(' '));
  if (told === undefined || OF_PICTURES.test(before)) return false;
  VALUE.lastIndex = sign + 1;
  const value = VALUE.exec(text)?.[1]?.replace(/[.!?]+$/, '') ?? '';
  // A label has no value if another label follows directly, as in an empty form.
  if (/[:：＝]$|^&/.test(value) || MASKED.test(value) || DATE.test(value) || PLAIN.has(value.toLowerCase()))
    return false;
  return told === 'password' ? value.length >= MIN_PASSWORD : isToken(value, text[sign] ?? '');
}

const ZERO = 0x30;
const NINE = 0x39;

/** Whether a colon is part of a time such as `10:30`, as most colons in metadata are. */
function isTime(text: string, sign: number): boolean {
  let at = sign - 1;
  while (isDigit(text.charCodeAt(at))) at -= 1;
  return at < sign - 1 && !/[a-z]/i.test(text[at] === 'T' ? '' : (text[at] ?? ''));
}

const isDigit = (code: number) => code >= ZERO && code <= NINE;

/** Whether the value after a label may be a token. `token: gold` and `sessions=3` are facts about a user. */
const isToken = (value: string, sign: string) =>
  value.length >= MIN_TOKEN &&
  /\D/.test(value) &&
  (/\d/.test(value) || value.length >= MIN_WORDLESS || sign === '=');
