import { ExactNumber, parseExact, toJson } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { looksLikeSecret } from './looks-like-secret.ts';
import { nameKind } from './secret-names.ts';
import { isWorthKeeping } from './values.ts';

/** Names of the members that lead to a secret, from the outside in. Indexes of lists are left out. */
export type SecretPath = readonly string[];
/** Called with the path of each secret that is left out of a user's metadata. */
export type NoteSecret = (path: SecretPath) => void;

/** Position of a value in the metadata: its name, and the position of the object that holds it. */
interface Place {
  name: string;
  parent: Place | undefined;
  depth: number;
}

/** Maximum depth of metadata, as in JSON files. Deeper values (JSON within texts) are left out. */
const MAX_DEPTH = 512;
const SECRET = Symbol('secret');

/**
 * Removes hashes, tokens, secrets and IP addresses from metadata. They are recognised by the names of members
 * and by the form of texts, at any depth and within JSON texts. Returns the same object if nothing is left
 * out.
 */
export function withoutSecrets(metadata: JsonObject, note: NoteSecret): JsonObject | undefined {
  const kept = new Walk(note).members(metadata, undefined);
  if (kept === metadata) return metadata;
  for (const _ in kept) return kept;
  return undefined;
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const SPACE = 0x20;

class Walk {
  readonly #note: NoteSecret;

  constructor(note: NoteSecret) {
    this.#note = note;
  }

  members(object: JsonObject, parent: Place | undefined): JsonObject {
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(object)) {
      const value = object[name];
      const kept = this.#member(name, value, parent);
      if (kept === value) continue;
      copy ??= { ...object };
      if (kept === SECRET) delete copy[name];
      // Assigning a member named `__proto__` would call its setter.
      else if (name === '__proto__') Object.defineProperty(copy, name, { value: kept });
      else copy[name] = kept;
    }
    return copy ?? object;
  }

  #member(name: string, value: unknown, parent: Place | undefined): unknown {
    const kind = nameKind(name);
    if (kind === 'secret') return isWorthKeeping(value) ? this.#secret({ name, parent, depth: 0 }) : value;
    if (typeof value === 'string') {
      // Most texts are not parsed, because their first character shows that they contain no object or list.
      if (!STARTS.has(value.charCodeAt(0)) && !looksLikeSecret(value, kind === 'id')) return value;
    } else if (typeof value !== 'object' || value === null) return value;
    return this.#value(value, { name, parent, depth: (parent?.depth ?? 0) + 1 });
  }

  #value(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return this.#text(value, place);
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
    if (place.depth >= MAX_DEPTH) return this.#secret(place);
    if (Array.isArray(value)) return this.#list(value, place);
    return isJsonObject(value) ? this.members(value, place) : value;
  }

  #list(list: readonly unknown[], place: Place): readonly unknown[] {
    let copy: unknown[] | undefined;
    const within = { ...place, depth: place.depth + 1 };
    for (const [index, value] of list.entries()) {
      const kept = this.#value(value, within);
      if (kept !== value) copy ??= list.slice(0, index);
      if (kept !== SECRET) copy?.push(kept);
    }
    return copy ?? list;
  }

  #text(text: string, place: Place): string | typeof SECRET {
    const first = text.charCodeAt(0);
    const json = first === OPEN_BRACE || first === OPEN_BRACKET || first <= SPACE ? jsonIn(text) : undefined;
    if (json !== undefined) {
      const kept = this.#value(json, { ...place, depth: place.depth + 1 });
      if (kept === json) return text;
      return typeof kept === 'object' && kept !== null ? toJson(kept) : SECRET;
    }
    return looksLikeSecret(text, nameKind(place.name) === 'id') || namesSecretWithin(text)
      ? this.#secret(place)
      : text;
  }

  #secret(place: Place): typeof SECRET {
    const path: string[] = [];
    for (let at: Place | undefined = place; at !== undefined; at = at.parent) path.unshift(at.name);
    this.#note(path);
    return SECRET;
  }
}

function jsonIn(text: string): object | undefined {
  const first = text.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return undefined;
  try {
    const json = parseExact(text);
    return typeof json === 'object' && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Objects in other notations than JSON: PHP's `serialize`, Python, YAML, hstore, and truncated JSON. */
const STRUCTURED = /^\s*(?:[[{]|[aO]:\d+:|---\s|"[^"]*"\s*=>)/;
const STARTS: ReadonlySet<number> = new Set([...'{[aO-" \t\n\r'].map((sign) => sign.charCodeAt(0)));
const MEMBER = /["':]?([\p{L}_$][\p{L}\d_$-]{1,63})["']?\s*(?:=>|[:=;])/gu;

function namesSecretWithin(text: string): boolean {
  if (!STARTS.has(text.charCodeAt(0)) || !STRUCTURED.test(text)) return false;
  for (const [, name] of text.matchAll(MEMBER))
    if (name !== undefined && nameKind(name) === 'secret') return true;
  return false;
}
