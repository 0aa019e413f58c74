import { isJsonObject, parseJsonObject } from '../lib/json/json-object.ts';

type Claim =
  | 'given_name'
  | 'family_name'
  | 'name'
  | 'nickname'
  | 'preferred_username'
  | 'picture'
  | 'locale'
  | 'zoneinfo';

/** Facts about a user by the names of OpenID Connect's standard claims. */
export type Profile = { [claim in Claim]?: string | undefined };

/** Names that other systems give to the claims, in lower case without `_`, `-` and blanks. */
const SYNONYMS: readonly [claim: Claim, ...names: string[]][] = [
  ['given_name', 'givenname', 'firstname'],
  ['family_name', 'familyname', 'lastname', 'surname'],
  ['name', 'name', 'displayname', 'fullname', 'realname'],
  ['nickname', 'nickname'],
  ['preferred_username', 'preferredusername', 'username', 'userlogin', 'login'],
  ['picture', 'picture', 'photourl', 'avatarurl', 'profilepictureurl', 'image', 'imageurl'],
  ['locale', 'locale', 'language', 'lang', 'preferredlanguage'],
  ['zoneinfo', 'zoneinfo', 'timezone'],
];
const CLAIMS = new Map(SYNONYMS.flatMap(([claim, ...names]) => names.map((name) => [name, claim] as const)));

/** Names of members of the metadata that are objects with a profile, as in exports of Okta, Kratos and Auth0. */
const NESTED = new Set(['profile', 'traits', 'usermetadata']);

/**
 * Finds the claims in a user's metadata, where every system has its own names for them.
 * @param metadata JSON text of an object
 */
export function profileOf(metadata: string): Profile {
  const profile: Profile = {};
  const places = [{ members: parseJsonObject(metadata) ?? {}, isName: false }];
  // The loop also visits the places that it adds. Outer members come first, so that they take precedence.
  for (const { members, isName } of places) {
    for (const [member, value] of Object.entries(members)) {
      const name = member.toLowerCase().replace(/[_\- ]/g, '');
      // Within a member `name`, `first` means the first name, as in `{"name":{"first":"Ada"}}`.
      const claim = CLAIMS.get(name) ?? (isName ? CLAIMS.get(`${name}name`) : undefined);
      if (isJsonObject(value)) {
        if (claim === 'name' || NESTED.has(name)) places.push({ members: value, isName: claim === 'name' });
      } else if (claim !== undefined) profile[claim] ??= textOf(claim, value);
    }
  }
  const { given_name = '', family_name = '' } = profile;
  profile.name ??= `${given_name} ${family_name}`.trim() || undefined;
  return profile;
}

/** A BCP 47 tag of language, script and region. */
const LANGUAGE_TAG = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?$/i;

/** Returns the text of a claim, or undefined if the value is not valid for it. */
function textOf(claim: Claim, value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters on purpose
  if (text === '' || /[\x00-\x1f\x7f]/.test(text)) return undefined;
  if (claim === 'picture') return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined;
  if (claim !== 'locale') return text;
  const tag = text.replaceAll('_', '-');
  return LANGUAGE_TAG.test(tag) ? Intl.getCanonicalLocales(tag)[0] : undefined;
}

/**
 * Returns the claims under the names that the system has for them. Claims without such a name are left out, and texts
 * that the system would refuse.
 * @param members the system's name of each claim
 */
export function membersOf(
  profile: Profile,
  members: Profile,
  { maxCharacters, pattern }: { maxCharacters: number; pattern?: RegExp },
): Record<string, string> {
  const fits = (text: string) =>
    text.length <= maxCharacters && (pattern === undefined || pattern.test(text));
  const found: Record<string, string> = {};
  for (const [claim] of SYNONYMS) {
    const [member, text] = [members[claim], profile[claim]];
    if (member !== undefined && text !== undefined && fits(text)) found[member] = text;
  }
  return found;
}
