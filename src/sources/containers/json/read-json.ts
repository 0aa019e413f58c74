import { isJsonObject, type JsonObject } from '../../../lib/json/json-object.ts';
import {
  type Beginning,
  type Container,
  FileProblem,
  invalidFile,
  type KindMatch,
  linesOf,
  type RecordBatch,
  type TableHead,
  unknownFile,
} from '../table.ts';
import {
  invalidAt,
  JsonInput,
  NEWLINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  opensValue,
  Scan,
  skipSpaces,
  Values,
} from './json-input.ts';
import { isDocument, JsonTables, readRecords } from './json-tables.ts';
import { parseValue } from './json-values.ts';

type Batches = AsyncGenerator<RecordBatch>;

/**
 * Reads JSON in one of five shapes. Each follows from the structure of the whole file, and a file that does not
 * continue as it begins is refused (docs/adr/0053-lists-of-a-json-object.md).
 * - An array of records, or several arrays one after another.
 * - Objects that are records: one a line, or one after another, each on several lines.
 * - One object whose members are lists of records: each list is a table.
 * - Tables by name: JSON of phpMyAdmin, and fixtures of Django, which are an array or lines.
 * - The list that the operator names by its path, in each document.
 *
 * The end of each record is found here, and the record is parsed with `JSON.parse`. Joining records into one text for
 * `JSON.parse` was no faster.
 * @throws FileProblem after yielding all records before the problem
 */
export const readJson: Container = async function* (chunks, { jsonPath = '' }, wanted) {
  const json = new JsonInput(chunks);
  const tables = new JsonTables(wanted);
  try {
    const byte = await json.peek();
    if (byte === undefined) throw unknownFile('The file is empty. Export it again.');
    if (!opensValue(byte)) {
      throw unknownFile(
        `No JSON object or array begins at byte ${json.offset}. If the file is of another kind, name it with --format; if not, remove the text there.`,
      );
    }
    if (jsonPath !== '') yield* readPath(json, tables, jsonPath);
    else if (byte === OPEN_OBJECT) yield* readObjects(json, tables);
    else if (isOfPhpMyAdmin(json)) yield* readPhpMyAdmin(json, tables);
    else yield* readArrays(json, tables);
    // A JSON file without tables becomes one empty table, whose `root` shows the other members of the file.
    if (tables.heads.length === 0) tables.table('');
    yield* tables.finish();
  } catch (error) {
    if (error instanceof FileProblem) yield* tables.finish();
    throw error;
  } finally {
    await json.close();
  }
};

/** Consecutive JSON arrays are pages of a list, and form one table. */
async function* readArrays(json: JsonInput, tables: JsonTables): Batches {
  const table = tables.table('');
  for (let byte = await json.peek(); byte !== undefined; byte = await json.peek()) {
    if (byte !== OPEN_ARRAY) throw invalidAt(json.offset, 'the end of the file');
    yield* readRecords(json, table, 'array');
  }
}

/** Maximum size of a first document that may be a record. A larger one must be an object with lists of records. */
const MAX_FIRST_BYTES = 4 * 1024 * 1024;
/** Maximum number of spaces after the first document. After more, the file is assumed to have no other document. */
const MAX_GAP_BYTES = 64 * 1024;

async function* readObjects(json: JsonInput, tables: JsonTables): Batches {
  const size = await json.measure(MAX_FIRST_BYTES);
  const { state, marks } = json.scan;
  if (state !== 'done' || size > MAX_FIRST_BYTES) return yield* readLists(json, tables, undefined);
  let next = size;
  do {
    next = skipSpaces(json.bytes, json.at + next, json.bytes.length) - json.at;
  } while (json.at + next === json.bytes.length && next < size + MAX_GAP_BYTES && (await json.fill()));
  const bytes = json.bytes.subarray(json.at);
  if (next < bytes.length) {
    const newline = bytes.indexOf(NEWLINE);
    tables.isLines = size <= newline && newline < next;
    return yield* readRecords(json, tables.table(''), tables.isLines ? 'lines' : 'documents');
  }
  const value = parseValue(bytes.toString('utf8', 0, size), marks);
  const document = isJsonObject(value) ? value : undefined;
  if (document !== undefined && isUser(document) && !Object.values(document).every(isListOrNull))
    yield* readRecords(json, tables.table(''), 'documents');
  else yield* readLists(json, tables, document);
}

