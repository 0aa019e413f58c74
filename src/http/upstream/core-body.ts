import { isUtf8 } from 'node:buffer';
import { AppError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../lib/json/json-object.ts';

/**
 * Content types from which all versions of the core take the same charset. If a content type names several charsets, Tomcat 11
 * takes the last one and earlier versions the first, even within a word such as `xcharset=`.
 */
const CONTENT_TYPE = /^\s*[\w.+-]+\/[\w.+-]+\s*(?:;\s*charset=("?)(utf-?8|iso-8859-1|us-ascii)\1\s*)?$/i;

/** Charset that the core assumes if the content type names none (Jakarta Servlet 6.0, 3.12). */
const DEFAULT_CHARSET = 'iso-8859-1';

/**
 * Body of a call that this service intercepts on its way to the SuperTokens core. The core reads more than JSON in
 * UTF-8: other charsets, comments, and a list of one text in place of a text. A body that could be read in two ways is
 * refused, so that this service and the core see the same user and password.
 */
export class CoreBody {
  /** Members of the body, read as UTF-8: the texts that people have typed. */
  readonly #typed: JsonObject;
  /** Members of the body, read in the charset that the core assumes. */
  readonly #atCore: JsonObject;

  /** @throws {AppError} BODY_INVALID_JSON, CONTENT_TYPE_UNSUPPORTED */
  constructor(body: Buffer, contentType = 'application/json') {
    const type = CONTENT_TYPE.exec(contentType);
    const charset = type?.[2]?.toLowerCase() ?? DEFAULT_CHARSET;
    const isLatin1 = charset === 'iso-8859-1';
    // Java decodes all bytes outside ASCII to the same character, so different passwords would become equal.
    const isBroken = charset === 'us-ascii' && body.some((byte) => byte >= 0x80);
    if (type === null || isBroken)
      throw new AppError('CONTENT_TYPE_UNSUPPORTED', 'Unsupported content type: JSON must be sent as UTF-8');
    const typed = isUtf8(body) ? parseJsonObject(body.toString('utf8')) : undefined;
    const atCore = isLatin1 ? parseJsonObject(body.toString('latin1')) : typed;
    if (typed === undefined || atCore === undefined)
      throw new AppError('BODY_INVALID_JSON', 'Invalid Json Input: the body is not a JSON object in UTF-8');
    this.#typed = typed;
    this.#atCore = atCore;
  }

  /**
   * Returns a text as the core reads it, or undefined if it is missing or null. The core, too, takes null for a missing
   * text, or refuses it.
   * @throws {AppError} FIELD_INVALID for any other type
   */
  text(name: string): string | undefined {
    return textIn(this.#atCore, name);
  }

  /** Returns a text within an object, as the core reads it. */
  textWithin(object: string, name: string): string | undefined {
    const members = memberOf(this.#atCore, object);
    return isJsonObject(members) ? textIn(members, name) : undefined;
  }

  /** Returns a text as it was typed, which differs from `text` if the core assumes another charset. */
  typedText(name: string): string | undefined {
    return textIn(this.#typed, name);
  }

  /** @throws {AppError} FIELD_INVALID */
  flag(name: string): boolean | undefined {
    const value = memberOf(this.#atCore, name);
    if (value === undefined || typeof value === 'boolean') return value;
    throw invalid(name);
  }
}

function textIn(members: JsonObject, name: string): string | undefined {
  const value = memberOf(members, name);
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(name);
}

const memberOf = (members: JsonObject, name: string) =>
  Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined;

const invalid = (name: string) =>
  new AppError('FIELD_INVALID', `Field name '${name}' is invalid in JSON input`);