/** Names of JSON members that users have, and that other objects in exports of users do not have. */
const USER_MEMBERS =
  /^(?:e-?mails?|e-?mail_?address(?:es)?|mail|user_?(?:id|name|email|login)|uid|_id|localid|loginids|traits)$/i;
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** Whether a member suggests that its object is a user. Its lists are then no tables: a user may choose any JSON. */
const isOfUser = (name: string, value: unknown): boolean =>
  USER_MEMBERS.test(name) || (typeof value === 'string' && ADDRESS.test(value));

const isUser = (document: JsonObject): boolean =>
  Object.entries(document).some(([name, value]) => isOfUser(name, value));

/** Whether a member may be a table: a list of records, or null or an empty list, which may be a table without rows. */
const isListOrNull = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && (value.length === 0 || isJsonObject(value[0])));

/** Paths of lists in objects that known systems write: of users, and of data about them. */
const KNOWN_PATHS = [
  ...['users', 'Users', 'results', 'identities', 'data', 'items', 'Items', 'data.users', 'db.0.data.users'],
  ...['organizations', 'third_party_links'],
];

/**
 * Reads a file that is one object.
 * @param document the object, if it is small enough. Without a list of records, it is a record itself.
 */
async function* readLists(json: JsonInput, tables: JsonTables, document: JsonObject | undefined): Batches {
  const lists = new ListsOfObject(json, tables, KNOWN_PATHS, { isTable: false });
  yield* lists.read();
  if ((await json.peek()) !== undefined)
    throw invalidFile(
      `Another document begins at byte ${json.offset}, after one that is too large for a user. If each document holds a list of users, name its path: --json-path users.`,
    );
  if (lists.finish()) return;
  const table = tables.table('');
  if (document !== undefined) yield* table.add([document], 0);
  yield* table.finish();
}

/** Reads the list at a path in each document: pages of an API, one after another. */
async function* readPath(json: JsonInput, tables: JsonTables, path: string): Batches {
  for (let pages = 1; ; pages += 1) {
    const beganAt = json.offset;
    const lists = new ListsOfObject(json, tables, [path]);
    yield* lists.read();
    const byte = await json.peek();
    if (!lists.hasTable && (pages > 1 || byte !== undefined))
      throw invalidFile(
        `The document at byte ${beganAt} has no list at ${path}, so a page of the users may be missing. Export it again, or name the path that all documents have: --json-path.`,
      );
    if (byte === undefined) return;
    if (!opensValue(byte)) throw invalidAt(json.offset, 'the end of the file');
  }
}

/** Maximum number of objects around a list that is searched for users. */
const MAX_DEPTH = 8;
/** Number of records of an unread list that are checked for users. */
const FIRST_RECORDS = 20;
/** Maximum number of tables without rows. No application has as many. */
const MAX_EMPTY = 500;

/** Reads the lists of one JSON document, from its opening bracket. */
class ListsOfObject {
  /** Whether there is a list at one of `paths`. */
  hasTable = false;
  readonly #json: JsonInput;
  readonly #tables: JsonTables;
  readonly #paths: readonly string[];
  readonly #found: { isTable: boolean } | undefined;
  readonly #names = new Set<string>();
  /** Members of the JSON object that may be tables without rows. */
  readonly #empty: string[] = [];
  /**
   * The JSON object may be a database: beside lists of records, it has only texts and numbers. Another object or list
   * may have users by their ids, who choose its content.
   */
  #isDatabase = true;
  /** A member of the JSON object suggests that the object is a user. */
  #isUser = false;
  #hasOthers = false;
  /** Path of a list that looks like users, but is not read. */
  #leftOut: string | undefined;

  /** @param found set to read other lists, too. `finish` sets its `isTable`: they are tables if all is a database */
  constructor(json: JsonInput, tables: JsonTables, paths: readonly string[], found?: { isTable: boolean }) {
    this.#json = json;
    this.#tables = tables;
    this.#paths = paths;
    this.#found = found;
  }

  /** @param around path of names to this object or array, empty for the document */
  async *read(around: readonly string[] = []): Batches {
    const json = this.#json;
    const isObject = json.bytes[json.at] === OPEN_OBJECT;
    const isOfRoot = around.length === 0 && this.#found !== undefined;
    for await (const name of new Values(json).names()) {
      const path = [...around, name].join('.');
      const byte = json.bytes[json.at];
      if (byte === OPEN_ARRAY && this.#paths.includes(path)) {
        this.hasTable = true;
        yield* this.#readList(path);
      } else if (opensValue(byte) && this.#paths.some((known) => known.startsWith(`${path}.`))) {
        this.#isDatabase = false;
        yield* this.read([...around, name]);
      } else {
        const small = isObject ? await json.peekSmall() : undefined;
        if (small !== undefined) this.#tables.keep(name, small.value, small.sizeBytes);
        if (isOfRoot && this.#isTable(name)) yield* this.#readList(name, this.#found);
        else {
          if (isOfRoot) this.#note(name, opensValue(byte), small?.value);
          await this.#pass(path, around.length);
        }
      }
    }
  }

  /** Returns whether the member of the JSON object is a list of records, which may be a table. */
  #isTable(name: string): boolean {
    const { bytes, at } = this.#json;
    this.#isUser ||= USER_MEMBERS.test(name);
    if (name === '' || !this.#isDatabase || (this.#isUser && this.#hasOthers)) return false;
    // All bytes of a small value, and the first ones of a large one, are in memory.
    return bytes[at] === OPEN_ARRAY && bytes[skipSpaces(bytes, at + 1, bytes.length)] === OPEN_OBJECT;
  }

  #readList(name: string, found?: { isTable: boolean }): Batches {
    if (this.#names.has(name)) throw sameName(this.#json.offset);
    this.#names.add(name);
    return readRecords(this.#json, this.#tables.table(name, found), 'array');
  }

  /** Notes what a member that is not a list of records shows about the JSON object: a user, or no database. */
  #note(name: string, isNested: boolean, value: unknown): void {
    if (isListOrNull(value)) {
      if (name !== '' && this.#empty.length < MAX_EMPTY) this.#empty.push(name);
      return;
    }
    this.#hasOthers = true;
    this.#isUser ||= isOfUser(name, value);
    if (isNested) this.#isDatabase = false;
  }

  /** Skips a JSON value, and notes the first list in it that looks like users. */
  async #pass(path: string, depth: number): Promise<void> {
    const json = this.#json;
    const byte = json.bytes[json.at];
    if (this.#found === undefined || this.#leftOut !== undefined || depth >= MAX_DEPTH || !opensValue(byte))
      return json.skip('a value');
    const values = new Values(json);
    const first: unknown[] = [];
    for await (const name of values.names()) {
      if (byte === OPEN_OBJECT) await this.#pass(`${path}.${name}`, depth + 1);
      else if (first.push(await json.readSmall()) === FIRST_RECORDS) {
        await values.skipRest();
        break;
      }
    }
    this.#leftOut ??= pathOfUsers(first, path);
  }

  /**
   * Returns whether the JSON object has tables.
   * @throws FileProblem if a list that looks like users would be left out in favour of another one
   */
  finish(): boolean {
    const found = this.#found ?? { isTable: false };
    found.isTable = this.#isDatabase;
    const isTable = (head: TableHead) => head.found?.isTable !== false;
    const table = this.#tables.heads.find(isTable);
    if (table === undefined) return false;
    if (this.#isDatabase) for (const name of this.#empty) this.#tables.table(name, found).finish();
    const list = shown(table.name);
    // Here, the object is large: a small one that may be a user has been read as a record.
    if (this.#isUser && this.#hasOthers)
      throw invalidFile(
        `The object holds lists, but also members that users have, so a user may have chosen the lists. If the users are in the list ${list}, name it: --json-path ${list}.`,
      );
    const others = this.#tables.heads.filter((head) => !isTable(head));
    const [left = this.#leftOut] = others.flatMap(({ name, first }) => pathOfUsers(first, name) ?? []);
    if (left !== undefined)
      throw invalidFile(
        `The list ${shown(left)} looks like users, but another list would be imported. Name the list of the users: --json-path ${shown(left)}, or --json-path ${list}.`,
      );
    return true;
  }
}

/** Returns the path of a list inside the JSON value that looks like users. */
function pathOfUsers(value: unknown, path: string): string | undefined {
  if (Array.isArray(value) && looksLikeUsers(value)) return path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = pathOfUsers(member, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function looksLikeUsers(records: readonly unknown[]): boolean {
  const names = records.filter(isJsonObject).flatMap((record) => Object.keys(record));
  return names.some((name) => /mail/i.test(name)) && names.some((name) => /pass|hash/i.test(name));
}

const PLAIN_NAME = /^[\w-]{1,40}$/;

/** Returns a path for a message. Names of members may be data of users, so an unusual path is not shown. */
const shown = (path: string) => (path.split('.').every((name) => PLAIN_NAME.test(name)) ? path : 'LIST');

const sameName = (offset: number) =>
  invalidFile(
    `The list that begins at byte ${offset} has the name of an earlier one, so they may be different tables. Export each under its own name.`,
  );

/** phpMyAdmin always writes the JSON member `type` first. */
const PHPMYADMIN_HEAD = /^\[\s{0,99}\{\s{0,99}"type"\s{0,99}:\s{0,99}"(?:header|database|table)"/;
const PHPMYADMIN_TYPES: readonly unknown[] = ['header', 'database', 'table'];
const HEAD_BYTES = 512;

const isOfPhpMyAdmin = ({ bytes, at }: JsonInput): boolean =>
  PHPMYADMIN_HEAD.test(bytes.toString('latin1', at, at + HEAD_BYTES));

/** JSON of phpMyAdmin: `[{"type":"header",…},{"type":"table","name":…,"data":[…]}]`, with the rows last. */
async function* readPhpMyAdmin(json: JsonInput, tables: JsonTables): Batches {
  const names = new Set<string>();
  for await (const _ of new Values(json).names()) {
    const beganAt = json.offset;
    const part = new Map<string, unknown>();
    const members = json.bytes[json.at] === OPEN_OBJECT ? new Values(json).names() : [];
    for await (const member of members) {
      const name = part.get('name');
      if (member !== 'data' || part.get('type') !== 'table' || typeof name !== 'string') {
        part.set(member, await json.readSmall());
        continue;
      }
      if (names.has(name)) throw sameName(beganAt);
      names.add(name);
      yield* readRecords(json, tables.table(name), 'array');
    }
    if (!PHPMYADMIN_TYPES.includes(part.get('type')) || part.has('data'))
      throw invalidFile(
        `The file begins like JSON of phpMyAdmin, but the element at byte ${beganAt} is no table. Export the table of the users again, by itself.`,
      );
  }
  if ((await json.peek()) !== undefined) throw invalidAt(json.offset, 'the end of the file');
}

const BEGINNING = /^[ \t\r\n]{0,4096}(?:\{[ \t\r\n]*(?:["}]|$)|\[[ \t\r\n]*(?:[[\]{"\d-]|$))/;
const EXPORT_JSON =
  'Export it again: psql -At -c "select row_to_json(u) from users u" > users.json, or mysql --raw.';

/**
 * Whether a text begins like JSON. The character after a bracket counts: `[dbo].[Users]` and `[section]` are not
 * JSON.
 */
const looksLikeJson = (text: string): boolean => BEGINNING.test(text);

/**
 * Detects JSON. It is certain if the beginning consists of complete values, and perhaps a last one that is cut off.
 * Otherwise it fits if most lines are documents, because a file of one document per line may have bad lines.
 */
export function matchJson(beginning: Beginning): KindMatch {
  const { head, text, isWhole } = beginning;
  if (!looksLikeJson(text)) return undefined;
  if (/^ ?\[\{.*\}, +\+\r?\n/.test(text))
    return { but: 'its lines end with a +, as psql draws them on a screen', advice: EXPORT_JSON };
  const scan = new Scan();
  let at = skipSpaces(head, 0, head.length);
  while (at < head.length && opensValue(head[at]) && scan.state !== 'broken') {
    at = scan.start().run(head, at, head.length);
    if (scan.state === 'open') return isWhole ? 'fits' : 'certain';
    if (scan.state === 'done') at = skipSpaces(head, at, head.length);
  }
  if (at >= head.length) return 'certain';
  const lines = linesOf(beginning).filter((line) => line.trim() !== '');
  if (lines.filter(isDocument).length * 2 > lines.length) return 'fits';
  if (/\\\\"|\},? ?\\n ?\{/.test(text))
    return { but: 'it was escaped once more, as COPY and mysql --batch do', advice: EXPORT_JSON };
  return { but: `byte ${at} is not valid JSON at this place` };
}
